package situated;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The result of an action or a step. */
public final class Acted {
    private final Moment moment;
    private final Map<String, List<Percept>> found = new LinkedHashMap<>();
    private final Map<String, SituatedException.Refused> errors = new LinkedHashMap<>();
    private final Map<String, Perception> perceptions;

    Acted(Moment moment, Object results, Map<String, Perception> perceptions) {
        this.moment = moment;
        this.perceptions = Collections.unmodifiableMap(perceptions);
        for (Object one : Data.list(results)) {
            Map<String, Object> result = Data.object(one);
            String entity = Data.text(result.get("entity"));
            if (result.get("error") == null) {
                found.put(entity, Collections.unmodifiableList(Terms.percepts(result.get("percepts"))));
            } else {
                errors.put(entity, SituatedException.Refused.read(result.get("error")));
            }
        }
    }

    /** Returns this if the action was done for all entities. */
    Acted check() {
        if (!errors.isEmpty()) {
            throw new SituatedException.NotDone(errors.values().iterator().next(), this);
        }
        return this;
    }

    /**
     * Returns the moment after the action.
     *
     * @return the moment
     */
    public Moment moment() {
        return moment;
    }

    /**
     * Returns the percepts that the action itself returned, by entity (active sensing).
     *
     * @return the percepts; in a step, entities without any may be left out
     */
    public Map<String, List<Percept>> found() {
        return Collections.unmodifiableMap(found);
    }

    /**
     * Returns the errors, by entity.
     *
     * @return the errors; empty if the action was done
     */
    public Map<String, SituatedException.Refused> errors() {
        return Collections.unmodifiableMap(errors);
    }

    /**
     * Returns the perceptions of a step, by entity.
     *
     * @return the perceptions; empty for an action without a step
     */
    public Map<String, Perception> perceptions() {
        return perceptions;
    }
}
