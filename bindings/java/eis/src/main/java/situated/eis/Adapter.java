package situated.eis;

import eis.AgentListener;
import eis.exceptions.ActException;
import eis.exceptions.AgentException;
import eis.exceptions.EntityException;
import eis.exceptions.NoEnvironmentException;
import eis.exceptions.PerceiveException;
import eis.exceptions.QueryException;
import eis.exceptions.RelationException;
import eis.iilang.Action;
import eis.iilang.EnvironmentState;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import situated.Acted;
import situated.SituatedException;

/**
 * Agents and entities, as all versions of EIS since 0.3 have them. All threads can use it at once. The server decides
 * about agents, entities and their relation, and this answers from a copy.
 */
abstract class Adapter extends Managed {
    private final Map<String, List<AgentListener>> agentListeners = new ConcurrentHashMap<>();
    /** In order of registration. The map guards itself. */
    private final Map<String, Player> players = Collections.synchronizedMap(new LinkedHashMap<>());

    /** Adds a listener, which gets the events of an agent; also before the agent is registered. */
    public void attachAgentListener(String agent, AgentListener listener) {
        List<AgentListener> attached = agentListeners.computeIfAbsent(agent, name -> new CopyOnWriteArrayList<>());
        if (!attached.contains(listener)) {
            attached.add(listener);
        }
    }

    /** Removes a listener. */
    public void detachAgentListener(String agent, AgentListener listener) {
        agentListeners.getOrDefault(agent, new CopyOnWriteArrayList<>()).remove(listener);
    }

    @Override
    final void forget(String agent, String entity) {
        Player player = players.get(agent);
        if (player != null) {
            player.forget(entity);
        }
    }

    @Override
    final void perceiveAgain() {
        for (Player player : registered()) {
            try {
                player.perceive();
            } catch (SituatedException e) {
                // The reset is done. The agent has no entity, for example, and learns that when it perceives.
            }
        }
    }

    /** Registers an agent with the environment, where its name is unique. */
    public void registerAgent(String agent) throws AgentException {
        try {
            if (players.containsKey(agent)) {
                throw new AgentException("agent `" + agent + "` is registered already");
            }
            players.put(agent, new Player(present().environment.register(agent), event -> tell(agent, event)));
        } catch (RuntimeException e) {
            throw new AgentException("cannot register agent `" + agent + "`: " + e.getMessage(), e);
        }
    }

    /** Tells the listeners of an agent of an event. */
    private void tell(String agent, situated.Percept event) {
        List<AgentListener> attached = agentListeners.get(agent);
        if (attached != null && !attached.isEmpty()) {
            eis.iilang.Percept percept = Iil.percept(event);
            attached.forEach(listener -> call(() -> listener.handlePercept(agent, percept)));
        }
    }

    /** Unregisters an agent; its entities become free. */
    public void unregisterAgent(String agent) throws AgentException {
        Player player = players.remove(agent);
        if (player == null) {
            throw new AgentException(notRegistered(agent));
        }
        agentListeners.remove(agent);
        if (getState() == EnvironmentState.KILLED) {
            return;
        }
        try {
            player.agent().unregister();
            Mirror mirror = session().mirror;
            mirror.await(() -> mirror.entitiesOf(agent).isEmpty());
        } catch (InterruptedException | RuntimeException e) {
            throw new AgentException("cannot unregister agent `" + agent + "`: " + e.getMessage(), checked(e));
        }
    }

    /** Returns the agents of this platform, in order of registration. */
    public LinkedList<String> getAgents() {
        synchronized (players) {
            return new LinkedList<>(players.keySet());
        }
    }

    private List<Player> registered() {
        synchronized (players) {
            return new LinkedList<>(players.values());
        }
    }

    /** Returns the entities, in order of creation. */
    public LinkedList<String> getEntities() {
        Session present = session();
        return present == null ? new LinkedList<>() : present.mirror.entities();
    }

    /** Returns the entities that no agent controls, of any platform. */
    public LinkedList<String> getFreeEntities() {
        Session present = session();
        return present == null ? new LinkedList<>() : present.mirror.freeEntities();
    }

    /** Returns the type of an entity. */
    public String getType(String entity) throws EntityException {
        Session present = session();
        String type = present == null ? null : present.mirror.typeOf(entity);
        if (type == null) {
            throw new EntityException(noEntity(entity));
        }
        return type;
    }

    /** Returns the entities that an agent controls. */
    public LinkedHashSet<String> getAssociatedEntities(String agent) throws AgentException {
        if (!players.containsKey(agent)) {
            throw new AgentException(notRegistered(agent));
        }
        return session().mirror.entitiesOf(agent);
    }

    /** Returns the agents that control an entity, of all platforms. */
    public LinkedHashSet<String> getAssociatedAgents(String entity) throws EntityException {
        Session present = session();
        LinkedHashSet<String> agents = present == null ? null : present.mirror.agentsOf(entity);
        if (agents == null) {
            throw new EntityException(noEntity(entity));
        }
        return agents;
    }

    /** Associates an agent with an entity. Does nothing if they are associated. */
    public void associateEntity(String agent, String entity) throws RelationException {
        relate("associate agent `" + agent + "` with entity `" + entity + "`", () -> {
            Mirror mirror = present().mirror;
            Player player = player(agent);
            if (!mirror.controls(agent, entity)) {
                player.agent().associate(entity);
                mirror.await(() -> mirror.controls(agent, entity));
            }
        });
    }

    /** Ends the associations of an entity with agents of this platform. */
    public void freeEntity(String entity) throws RelationException, EntityException {
        Collection<String> own = getAssociatedAgents(entity);
        own.retainAll(getAgents());
        if (own.isEmpty()) {
            throw new RelationException("entity `" + entity + "` is not associated with an agent of this platform");
        }
        for (String agent : own) {
            freePair(agent, entity);
        }
    }

