package situated.jason;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import situated.Connect;

/** The arguments of {@link SituatedEnvironment} in a {@code .mas2j}. */
final class Options {
    private static final String USAGE = "write it as situated.jason.SituatedEnvironment(\"tcp://HOST:PORT\", "
            + "\"ENVIRONMENT\", OPTIONS...), with the options \"token=TOKEN\", \"entity AGENT=ENTITY,...\", "
            + "\"type AGENT=TYPE\", \"percepts=NAME,...\", \"interval=MILLISECONDS\" and \"patience=SECONDS\"; * in AGENT "
            + "stands for any text";

    /** An address, or a command that starts a server. */
    final String server;
    final String environment;
    private String token;
    private long patienceMs = Connect.PATIENCE_MS;
    private int intervalMs;
    private final List<Rule> rules = new ArrayList<>();
    /** The names of the percepts that agents get; empty for all. */
    private final Set<String> percepts = new HashSet<>();

    /** Which entities an agent gets. */
    record Rule(Pattern agent, List<String> entities, String type) {}

    Options(String[] arguments) {
        if (arguments.length < 2) {
            throw new IllegalArgumentException("the server and the environment are missing; " + USAGE);
        }
        server = arguments[0];
        environment = arguments[1];
        for (String argument : Arrays.asList(arguments).subList(2, arguments.length)) {
            add(argument);
        }
    }

    private void add(String argument) {
        String[] sides = argument.split("=", 2);
        String[] words = sides[0].trim().split("\\s+");
        if (sides.length == 2 && words.length == 1 && words[0].equals("token")) {
            token = sides[1].trim();
        } else if (sides.length == 2 && words.length == 1 && words[0].equals("patience") && sides[1].matches("[0-9]{1,9}")) {
            patienceMs = 1000 * Long.parseLong(sides[1]);
        } else if (sides.length == 2 && words.length == 1 && words[0].equals("interval") && sides[1].matches("[0-9]{1,9}")) {
            intervalMs = Integer.parseInt(sides[1]);
        } else if (sides.length == 2 && words.length == 1 && words[0].equals("percepts")) {
            percepts.addAll(names(sides[1]));
        } else if (sides.length == 2 && words.length == 2 && words[0].equals("entity")) {
            rules.add(new Rule(pattern(words[1]), names(sides[1]), null));
        } else if (sides.length == 2 && words.length == 2 && words[0].equals("type")) {
            rules.add(new Rule(pattern(words[1]), List.of(), sides[1].trim()));
        } else {
            throw new IllegalArgumentException("unknown option `" + argument + "`; " + USAGE);
        }
    }

    private static List<String> names(String text) {
        return Arrays.stream(text.split(",")).map(String::trim).toList();
    }

    private static Pattern pattern(String text) {
        return Pattern.compile(Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }

    String token() {
        return token;
    }

    /** Returns for how long to try to reconnect. */
    long patienceMs() {
        return patienceMs;
    }

    /** Returns the names of the percepts that agents get; empty for all. */
    Set<String> percepts() {
        return percepts;
    }

    /** Returns the minimum time between two changes for which an agent wakes. */
    int intervalMs() {
        return intervalMs;
    }

    /** Returns the first rule for an agent, or null. */
    Rule rule(String agent) {
        return rules.stream().filter(rule -> rule.agent().matcher(agent).matches()).findFirst().orElse(null);
    }

    boolean isWanted(String percept) {
        return percepts.isEmpty() || percepts.contains(percept);
    }
}
