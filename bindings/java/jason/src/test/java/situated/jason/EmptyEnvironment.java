package situated.jason;

import jason.asSyntax.ASSyntax;
import jason.asSyntax.Structure;
import jason.environment.Environment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** An environment of Jason in which nothing happens: actions are done at once, and walkers see a corridor. */
public final class EmptyEnvironment extends Environment {
    /** The number of actions of an agent before they are timed, so that Java has compiled what is used often. */
    private static final int WARM_UP = 10_000;

    private final Map<String, long[]> counts = new ConcurrentHashMap<>();

    @Override
    public void init(String[] arguments) {
        for (String direction : new String[] {"west", "east"}) {
            addPercept(ASSyntax.createLiteral("see", ASSyntax.createAtom(direction), ASSyntax.createAtom("free")));
        }
    }

    @Override
    public void scheduleAction(String agent, Structure action, Object infraData) {
        long[] count = counts.computeIfAbsent(agent, name -> new long[2]);
        if (++count[0] == WARM_UP) {
            count[1] = System.nanoTime();
        }
        getEnvironmentInfraTier().actionExecuted(agent, action, true, infraData);
    }

    @Override
    public void stop() {
        counts.forEach((agent, count) -> System.out.printf("[%s] %d actions a second%n", agent,
                (count[0] - WARM_UP) * 1_000_000_000L / (System.nanoTime() - count[1])));
        super.stop();
    }
}