    /** Ends the associations of an agent. */
    public void freeAgent(String agent) throws RelationException, EntityException {
        relate("free agent `" + agent + "`", () -> {
            Mirror mirror = present().mirror;
            Player player = player(agent);
            if (!mirror.entitiesOf(agent).isEmpty()) {
                player.agent().free(null);
                mirror.await(() -> mirror.entitiesOf(agent).isEmpty());
            }
        });
    }

    /** Ends the association of an agent with an entity. */
    public void freePair(String agent, String entity) throws RelationException, EntityException {
        relate("free entity `" + entity + "` of agent `" + agent + "`", () -> {
            Mirror mirror = present().mirror;
            player(agent).agent().free(entity);
            mirror.await(() -> !mirror.controls(agent, entity));
        });
    }

    /** Something to do to the relation of agents and entities. */
    private interface Relating {
        void relate() throws InterruptedException;
    }

    private static void relate(String what, Relating relating) throws RelationException {
        try {
            relating.relate();
        } catch (InterruptedException | RuntimeException e) {
            throw new RelationException("cannot " + what + ": " + e.getMessage(), checked(e));
        }
    }

    private Player player(String agent) {
        Player player = players.get(agent);
        if (player == null) {
            throw new IllegalArgumentException(notRegistered(agent));
        }
        return player;
    }

    /** Acts through entities of an agent; none means all. Waits until the action is done. */
    final void act(String agent, Action action, String... entities) throws ActException {
        Player player = players.get(agent);
        if (player == null) {
            throw new ActException(ActException.NOTREGISTERED, notRegistered(agent));
        }
        try {
            player.act(action, present().types, entities);
        } catch (SituatedException.Refused e) {
            throw failure(type(e.kind()), e.getMessage() + others(e), e);
        } catch (RuntimeException e) {
            throw failure(ActException.FAILURE, "agent `" + agent + "` cannot act: " + e.getMessage(), e);
        }
    }

    private static ActException failure(int type, String message, Exception cause) {
        ActException failure = new ActException(type, message);
        failure.initCause(cause);
        return failure;
    }

    private static int type(String kind) {
        switch (kind) {
            case "wrongState": return ActException.NOTSPECIFIC;
            case "notRegistered": return ActException.NOTREGISTERED;
            case "noEntities": return ActException.NOENTITIES;
            case "wrongEntity": return ActException.WRONGENTITY;
            case "notSupportedByEnvironment": return ActException.NOTSUPPORTEDBYENVIRONMENT;
            case "notSupportedByType": return ActException.NOTSUPPORTEDBYTYPE;
            case "notSupportedByEntity": return ActException.NOTSUPPORTEDBYENTITY;
            default: return ActException.FAILURE;
        }
    }

    /** Returns the errors of the entities after the first one. */
    private static String others(SituatedException.Refused e) {
        StringBuilder others = new StringBuilder();
        if (e instanceof SituatedException.NotDone) {
            Acted acted = ((SituatedException.NotDone) e).acted();
            acted.errors().entrySet().stream().skip(1).forEach(error ->
                    others.append("; ").append(error.getKey()).append(": ").append(error.getValue().getMessage()));
        }
        return others.toString();
    }

    /** Returns what has changed since an agent fetched it last, by entity; no entities means all of the agent. */
    final Map<String, Changes.Fetched> fetch(String agent, String... entities) throws PerceiveException {
        Session present = present();
        Player player = players.get(agent);
        if (player == null) {
            throw new PerceiveException(notRegistered(agent));
        }
        Set<String> controlled = present.mirror.entitiesOf(agent);
        if (controlled.isEmpty()) {
            throw new PerceiveException("agent `" + agent + "` has no entities; associate it with one first");
        }
        Collection<String> wanted = entities.length == 0 ? controlled : new LinkedHashSet<>(Arrays.asList(entities));
        if (!controlled.containsAll(wanted)) {
            throw new PerceiveException("agent `" + agent + "` controls " + controlled + ", and not all of " + wanted);
        }
        Map<String, Changes.Fetched> fetched = new LinkedHashMap<>();
        try {
            wanted.forEach(entity -> fetched.put(entity, player.fetch(entity)));
        } catch (SituatedException.Ended e) {
            throw new NoEnvironmentException(e.getMessage());
        } catch (RuntimeException e) {
            throw new PerceiveException("agent `" + agent + "` cannot perceive: " + e.getMessage(), e);
        }
        return fetched;
    }

    /** Returns the value of a property of the environment, or null if it has none at this time. */
    public String queryProperty(String property) throws QueryException {
        return query(null, property);
    }

    /** Returns the value of a property of an entity, or null if it has none at this time. */
    public String queryEntityProperty(String entity, String property) throws QueryException {
        return query(entity, property);
    }

    private String query(String entity, String property) throws QueryException {
        try {
            situated.Parameter value = present().environment.query(property, entity);
            return value instanceof situated.Identifier ? ((situated.Identifier) value).value()
                    : value == null ? null : value.toString();
        } catch (RuntimeException e) {
            throw new QueryException("cannot query `" + property + "`: " + e.getMessage(), e);
        }
    }

    /** Returns the exception as a cause. An interrupted thread stays interrupted. */
    private static Exception checked(Exception e) {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return e;
    }

    private static String notRegistered(String agent) {
        return "agent `" + agent + "` is not registered; register it first";
    }

    private static String noEntity(String entity) {
        return "there is no entity `" + entity + "`";
    }
}
