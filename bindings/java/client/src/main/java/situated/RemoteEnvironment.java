package situated;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An environment on a server. What the protocol returns as objects (status, ontology, scene) are maps with the keys
 * that its reference describes.
 */
public final class RemoteEnvironment {
    private final Client client;
    private final String name;

    RemoteEnvironment(Client client, String name) {
        this.client = client;
        this.name = name;
    }

    /**
     * Returns the name of the environment.
     *
     * @return the name on this server
     */
    public String name() {
        return name;
    }

    /**
     * Returns the ontology and the status of the environment, and its parameters to observers.
     *
     * @return {@code status}, {@code ontology} and {@code parameters}
     */
    public Map<String, Object> describe() {
        return call("describe");
    }

    /**
     * Returns the status of the environment.
     *
     * @return such as {@code state}, {@code moment} and {@code pace}
     */
    public Map<String, Object> status() {
        return Data.object(call("status").get("status"));
    }

    /**
     * Returns whether the episode is over, and its results so far.
     *
     * @return {@code results}, and {@code ending} if the episode is over; null if there is no episode
     */
    public Map<String, Object> outcome() {
        Object outcome = call("outcome").get("outcome");
        return outcome == null ? null : Data.object(outcome);
    }

    /**
     * Returns the entities of the environment with their agents.
     *
     * @return the agents of each entity, by name, in order of creation; a free entity has none
     */
    public Map<String, List<String>> entities() {
        Map<String, List<String>> entities = new LinkedHashMap<>();
        for (Object one : Data.list(call("listEntities").get("entities"))) {
            Map<String, Object> entity = Data.object(one);
            List<String> agents = new ArrayList<>();
            Data.list(entity.get("agents")).forEach(agent -> agents.add(Data.text(agent)));
            entities.put(Data.text(entity.get("entity")), agents);
        }
        return entities;
    }

    /**
     * Registers an agent.
     *
     * @param agent its name, which nobody else in this environment has
     * @return the agent
     */
    public RemoteAgent register(String agent) {
        try {
            Object address = call("register", "agent", agent).get("address");
            return new RemoteAgent(client, name, agent, address == null ? agent : Data.text(address));
        } catch (SituatedException.Uncertain e) {
            // Nobody would have the agent, and its name would be taken.
            client.callAsync("unregister", Json.of("environment", name, "agent", agent));
            throw e;
        }
    }

    /**
     * Begins the first episode, paused. Needs the right to manage, like the other methods of management.
     *
     * @param parameters the parameters of the episode; those left out have their defaults
     * @param seed its seed
     */
    public void init(Map<String, ?> parameters, long seed) {
        manage(Json.of("init", Json.of("parameters", parameters, "seed", seed)));
    }

    /** Lets time run. */
    public void start() {
        manage("start");
    }

    /** Stops time. */
    public void pause() {
        manage("pause");
    }

    /** Begins a new episode with the parameters of the last one, paused. */
    public void reset() {
        manage(Collections.singletonMap("reset", Collections.emptyMap()));
    }

    /** Ends the environment for good. */
    public void kill() {
        manage("kill");
    }

    /** Ends the environment for good and removes it from the server. */
    public void remove() {
        call("removeEnvironment");
    }

    /**
     * Runs a paused environment for a number of steps.
     *
     * @param steps how many
     * @return the moment after them
     */
    public Moment advance(long steps) {
        return new Moment(call("advance", "steps", steps).get("moment"));
    }

    /**
     * Limits the number of steps per second.
     *
     * @param speed steps per second; null for as many as possible
     */
    public void setSpeed(Double speed) {
        call("setSpeed", "speed", speed);
    }

    /**
     * Frees an entity of all its agents.
     *
     * @param entity its name
     */
    public void free(String entity) {
        call("free", "entity", entity);
    }

    /**
     * Returns the value of a property.
     *
     * @param property the name of the property
     * @param entity the entity whose property it is; null for the environment
     * @return the value, or null if it has none at this time
     * @throws SituatedException.Refused if there is no such property
     */
    public Parameter query(String property, String entity) {
        Object value = call("query", "property", property, "entity", entity).get("value");
        return value == null ? null : Terms.parameter(value);
    }

    /**
     * Returns the scene.
     *
     * @param viewer the entity as which to see it; null for the whole
     * @return {@code width}, {@code height} and {@code shapes}
     */
    public Map<String, Object> scene(String viewer) {
        return Data.object(call("scene", "viewer", viewer).get("scene"));
    }

    /**
     * Subscribes to changes of the state, the entities, the agents and the relation, and the ends of episodes.
     *
     * @return the notifications, as the protocol writes them
     */
    public Subscription<Map<String, Object>> happenings() {
        return client.subscribe(Collections.singletonMap("happenings", Collections.singletonMap("environment", name)));
    }

    /**
     * Subscribes to the percepts and actions of an entity, or the actions of all. Needs the right to observe.
     *
     * @param entity its name; null for the actions of all
     * @return the notifications, as the protocol writes them
     */
    public Subscription<Map<String, Object>> activity(String entity) {
        return client.subscribe(Collections.singletonMap("activity", params("entity", entity)));
    }

    private void manage(Object command) {
        call("manage", "command", command);
    }

    private Map<String, Object> call(String method, Object... named) {
        return client.call(method, params(named));
    }

    /** Returns the parameters of a call of this environment: names and values in turn. */
    private Map<String, Object> params(Object... named) {
        return Json.put(Json.of("environment", name), named);
    }

    @Override
    public String toString() {
        return "environment " + name;
    }
}
