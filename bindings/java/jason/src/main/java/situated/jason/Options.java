package situated.jason;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import situated.Connect;

/** The arguments of {@link SituatedEnvironment} in a {@code .mas2j}. */
final class Options {
    private static final String USAGE = "write it as situated.jason.SituatedEnvironment(\"tcp://HOST:PORT\", "
            + "\"ENVIRONMENT\", OPTIONS...), with the options \"token=TOKEN\", \"entity AGENT=ENTITY,...\", "
            + "\"type AGENT=TYPE\", \"percepts=NAME,...\", \"percepts AGENT=NAME,...\", \"interval=MILLISECONDS\" and "
            + "\"patience=SECONDS\"; * in AGENT stands for any text";

    /** An address, or a command that starts a server. */
    final String server;
    final String environment;
    /** The entities for agents without a rule; null for all that are free. */
    private final List<String> entities;
    String token;
    /** For how long to try to reconnect. */
    long patienceMs = Connect.PATIENCE_MS;
    /** The minimum time between two changes for which an agent wakes. */
    int intervalMs = 10;
    private final List<Rule> rules = new ArrayList<>();
    /** The names of the percepts that agents without a filter get; empty for all. */
    private final Set<String> percepts = new HashSet<>();
    private final List<Filter> filters = new ArrayList<>();

    /** Which entities an agent gets. */
    record Rule(Pattern agent, List<String> entities, String type) {}

    /** The names of the percepts that an agent gets. */
    private record Filter(Pattern agent, Set<String> percepts) {}

    /** Reads arguments. The variables of a team file, if it has started this program, count more. */
    Options(String[] arguments, Map<String, String> variables) {
        List<String> given = Arrays.asList(arguments);
        server = variables.getOrDefault("SITUATED_URL", given.isEmpty() ? null : given.get(0));
        environment = variables.getOrDefault("SITUATED_ENVIRONMENT", given.size() < 2 ? null : given.get(1));
        if (server == null || environment == null) {
            throw new IllegalArgumentException("the server and the environment are missing; " + USAGE);
        }
        given.stream().skip(2).forEach(this::add);
        token = variables.getOrDefault("SITUATED_TOKEN", token);
        entities = variables.containsKey("SITUATED_ENTITY") ? names(variables.get("SITUATED_ENTITY")) : null;
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
        } else if (sides.length == 2 && words.length == 2 && words[0].equals("percepts")) {
            filters.add(new Filter(pattern(words[1]), new HashSet<>(names(sides[1]))));
        } else if (sides.length == 2 && words.length == 2 && words[0].equals("entity")) {
            rules.add(new Rule(pattern(words[1]), names(sides[1]), null));
        } else if (sides.length == 2 && words.length == 2 && words[0].equals("type")) {
            rules.add(new Rule(pattern(words[1]), List.of(), sides[1].trim()));
        } else {
            throw new IllegalArgumentException("unknown option `" + argument + "`; " + USAGE);
        }
    }

    /** Checks the names of percepts against the ontology of the environment, unless that is open. */
    void check(Map<String, Object> described) {
        Map<?, ?> ontology = (Map<?, ?>) described.get("ontology");
        Set<String> declared = new TreeSet<>();
        for (Object entityType : (List<?>) ontology.get("entityTypes")) {
            for (Object signature : (List<?>) ((Map<?, ?>) entityType).get("percepts")) {
                declared.add((String) ((Map<?, ?>) signature).get("name"));
            }
        }
        Set<String> unknown = new TreeSet<>(percepts);
        filters.forEach(filter -> unknown.addAll(filter.percepts()));
        unknown.removeAll(declared);
        if (!unknown.isEmpty() && !Boolean.TRUE.equals(ontology.get("open"))) {
            throw new IllegalArgumentException("the option `percepts` names `" + String.join("`, `", unknown) + "`, and "
                    + environment + " has no such percept; it has " + String.join(", ", declared));
        }
    }

    private static List<String> names(String text) {
        return Arrays.stream(text.split(",")).map(String::trim).toList();
    }

    private static Pattern pattern(String text) {
        return Pattern.compile(Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }

    /** Returns whether an agent without a rule may get an entity. */
    boolean offers(String entity) {
        return entities == null || entities.contains(entity);
    }

    /** Returns the first rule for an agent, or null. */
    Rule rule(String agent) {
        return rules.stream().filter(rule -> rule.agent().matcher(agent).matches()).findFirst().orElse(null);
    }

    /** Returns the names of the percepts that an agent gets; empty for all. */
    Set<String> percepts(String agent) {
        return filters.stream().filter(filter -> filter.agent().matcher(agent).matches()).findFirst()
                .map(Filter::percepts).orElse(percepts);
    }
}
