package situated.eis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import situated.Json;

/**
 * The entity types, percepts and actions that were seen. EIS declares none of them, so that each new one is an addition
 * to the ontology, with parameters of any type, unless a file declares it.
 */
final class Learned {
    private final Set<String> known = new HashSet<>();
    /** The kinds of percepts that were polled. {@link #known} contains those of events as well. */
    private final Set<String> states = new HashSet<>();
    /**
     * The declared action of each {@link #key}, which an ontology must not declare differently for another entity type.
     */
    private final Map<String, Map<?, ?>> actions = new HashMap<>();
    /** The additions that were not reported yet, by entity type. */
    private Map<String, Map<String, Object>> news = new LinkedHashMap<>();

    /** Begins with the ontology of a file, whose declarations would contradict what is learned. */
    void declare(Map<?, ?> ontology) {
        for (Map<?, ?> type : each(ontology, "entityTypes")) {
            String name = (String) type.get("name");
            known.add(name);
            each(type, "percepts").forEach(percept -> keys(percept).forEach(key -> known.add(name + " perceives " + key)));
            each(type, "actions").forEach(action -> declareAction(name, action));
        }
    }

    private void declareAction(String type, Map<?, ?> action) {
        for (String key : keys(action)) {
            known.add(type + " does " + key);
            actions.put(key, action);
        }
    }

    private static List<String> keys(Map<?, ?> signature) {
        List<Map<?, ?>> fields = each(signature, "parameters");
        int most = fields.size();
        long optional = fields.stream().filter(field -> Boolean.TRUE.equals(field.get("optional"))).count();
        List<String> keys = new ArrayList<>();
        for (long count = most - optional; count <= most; count++) {
            keys.add(signature.get("name") + "/" + count);
        }
        return keys;
    }

    /** Returns the objects of a list, which may be left out if it is empty. */
    private static List<Map<?, ?>> each(Map<?, ?> of, String name) {
        List<Map<?, ?>> all = new ArrayList<>();
        if (of.get(name) != null) {
            ((List<?>) of.get(name)).forEach(one -> all.add((Map<?, ?>) one));
        }
        return all;
    }

    void seeType(String type) {
        if (known.add(type)) {
            of(type);
        }
    }

    void seePercepts(String type, Collection<situated.Percept> percepts, boolean isEvent) {
        for (situated.Percept percept : percepts) {
            String kind = type + " perceives " + key(percept);
            if (!isEvent) {
                states.add(kind);
            }
            if (known.add(kind)) {
                Map<String, Object> signature = signature(percept, "Seen in the environment.");
                signature.put("delivery", isEvent ? "event" : "onChangeWithNegation");
                add(type, "percepts", signature);
            }
        }
    }

    /** Returns whether a percept was seen as a state, so that it is no event. */
    boolean isState(String type, situated.Percept percept) {
        return states.contains(type + " perceives " + key(percept));
    }

    /** Notes an action that was done. */
    void seeAction(String type, situated.Action action) {
        if (!known.contains(type + " does " + key(action))) {
            Map<?, ?> declared = actions.get(key(action));
            Map<?, ?> signature = declared != null ? declared : signature(action, "Done in the environment.");
            declareAction(type, signature);
            add(type, "actions", signature);
        }
    }

    private static String key(situated.Term term) {
        return term.name() + "/" + term.parameters().size();
    }

    private static Map<String, Object> signature(situated.Term term, String documentation) {
        List<Object> fields = new ArrayList<>();
        for (int i = 1; i <= term.parameters().size(); i++) {
            fields.add(Json.of("name", "parameter" + i, "documentation", "", "type", "any"));
        }
        return Json.of("name", term.name(), "documentation", documentation, "parameters", fields);
    }

    @SuppressWarnings("unchecked") // The lists were made here.
    private void add(String type, String where, Map<?, ?> signature) {
        ((List<Object>) of(type).get(where)).add(signature);
    }

    private Map<String, Object> of(String type) {
        return news.computeIfAbsent(type, name -> Json.of("name", name, "documentation", "Seen in the environment.",
                "actions", new ArrayList<>(), "percepts", new ArrayList<>()));
    }

    /** Returns the addition to the ontology since the last one, or null. */
    Object takeNews() {
        if (news.isEmpty()) {
            return null;
        }
        Object addition = Json.of("entityTypes", new ArrayList<>(news.values()));
        news = new LinkedHashMap<>();
        return addition;
    }
}
