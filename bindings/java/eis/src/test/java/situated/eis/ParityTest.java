package situated.eis;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import eis.EnvironmentInterfaceStandard;
import eis.PerceptUpdate;
import eis.iilang.Action;
import eis.iilang.Identifier;
import eis.iilang.Numeral;
import eis.iilang.Percept;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import situated.Client;
import situated.Perception;
import situated.RemoteAgent;
import situated.Server;
import situated.Trajectory;
import situated.Trajectory.Sight;

/**
 * The policy of tests/parity has the same trajectory through EIS, through the client, and in the recording of the
 * server.
 */
class ParityTest {
    private static final int STEPS = 1000;
    private static final List<String> WALKERS = List.of("red", "blue");

    @TempDir
    private Path folder;

    /** A walker with the policy of tests/parity. */
    private static final class Walker {
        private final String name;
        private final Sight sight = new Sight();
        /** For how many steps the walker has waited in its alcove. */
        private int waited;

        Walker(String name) {
            this.name = name;
        }

        String decide() {
            boolean isRed = name.equals("red");
            if (sight.at("west").equals("wall") && sight.at("east").equals("wall")) {
                boolean hasPassed = sight.at(isRed ? "northWest" : "northEast").equals("other");
                boolean goes = hasPassed || isRed && waited == 0;
                waited = goes ? 0 : (waited + 1) % 16;
                return goes ? "up" : "wait";
            }
            waited = 1;
            boolean meets = sight.at(isRed ? "east" : "west").equals("other");
            if (meets && sight.at("south").equals("free")) {
                return "down";
            }
            return isRed && !meets ? "right" : "left";
        }

        /** Plays; returns its steps. */
        List<Step> play(Way way) throws Exception {
            way.step(name, null, sight);
            List<Step> steps = new ArrayList<>();
            for (int i = 0; i < STEPS; i++) {
                String action = decide();
                long reward = way.step(name, action, sight);
                steps.add(new Step(action, reward, sight.toString()));
            }
            return steps;
        }
    }

    /** A step of a walker, and what it sees after it. */
    private record Step(String action, long reward, String sees) {}

    /** A way to the environment. */
    private interface Way {
        /** Lets a walker act, or only look if there is no action. Takes in what it sees, and returns its reward. */
        long step(String walker, String action, Sight sight) throws Exception;
    }

    /** Lets both walkers play; returns the trajectory. */
    private static List<String> play(Way way) throws Exception {
        List<CompletableFuture<List<Step>>> walkers = new ArrayList<>();
        for (String walker : WALKERS) {
            walkers.add(CompletableFuture.supplyAsync(() -> assertDoesNotThrow(() -> new Walker(walker).play(way))));
        }
        List<Step> red = walkers.get(0).get(50, TimeUnit.SECONDS);
        List<Step> blue = walkers.get(1).get(50, TimeUnit.SECONDS);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            Step one = red.get(i);
            Step other = blue.get(i);
            assertEquals(one.reward(), other.reward(), "the reward is that of the team");
            lines.add(Trajectory.line(one.action(), other.action(), one.reward(), one.sees(), other.sees()));
        }
        return lines;
    }

    private static List<String> throughEis(Server server) throws Exception {
        EnvironmentInterfaceStandard environment = Platform.open(server, "find-goals");
        for (String walker : WALKERS) {
            Platform.join(environment, walker, walker);
        }
        List<String> trajectory = play((walker, action, sight) -> {
            if (action != null) {
                environment.performAction(walker, new Action(action));
            }
            return look(sight, environment.getPercepts(walker).get(walker));
        });
        environment.kill();
        return trajectory;
    }

    /** Takes percepts in; returns the reward among them. */
    private static long look(Sight sight, PerceptUpdate update) {
        long reward = 0;
        for (Percept percept : update.getAddList()) {
            if (percept.getName().equals("see")) {
                sight.see(text(percept, 0), text(percept, 1));
            } else if (percept.getName().equals("reward")) {
                reward += ((Numeral) percept.getParameters().get(0)).getValue().longValue();
            }
        }
        return reward;
    }

    private static String text(Percept percept, int place) {
        return ((Identifier) percept.getParameters().get(place)).getValue();
    }

    private static List<String> throughTheClient(Server server) throws Exception {
        try (Client client = Client.connect(server.address())) {
            Map<String, RemoteAgent> agents = new HashMap<>();
            for (String walker : WALKERS) {
                agents.put(walker, client.environment("find-goals").register(walker));
                agents.get(walker).associate(walker);
            }
            return play((walker, action, sight) -> {
                RemoteAgent agent = agents.get(walker);
                Perception seen = (action == null ? agent.perceive() : agent.step(action).perceptions()).get(walker);
                seen.add().forEach(percept -> see(sight, percept));
                return seen.events().stream()
                        .mapToLong(event -> ((situated.Numeral) event.parameters().get(0)).longValue()).sum();
            });
        }
    }

    private static void see(Sight sight, situated.Percept percept) {
        List<situated.Parameter> parameters = percept.parameters();
        sight.see(((situated.Identifier) parameters.get(0)).value(), ((situated.Identifier) parameters.get(1)).value());
    }

    /** Returns the trajectory in the recording of a server, which has ended. */
    private static List<String> recorded(Path recordings) throws IOException {
        try (Stream<Path> files = Files.walk(recordings)) {
            return Trajectory.recorded(files.filter(Files::isRegularFile).findFirst().orElseThrow(), STEPS);
        }
    }

    @Test
    void a_policy_has_the_same_trajectory_in_every_way() throws Exception {
        List<String> throughEis;
        Path recordings = folder.resolve("recordings");
        try (Server server = Server.serve("find-goals", "--record", recordings.toString())) {
            throughEis = throughEis(server);
            server.stop();
        }
        List<String> throughTheClient;
        try (Server server = Server.serve("find-goals")) {
            throughTheClient = throughTheClient(server);
        }
        assertEquals(throughTheClient, throughEis);
        assertEquals(recorded(recordings), throughEis);
        assertEquals(Trajectory.expected(), throughEis);
    }
}
