package situated.eis;

import eis.iilang.Action;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import situated.Acted;
import situated.Perception;
import situated.RemoteAgent;

/**
 * An agent of the platform. The server sends what its entities perceive as it changes, and fetching takes what has
 * come, so it costs no round trip.
 */
final class Player {
    private final RemoteAgent agent;
    private final Consumer<situated.Percept> onEvent;
    /** By entity. The map guards itself and the changes. */
    private final Map<String, Changes> changes = new HashMap<>();

    /** Registered agents are listened to until they are unregistered. {@code onEvent} must not block. */
    Player(RemoteAgent agent, Consumer<situated.Percept> onEvent) {
        this.agent = agent;
        this.onEvent = onEvent;
        agent.listen(this::note);
    }

    RemoteAgent agent() {
        return agent;
    }

    private void note(Map<String, Perception> perceptions) {
        synchronized (changes) {
            perceptions.forEach((entity, perception) -> of(entity).note(perception));
        }
        perceptions.values().forEach(perception -> perception.events().forEach(onEvent));
    }

    private Changes of(String entity) {
        return changes.computeIfAbsent(entity, name -> new Changes());
    }

    /** Forgets an entity that the agent no longer controls. */
    void forget(String entity) {
        synchronized (changes) {
            changes.remove(entity);
        }
    }

    /** Acts, and waits until that is done and its percepts have come. Percepts that the action returns are events. */
    void act(Action action, Types types, String... entities) {
        Object[] parameters = Iil.parameters(action);
        types.fit(action.getName(), parameters);
        Acted acted = agent.step(new situated.Action(action.getName(), parameters), entities);
        acted.found().forEach((entity, found) -> {
            synchronized (changes) {
                found.forEach(of(entity)::noteEvent);
            }
            found.forEach(onEvent);
        });
    }

    /**
     * Returns what has changed for an entity since it was fetched last. The first time, this waits for all that holds.
     */
    Changes.Fetched fetch(String entity) {
        boolean isBegun;
        synchronized (changes) {
            isBegun = of(entity).isBegun();
        }
        if (!isBegun) {
            agent.perceive();
        }
        synchronized (changes) {
            Changes fetched = of(entity);
            fetched.begin();
            return fetched.fetch();
        }
    }

    /** Waits for what the agent perceives now. */
    void perceive() {
        agent.perceive();
    }
}
