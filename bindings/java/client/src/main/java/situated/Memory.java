package situated;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The memory of an agent: its beliefs about each of its entities, each with its version. */
final class Memory {
    private final Map<String, Beliefs> entities = new LinkedHashMap<>();

    /** The beliefs about an entity, and their version: the numbers of changes and of events so far. */
    private static final class Beliefs {
        final Set<Percept> percepts = new LinkedHashSet<>();
        long changes;
        long events;
    }

    /**
     * Takes a perception of an entity. One that is not newer than the version of the agent has nothing new for it.
     * Returns null if it begins at another version: the answer to a call with the {@link #known} versions has what is
     * new.
     */
    Perception take(Map<String, Object> told, Moment moment) {
        String entity = Data.text(told.get("entity"));
        long[] since = version(told.get("since"));
        long[] version = version(told.get("version"));
        boolean isAll = Data.truth(told.get("resync"));
        Beliefs beliefs = entities.get(entity);
        if (beliefs == null) {
            beliefs = new Beliefs();
            entities.put(entity, beliefs);
        } else if (version[0] <= beliefs.changes && version[1] <= beliefs.events) {
            return new Perception(moment, none(), none(), none(), 0);
        } else if (since[1] < beliefs.events || !isAll && (since[0] != beliefs.changes || since[1] != beliefs.events)) {
            return null;
        }
        List<Percept> add = Terms.percepts(told.get("add"));
        List<Percept> delete = Terms.percepts(told.get("delete"));
        if (isAll) {
            delete = new ArrayList<>(beliefs.percepts);
            delete.removeAll(new LinkedHashSet<>(add));
            add = new ArrayList<>(add);
            add.removeAll(beliefs.percepts);
        }
        beliefs.percepts.removeAll(delete);
        beliefs.percepts.addAll(add);
        beliefs.changes = version[0];
        beliefs.events = version[1];
        return new Perception(moment, add, delete, Terms.percepts(told.get("events")), Data.whole(told.get("lost")));
    }

    private static long[] version(Object json) {
        List<?> pair = Data.list(json);
        if (pair.size() != 2) {
            throw new IllegalArgumentException("a version is a pair of whole numbers");
        }
        return new long[] {Data.whole(pair.get(0)), Data.whole(pair.get(1))};
    }

    /** Returns the versions that the agent has, as the parameter {@code known} of {@code perceive} takes them. */
    List<Map<String, Object>> known() {
        List<Map<String, Object>> known = new ArrayList<>();
        entities.forEach((entity, beliefs) ->
                known.add(Json.of("entity", entity, "version", Arrays.asList(beliefs.changes, beliefs.events))));
        return known;
    }

    /** Returns the beliefs about an entity. */
    Set<Percept> beliefs(String entity) {
        Beliefs beliefs = entities.get(entity);
        return beliefs == null ? new LinkedHashSet<>() : new LinkedHashSet<>(beliefs.percepts);
    }

    /** Forgets an entity, or all if there is none. */
    void forget(String entity) {
        if (entity == null) {
            entities.clear();
        } else {
            entities.remove(entity);
        }
    }

    private static List<Percept> none() {
        return Collections.emptyList();
    }
}
