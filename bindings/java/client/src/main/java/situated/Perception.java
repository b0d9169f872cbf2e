package situated;

import java.util.Collections;
import java.util.List;

/**
 * The percepts of an entity that have begun and ceased to hold since its agent last perceived it, and the events since
 * then. A percept that held before and still holds is in neither list, also at the beginning of an episode.
 */
public final class Perception {
    private final Moment moment;
    private final List<Percept> add;
    private final List<Percept> delete;
    private final List<Percept> events;
    private final long lost;

    Perception(Moment moment, List<Percept> add, List<Percept> delete, List<Percept> events, long lost) {
        this.moment = moment;
        this.add = Collections.unmodifiableList(add);
        this.delete = Collections.unmodifiableList(delete);
        this.events = Collections.unmodifiableList(events);
        this.lost = lost;
    }

    /**
     * Returns the moment of the perception.
     *
     * @return the moment
     */
    public Moment moment() {
        return moment;
    }

    /**
     * Returns the percepts that hold now and did not hold before.
     *
     * @return the percepts to add to the beliefs, each once
     */
    public List<Percept> add() {
        return add;
    }

    /**
     * Returns the percepts that held before and do not hold now.
     *
     * @return the percepts to delete from the beliefs, each once
     */
    public List<Percept> delete() {
        return delete;
    }

    /**
     * Returns the events, in order. Each event comes once.
     *
     * @return the events
     */
    public List<Percept> events() {
        return events;
    }

    /**
     * Returns the number of events before these that were lost, since the agent was more than 1,024 of them behind.
     *
     * @return the number
     */
    public long lost() {
        return lost;
    }

    /**
     * Returns whether nothing has changed or happened.
     *
     * @return whether all lists are empty
     */
    public boolean isEmpty() {
        return add.isEmpty() && delete.isEmpty() && events.isEmpty() && lost == 0;
    }
}
