package situated.eis;

import eis.iilang.Percept;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import situated.Perception;

/**
 * The changes of the percepts of an entity that a platform has not fetched yet for an agent. Changes that cancel out
 * are dropped. EIS has no events: an event is added by one fetch and deleted by the next.
 */
final class Changes {
    private static final int MOST_EVENTS = 1024;

    private final Set<situated.Percept> add = new LinkedHashSet<>();
    private final Set<situated.Percept> delete = new LinkedHashSet<>();
    private final Deque<situated.Percept> events = new ArrayDeque<>();
    /** The events of the last fetch. */
    private List<Percept> past = Collections.emptyList();
    /** Whether the agent has perceived at all, so that what comes is complete. */
    private boolean isBegun;

    /** Percepts to add to, and to delete from, the beliefs of an agent. */
    static final class Fetched {
        static final Fetched NOTHING = new Fetched(Collections.emptyList(), Collections.emptyList());

        final List<Percept> add;
        final List<Percept> delete;

        Fetched(List<Percept> add, List<Percept> delete) {
            this.add = add;
            this.delete = delete;
        }
    }

    boolean isBegun() {
        return isBegun;
    }

    void begin() {
        isBegun = true;
    }

    void note(Perception perception) {
        perception.delete().forEach(percept -> {
            if (!add.remove(percept)) {
                delete.add(percept);
            }
        });
        perception.add().forEach(percept -> {
            if (!delete.remove(percept)) {
                add.add(percept);
            }
        });
        perception.events().forEach(this::noteEvent);
    }

    /** Notes an event. Beyond a limit, the oldest ones are dropped. */
    void noteEvent(situated.Percept event) {
        if (events.size() == MOST_EVENTS) {
            events.remove();
        }
        events.add(event);
    }

    Fetched fetch() {
        if (add.isEmpty() && delete.isEmpty() && events.isEmpty() && past.isEmpty()) {
            return Fetched.NOTHING;
        }
        List<Percept> happened = Iil.percepts(events);
        List<Percept> added = Iil.percepts(add);
        added.addAll(happened);
        List<Percept> deleted = new ArrayList<>(past);
        deleted.addAll(Iil.percepts(delete));
        past = happened;
        add.clear();
        delete.clear();
        events.clear();
        return new Fetched(added, deleted);
    }
}
