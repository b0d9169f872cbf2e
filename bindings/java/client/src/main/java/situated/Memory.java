package situated;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The memory of an agent: its beliefs about each of its entities, and the versions that it has received. The server repeats
 * changes until it knows that they have arrived, so a perception can begin at the version before the known one.
 */
final class Memory {
    private final Map<String, Beliefs> entities = new LinkedHashMap<>();

    /** A version: the numbers of changes and of events so far. */
    private static final class Version {
        final long changes;
        final long events;

        Version(Object json) {
            List<?> pair = Data.list(json);
            if (pair.size() != 2) {
                throw new IllegalArgumentException("a version is a pair of whole numbers");
            }
            changes = Data.whole(pair.get(0));
            events = Data.whole(pair.get(1));
        }

        boolean isBefore(Version other) {
            return changes < other.changes || changes == other.changes && events < other.events;
        }
    }

    /** The beliefs about an entity, and the way back to the version before. */
    private static final class Beliefs {
        final Set<Percept> percepts = new LinkedHashSet<>();
        final Set<Percept> added = new LinkedHashSet<>();
        final Set<Percept> deleted = new LinkedHashSet<>();
        Version since;
        Version version;
    }

    /** Takes what the server says of an entity; returns its new part. */
    Perception take(Map<String, Object> told, Moment moment) {
        List<Percept> add = Terms.percepts(told.get("add"));
        List<Percept> delete = Terms.percepts(told.get("delete"));
        List<Percept> events = Terms.percepts(told.get("events"));
        Version since = new Version(told.get("since"));
        Version version = new Version(told.get("version"));
        Beliefs beliefs = entities.computeIfAbsent(Data.text(told.get("entity")), entity -> new Beliefs());
        long lost = Data.whole(told.get("lost"));
        if (beliefs.version != null) {
            if (version.isBefore(beliefs.version)) {
                return new Perception(moment, none(), none(), none(), 0);
            }
            long heard = Math.max(0, beliefs.version.events - since.events);
            int repeated = (int) Math.min(Math.max(0, heard - lost), events.size());
            events = events.subList(repeated, events.size());
            lost = Math.max(0, lost - heard);
        }
        Revision revision = new Revision(beliefs.percepts);
        if (Data.truth(told.get("resync"))) {
            new ArrayList<>(beliefs.percepts).forEach(revision::delete);
        } else if (beliefs.version != null && since.changes < beliefs.version.changes) {
            beliefs.added.forEach(revision::delete);
            beliefs.deleted.forEach(revision::add);
        }
        beliefs.added.clear();
        beliefs.deleted.clear();
        for (Percept percept : delete) {
            if (revision.delete(percept)) {
                beliefs.deleted.add(percept);
            }
        }
        for (Percept percept : add) {
            if (revision.add(percept) && !beliefs.deleted.remove(percept)) {
                beliefs.added.add(percept);
            }
        }
        beliefs.since = since;
        beliefs.version = version;
        return new Perception(moment, revision.added(), revision.deleted(), events, lost);
    }

    /** Changes of a set, and what they come to together. */
    private static final class Revision {
        private final Set<Percept> percepts;
        private final Set<Percept> touched = new LinkedHashSet<>();
        /** Those of them that were in the set before. */
        private final Set<Percept> held = new LinkedHashSet<>();

        Revision(Set<Percept> percepts) {
            this.percepts = percepts;
        }

        boolean add(Percept percept) {
            boolean isNew = percepts.add(percept);
            if (touched.add(percept) && !isNew) {
                held.add(percept);
            }
            return isNew;
        }

        boolean delete(Percept percept) {
            boolean isGone = percepts.remove(percept);
            if (touched.add(percept) && isGone) {
                held.add(percept);
            }
            return isGone;
        }

        List<Percept> added() {
            List<Percept> added = new ArrayList<>();
            touched.forEach(percept -> {
                if (percepts.contains(percept) && !held.contains(percept)) {
                    added.add(percept);
                }
            });
            return added;
        }

        List<Percept> deleted() {
            List<Percept> deleted = new ArrayList<>();
            held.forEach(percept -> {
                if (!percepts.contains(percept)) {
                    deleted.add(percept);
                }
            });
            return deleted;
        }
    }

    /** Returns the versions that the server may not know to have arrived, by entity. */
    Map<String, List<Long>> unacknowledged() {
        Map<String, List<Long>> versions = new LinkedHashMap<>();
        entities.forEach((entity, known) -> {
            if (known.since.isBefore(known.version)) {
                List<Long> version = new ArrayList<>();
                Collections.addAll(version, known.version.changes, known.version.events);
                versions.put(entity, version);
            }
        });
        return versions;
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
