package situated.eis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import eis.EnvironmentInterfaceStandard;
import eis.PerceptUpdate;
import eis.iilang.Action;
import eis.iilang.Identifier;
import eis.iilang.Numeral;
import eis.iilang.Percept;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import situated.Acted;
import situated.Client;
import situated.RemoteAgent;
import situated.Server;
import situated.Trajectory;

/** The policy of tests/parity has the same trajectory through EIS, through the client, and in the recording of the server. */
class ParityTest {
    private static final int STEPS = 1000;
    private static final List<String> DIRECTIONS = Arrays.asList(
            "northWest", "north", "northEast", "west", "east", "southWest", "south", "southEast");
    private static final List<String> WALKERS = Arrays.asList("red", "blue");

    @TempDir
    private Path folder;

    /** The view of a walker: a letter for each direction, {@code f}, {@code w} or {@code o}. */
    private static final class Sight {
        private final Map<String, String> contents = new HashMap<>();
        /** For how many steps the walker has waited in its alcove. */
        private int waited;

        void see(String direction, String what) {
            contents.put(direction, what);
        }

        String at(String direction) {
            return contents.get(direction);
        }

        @Override
        public String toString() {
            StringBuilder digits = new StringBuilder();
            DIRECTIONS.forEach(direction -> digits.append("fwo".indexOf(contents.get(direction).charAt(0))));
            return digits.toString();
        }
    }

    /** The policy of tests/parity. */
    private static String decide(String walker, Sight sight) {
        boolean isRed = walker.equals("red");
        if (sight.at("west").equals("wall") && sight.at("east").equals("wall")) {
            boolean hasPassed = sight.at(isRed ? "northWest" : "northEast").equals("other");
            boolean goes = hasPassed || isRed && sight.waited == 0;
            sight.waited = goes ? 0 : (sight.waited + 1) % 16;
            return goes ? "up" : "wait";
        }
        sight.waited = 1;
        boolean meets = sight.at(isRed ? "east" : "west").equals("other");
        if (meets && sight.at("south").equals("free")) {
            return "down";
        }
        return isRed && !meets ? "right" : "left";
    }

    /** Returns the lines of a trajectory. */
    private static List<String> trajectory(List<List<String>> actions, List<Long> rewards, List<List<String>> sights) {
        List<String> lines = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            lines.add(String.format("{\"red\":\"%s\",\"blue\":\"%s\",\"reward\":%d,\"redSees\":\"%s\",\"blueSees\":\"%s\"}",
                    actions.get(0).get(step), actions.get(1).get(step), rewards.get(step), sights.get(0).get(step),
                    sights.get(1).get(step)));
        }
        return lines;
    }

    /** Plays a walker; returns its actions, its rewards and its sights. */
    private interface Playing {
        List<List<String>> play(String walker) throws Exception;
    }

    private static List<String> play(Playing playing) throws Exception {
        List<CompletableFuture<List<List<String>>>> walkers = new ArrayList<>();
        for (String walker : WALKERS) {
            walkers.add(CompletableFuture.supplyAsync(() -> {
                try {
                    return playing.play(walker);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        List<List<String>> red = walkers.get(0).get(50, TimeUnit.SECONDS);
        List<List<String>> blue = walkers.get(1).get(50, TimeUnit.SECONDS);
        assertEquals(red.get(1), blue.get(1), "the reward is that of the team");
        List<Long> rewards = new ArrayList<>();
        red.get(1).forEach(reward -> rewards.add(Long.valueOf(reward)));
        return trajectory(Arrays.asList(red.get(0), blue.get(0)), rewards, Arrays.asList(red.get(2), blue.get(2)));
    }

    private static List<List<String>> lists() {
        return Arrays.asList(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    private static List<String> throughEis(Server server) throws Exception {
        EnvironmentInterfaceStandard environment = Platform.open(server, "find-goals");
        for (String walker : WALKERS) {
            environment.registerAgent(walker);
            environment.associateEntity(walker, walker);
        }
        List<String> trajectory = play(walker -> {
            List<List<String>> played = lists();
            Sight sight = new Sight();
            look(sight, environment.getPercepts(walker).get(walker));
            for (int step = 0; step < STEPS; step++) {
                String action = decide(walker, sight);
                environment.performAction(walker, new Action(action));
                long reward = look(sight, environment.getPercepts(walker).get(walker));
                played.get(0).add(action);
                played.get(1).add(String.valueOf(reward));
                played.get(2).add(sight.toString());
            }
            return played;
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
            return play(walker -> {
                List<List<String>> played = lists();
                Sight sight = new Sight();
                RemoteAgent agent = agents.get(walker);
                agent.perceive().get(walker).add().forEach(percept -> see(sight, percept));
                for (int step = 0; step < STEPS; step++) {
                    String action = decide(walker, sight);
                    Acted acted = agent.step(action);
                    acted.perceptions().get(walker).add().forEach(percept -> see(sight, percept));
                    long reward = acted.perceptions().get(walker).events().stream()
                            .mapToLong(event -> ((situated.Numeral) event.parameters().get(0)).longValue()).sum();
                    played.get(0).add(action);
                    played.get(1).add(String.valueOf(reward));
                    played.get(2).add(sight.toString());
                }
                return played;
            });
        }
    }

    private static void see(Sight sight, situated.Percept percept) {
        List<situated.Parameter> parameters = percept.parameters();
        sight.see(((situated.Identifier) parameters.get(0)).value(), ((situated.Identifier) parameters.get(1)).value());
    }

    /** Returns the trajectory in the recording of a server, which has ended. */
    private List<String> recorded(Path recordings) throws IOException {
        Path recording;
        try (java.util.stream.Stream<Path> files = Files.walk(recordings)) {
            recording = files.filter(Files::isRegularFile).findFirst().orElseThrow(IOException::new);
        }
        Process export = new ProcessBuilder(Server.binary(), "export", recording.toString(), "--format", "csv")
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<List<String>> actions = Arrays.asList(new ArrayList<>(), new ArrayList<>());
        List<List<String>> sights = Arrays.asList(new ArrayList<>(), new ArrayList<>());
        List<Long> rewards = new ArrayList<>();
        List<Sight> seen = Arrays.asList(new Sight(), new Sight());
        long reward = 0;
        int steps = 0;
        try (BufferedReader rows = new BufferedReader(new InputStreamReader(export.getInputStream(), StandardCharsets.UTF_8))) {
            for (String row = rows.readLine(); row != null; row = rows.readLine()) {
                String[] cells = row.replace("\"", "").split(",");
                int walker = cells.length > 5 ? WALKERS.indexOf(cells[5]) : -1;
                if (cells[3].equals("input") && cells[6].equals("step")) {
                    // The rows until the next step say what follows from this one. Events come again until the agent has
                    // acknowledged them, so that the last one counts.
                    if (++steps > 1) {
                        rewards.add(reward);
                        sights.get(0).add(seen.get(0).toString());
                        sights.get(1).add(seen.get(1).toString());
                    }
                } else if (cells[3].equals("act")) {
                    actions.get(walker).add(cells[6]);
                } else if (cells[3].equals("add") && cells[6].equals("see")) {
                    seen.get(walker).see(cells[7], cells[8]);
                } else if (cells[3].equals("event") && cells[6].equals("reward") && walker == 0) {
                    reward = Long.parseLong(cells[7]);
                }
            }
        }
        rewards.add(reward);
        sights.get(0).add(seen.get(0).toString());
        sights.get(1).add(seen.get(1).toString());
        assertEquals(STEPS, steps);
        return trajectory(actions, rewards, sights);
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
