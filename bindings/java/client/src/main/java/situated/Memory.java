package situated;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The memory of an agent: its beliefs about each of its entities, and the versions that it has received. The server
 * repeats changes until it knows that they have arrived, so a perception can begin at any version since the last one
 * that it knows of.
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

    /** The beliefs about an entity, and the way back to versions that the server may still begin at. */
    private static final class Beliefs {
        final Set<Percept> percepts = new LinkedHashSet<>();
        final Deque<Change> changes = new ArrayDeque<>();
        Version since;
        Version version;
    }

    /** A change of beliefs, from a version to the next one that came. */
    private static final class Change {
        final long since;
        final List<Percept> added;
        final List<Percept> deleted;

        Change(long since, List<Percept> added, List<Percept> deleted) {
            this.since = since;
            this.added = added;
            this.deleted = deleted;
        }
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
        } else {
            Iterator<Change> back = beliefs.changes.descendingIterator();
            while (back.hasNext()) {
                Change change = back.next();
                if (change.since < since.changes) {
                    break;
                }
                change.added.forEach(revision::delete);
                change.deleted.forEach(revision::add);
            }
        }
        delete.forEach(revision::delete);
        add.forEach(revision::add);
        List<Percept> added = revision.added();
        List<Percept> deleted = revision.deleted();
        while (!beliefs.changes.isEmpty() && beliefs.changes.getFirst().since < since.changes) {
            beliefs.changes.removeFirst();
        }
        long known = beliefs.version == null ? since.changes : beliefs.version.changes;
        if (version.changes > known) {
            beliefs.changes.addLast(new Change(known, added, deleted));
        }
        beliefs.since = since;
        beliefs.version = version;
        return new Perception(moment, added, deleted, events, lost);
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

        void add(Percept percept) {
            boolean isNew = percepts.add(percept);
            if (touched.add(percept) && !isNew) {
                held.add(percept);
            }
        }

        void delete(Percept percept) {
            boolean isGone = percepts.remove(percept);
            if (touched.add(percept) && isGone) {
                held.add(percept);
            }
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
