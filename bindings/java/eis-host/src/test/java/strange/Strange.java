package strange;

import eis.AgentListener;
import eis.EnvironmentInterfaceStandard;
import eis.EnvironmentListener;
import eis.PerceptUpdate;
import eis.exceptions.ActException;
import eis.exceptions.AgentException;
import eis.exceptions.ManagementException;
import eis.exceptions.PerceiveException;
import eis.exceptions.RelationException;
import eis.iilang.Action;
import eis.iilang.EnvironmentState;
import eis.iilang.Identifier;
import eis.iilang.Numeral;
import eis.iilang.Parameter;
import eis.iilang.Percept;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An environment of one class that does what real ones do at their worst, as its parameters and actions say. */
public final class Strange implements EnvironmentInterfaceStandard {
    private final List<EnvironmentListener> listeners = new ArrayList<>();
    private final List<String> entities = new ArrayList<>(Arrays.asList("one"));
    private final List<Percept> add = new ArrayList<>();
    private EnvironmentState state = EnvironmentState.INITIALIZING;
    private final Set<String> agents = new HashSet<>();
    private boolean hasRefused;
    /** The entities with an agent, which has the same name. */
    private final Set<String> associated = new HashSet<>();
    private AgentListener agentListener;
    private int count;

    @Override
    public void init(Map<String, Parameter> parameters) throws ManagementException {
        System.out.println("{\"not\":\"a report\"}");
        Parameter mode = parameters.get("mode");
        String word = mode instanceof Identifier ? ((Identifier) mode).getValue() : "";
        if (word.equals("hang")) {
            sleep();
        } else if (word.equals("error")) {
            throw new AssertionError("broken");
        } else if (word.equals("refuse")) {
            throw new ManagementException("mode is refuse");
        } else if (word.equals("exit")) {
            System.exit(3);
        }
        add.add(new Percept("parameters", new Identifier(String.valueOf(parameters.size()))));
        set(EnvironmentState.PAUSED);
    }

    private static void sleep() {
        try {
            Thread.sleep(1_000_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void set(EnvironmentState next) {
        state = next;
        listeners.forEach(listener -> listener.handleStateChange(next));
    }

    @Override
    public void performAction(String agent, Action action, String... named) throws ActException {
        switch (action.getName()) {
            case "count":
                add.add(new Percept("counted", new Numeral(++count), new Numeral(count / 2.0)));
                break;
            case "mumble":
                add.add(new Percept("mumbled", new Numeral(null)));
                add.add(new Percept("spoken"));
                agentListener.handlePercept(agent, new Percept("mumbled", new Numeral(null)));
                break;
            case "shout":
                agentListener.handlePercept(agent, new Percept("heard", action.getParameters().get(0)));
                break;
            case "spawn":
                entities.add("two");
                new Thread(() -> listeners.forEach(listener -> listener.handleNewEntity("two"))).start();
                break;
            case "replace":
                associated.remove("one");
                add.add(new Percept("replaced"));
                break;
            case "spawnShy":
                entities.add("shy");
                break;
            case "vanish":
                entities.remove("two");
                break;
            case "exit":
                System.exit(4);
                break;
            case "hang":
                sleep();
                break;
            case "error":
                throw new StackOverflowError();
            case "stop":
                set(EnvironmentState.PAUSED);
                break;
            default:
                throw new ActException(ActException.NOTSUPPORTEDBYENVIRONMENT, "no " + action.getName() + " here");
        }
    }

    @Override
    public Map<String, PerceptUpdate> getPercepts(String agent, String... named) throws PerceiveException {
        if (!associated.contains(named[0])) {
            throw new PerceiveException(named[0] + " has no agent");
        }
        PerceptUpdate update = new PerceptUpdate(new ArrayList<>(add), new ArrayList<>());
        add.clear();
        return Collections.singletonMap(named[0], update);
    }

    @Override
    public void start() {
        set(EnvironmentState.RUNNING);
    }

    @Override
    public void pause() {
        set(EnvironmentState.PAUSED);
    }

    @Override
    public void kill() {
        sleep();
    }

    @Override
    public void reset(Map<String, Parameter> parameters) throws ManagementException {
        throw new ManagementException("PAUSED to PAUSED");
    }

    @Override
    public EnvironmentState getState() {
        return state;
    }

    @Override
    public void attachEnvironmentListener(EnvironmentListener listener) {
        listeners.add(listener);
    }

    @Override
    public void detachEnvironmentListener(EnvironmentListener listener) {}

    @Override
    public void attachAgentListener(String agent, AgentListener listener) {
        agentListener = listener;
    }

    @Override
    public void detachAgentListener(String agent, AgentListener listener) {}

    @Override
    public void registerAgent(String agent) throws AgentException {
        if (!agents.add(agent)) {
            throw new AgentException(agent + " is registered already");
        }
    }

    @Override
    public void unregisterAgent(String agent) throws AgentException {
        agents.remove(agent);
        if (agent.equals("two")) {
            throw new AgentException("two stays");
        }
    }

    @Override
    public Collection<String> getAgents() {
        return new ArrayList<>();
    }

    @Override
    public Collection<String> getEntities() {
        return entities;
    }

    @Override
    public void associateEntity(String agent, String entity) throws RelationException {
        if (entity.equals("shy") && !hasRefused) {
            hasRefused = true;
            throw new RelationException("shy is not ready yet");
        }
        associated.add(entity);
    }

    @Override
    public void freeEntity(String entity) {}

    @Override
    public void freeAgent(String agent) {}

    @Override
    public void freePair(String agent, String entity) {}

    @Override
    public Collection<String> getAssociatedEntities(String agent) {
        // It does not list every entity, as environments without `EIDefaultImpl`.
        boolean isListed = agent.equals("one") && associated.contains(agent);
        return isListed ? Collections.singleton(agent) : Collections.emptySet();
    }

    @Override
    public Collection<String> getAssociatedAgents(String entity) {
        return new ArrayList<>();
    }

    @Override
    public Collection<String> getFreeEntities() {
        return new ArrayList<>();
    }

    @Override
    public String getType(String entity) {
        return entity.equals("shy") ? "shyThing" : "thing";
    }

    @Override
    public boolean isStateTransitionValid(EnvironmentState from, EnvironmentState to) {
        return true;
    }

    @Override
    public boolean isInitSupported() {
        return true;
    }

    @Override
    public boolean isStartSupported() {
        return true;
    }

    @Override
    public boolean isPauseSupported() {
        return true;
    }

    @Override
    public boolean isKillSupported() {
        return true;
    }

    @Override
    public String requiredVersion() {
        return "0.7.0";
    }

    @Override
    public String queryProperty(String property) {
        return null;
    }

    @Override
    public String queryEntityProperty(String entity, String property) {
        return null;
    }
}
