package situated.jason;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import situated.Client;
import situated.RemoteEnvironment;
import situated.Server;

/**
 * How many steps a second two walkers in AgentSpeak make in Find the Goals on a local server, and how many actions each
 * of them does in an environment in which nothing happens. Set SITUATED_BINARY to a release build, and run it with
 * {@code mvn -Pbenchmark -pl jason -am verify -DskipTests}.
 */
public final class StepBenchmark {
    private static final int WARM_UP = 10_000;
    private static final int STEPS = 40_000;

    private StepBenchmark() {}

    /** Prints the numbers. */
    public static void main(String[] arguments) throws Exception {
        System.out.println("Find the Goals: " + steps() + " steps a second");
        Path folder = Files.createTempDirectory("situated");
        try (Team team = Team.startWalkers(folder, "situated.jason.EmptyEnvironment", STEPS)) {
            team.finish().output.lines().filter(line -> line.endsWith("actions a second"))
                    .forEach(line -> System.out.println("empty environment: " + line));
        }
    }

    private static long steps() throws Exception {
        Path folder = Files.createTempDirectory("situated");
        try (Server server = Server.serve("find-goals"); Client client = Client.connect(server.address())) {
            RemoteEnvironment environment = client.create("find-goals", Map.of("environment", "steps"));
            try (Team team = Team.startWalkers(folder, server, "steps", STEPS)) {
                team.await("both have come", () -> environment.entities().values().stream().noneMatch(List::isEmpty));
                environment.start();
                team.await("Java has compiled what is used often", () -> step(environment) >= WARM_UP);
                long first = step(environment);
                long begin = System.nanoTime();
                team.await("all steps are made", () -> step(environment) >= STEPS);
                long rate = (STEPS - first) * 1_000_000_000L / (System.nanoTime() - begin);
                if (team.finish().exitCode != 0) {
                    throw new IOException(team.output);
                }
                return rate;
            }
        }
    }

    private static long step(RemoteEnvironment environment) {
        return (Long) ((Map<?, ?>) environment.status().get("moment")).get("step");
    }
}
