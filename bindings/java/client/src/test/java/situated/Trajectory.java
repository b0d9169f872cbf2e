package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.File;
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

/** Trajectories of Find the Goals, as {@code tests/parity} writes them. */
public final class Trajectory {
    private static final List<String> DIRECTIONS =
            Arrays.asList("northWest", "north", "northEast", "west", "east", "southWest", "south", "southEast");
    private static final List<String> SIGHTS = Arrays.asList("free", "wall", "other");

    /** The view of a walker: a digit for each direction. */
    public static final class Sight {
        private final char[] digits = "00000000".toCharArray();

        /** Takes in a percept {@code see(direction, what)}. */
        public void see(String direction, String what) {
            digits[DIRECTIONS.indexOf(direction)] = (char) ('0' + SIGHTS.indexOf(what));
        }

        /** Returns what is in a direction. */
        public String at(String direction) {
            return SIGHTS.get(digits[DIRECTIONS.indexOf(direction)] - '0');
        }

        @Override
        public String toString() {
            return new String(digits);
        }
    }

    /** What happened to a walker, by step; it sees something after the step. */
    private static final class Walker {
        final Map<Integer, String> actions = new HashMap<>();
        final Map<Integer, String> rewards = new HashMap<>();
        final Map<Integer, String> seen = new HashMap<>();
        final Sight sight = new Sight();
    }

    private Trajectory() {}

    /** Returns the trajectory that all ways to the environment must have. */
    public static List<String> expected() throws IOException {
        return Files.readAllLines(new File(Server.root(), "tests/parity/find-goals.jsonl").toPath());
    }

    /** Returns the line of a step. */
    public static String line(String red, String blue, Object reward, String redSees, String blueSees) {
        return String.format("{\"red\":\"%s\",\"blue\":\"%s\",\"reward\":%s,\"redSees\":\"%s\",\"blueSees\":\"%s\"}",
                red, blue, reward, redSees, blueSees);
    }

    /** Returns the steps of a recording: what its agents did, and what they were told. */
    public static List<String> recorded(Path recording, int steps) throws IOException {
        Process export = new ProcessBuilder(Server.binary(), "export", recording.toString(), "--format", "csv").start();
        Map<String, Walker> walkers = new HashMap<>();
        walkers.put("red", new Walker());
        walkers.put("blue", new Walker());
        try (BufferedReader rows =
                new BufferedReader(new InputStreamReader(export.getInputStream(), StandardCharsets.UTF_8))) {
            for (String row = rows.readLine(); row != null; row = rows.readLine()) {
                // episode, step, time, kind, agent, entity, name, arguments (in quotes if there are several)
                String[] cells = row.replace("\"", "").split(",", -1);
                Walker walker = walkers.get(cells[5]);
                if (walker != null) {
                    take(walker, Integer.parseInt(cells[1]), cells);
                }
            }
        }
        Walker red = walkers.get("red");
        Walker blue = walkers.get("blue");
        assertEquals(steps, red.actions.size(), "the number of steps");
        List<String> lines = new ArrayList<>();
        for (int step = 0; step < steps; step++) {
            lines.add(line(red.actions.get(step), blue.actions.get(step), red.rewards.get(step + 1), red.seen.get(step + 1),
                    blue.seen.get(step + 1)));
        }
        return lines;
    }

    private static void take(Walker walker, int step, String[] cells) {
        switch (cells[3]) {
            case "act":
                walker.actions.put(step, cells[6]);
                break;
            case "event":
                walker.rewards.put(step, cells[7]);
                walker.seen.put(step, walker.sight.toString());
                break;
            case "add":
                walker.sight.see(cells[7], cells[8]);
                walker.seen.put(step, walker.sight.toString());
                break;
            default:
                break;
        }
    }
}
