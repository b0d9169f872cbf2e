package situated.eis;

import eis.EnvironmentInterfaceStandard;
import eis.exceptions.ActException;
import eis.exceptions.AgentException;
import eis.exceptions.PerceiveException;
import eis.exceptions.RelationException;
import eis.iilang.Action;
import eis.iilang.Percept;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;

/**
 * An environment on a server, for platforms that support EIS 0.3 to 0.6. It is as in the jar for EIS 0.7, except that
 * agents get all percepts at each call, and events by the first one after they have happened.
 */
public final class SituatedEnvironment06 extends Adapter implements EnvironmentInterfaceStandard, EarlierResults {
    /** The percepts that hold, by agent and entity. The map guards itself and what is in it. */
    private final Map<String, Map<String, List<Percept>>> held = new HashMap<>();

    /** Creates an environment without a connection, which {@link #init} makes. */
    public SituatedEnvironment06() {}

    /** Acts. The percepts that an action returns come with the next percepts. */
    @Override
    public Map<String, Percept> performAction(String agent, Action action, String... entities) throws ActException {
        act(agent, action, entities);
        return Collections.emptyMap();
    }

    @Override
    public Map<String, Collection<Percept>> getAllPercepts(String agent, String... entities) throws PerceiveException {
        Map<String, Collection<Percept>> all = new LinkedHashMap<>();
        synchronized (held) {
            fetch(agent, entities).forEach((entity, fetched) -> {
                Map<String, List<Percept>> own = held.computeIfAbsent(agent, name -> new HashMap<>());
                List<Percept> percepts = own.computeIfAbsent(entity, name -> new ArrayList<>());
                percepts.removeAll(fetched.delete);
                percepts.addAll(fetched.add);
                all.put(entity, new LinkedList<>(percepts));
            });
        }
        return all;
    }

    /** Forgets what the agent perceived through the entity, if it had it before. */
    @Override
    public void associateEntity(String agent, String entity) throws RelationException {
        boolean isNew;
        try {
            isNew = !getAssociatedEntities(agent).contains(entity);
        } catch (AgentException e) {
            isNew = true;
        }
        if (isNew) {
            synchronized (held) {
                held.getOrDefault(agent, new HashMap<>()).remove(entity);
            }
        }
        super.associateEntity(agent, entity);
    }

    /** Returns the version of the platform's own EIS. */
    @Override
    public String requiredVersion() {
        try {
            Field version = Class.forName("eis.EILoader").getDeclaredField("version");
            version.setAccessible(true);
            return (String) version.get(null);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return "0.6.2";
        }
    }
}
