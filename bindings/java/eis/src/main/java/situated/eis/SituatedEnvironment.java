package situated.eis;

import eis.EnvironmentInterfaceStandard;
import eis.PerceptUpdate;
import eis.exceptions.ActException;
import eis.exceptions.PerceiveException;
import eis.iilang.Action;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An environment on a server, for platforms that support EIS 0.7. The jar of this class is the environment that a
 * platform loads. In a {@code .mas2g} of GOAL:
 *
 * <pre>{@code
 * use "situated-eis-0.1.0.jar" as environment with url = "tcp://localhost:7467", environment = "bw4t".
 * }</pre>
 *
 * <table>
 * <caption>Init parameters</caption>
 * <tr><th>parameter</th><th>meaning</th></tr>
 * <tr><td>{@code environment}</td><td>the name of the environment; it is created if the server has none of this
 * name</td></tr> <tr><td>{@code url}</td><td>the address of the server; by default {@code tcp://localhost:7467}</td></tr>
 * <tr><td>{@code command}</td><td>instead, a command that starts a server, which ends with the environment</td></tr>
 * <tr><td>{@code token}</td><td>the token, if the server requires one</td></tr>
 * <tr><td>{@code seed}</td><td>the seed of the first episode</td></tr>
 * <tr><td>{@code patience}</td><td>for how many seconds to try to reconnect after a lost connection; 10 by
 * default</td></tr> <tr><td>all others</td><td>the parameters of the environment</td></tr>
 * </table>
 *
 * <p>All threads can use it. Percepts come as they change, so {@link #getPercepts} costs no round trip, and after
 * {@link #performAction} they contain what the action has changed. An event, such as a reward, is added by one call and
 * deleted by the next; listeners of agents get it as well. Listeners are called on a thread of their own.
 */
public final class SituatedEnvironment extends Adapter implements EnvironmentInterfaceStandard {
    /** Creates an environment without a connection, which {@link #init} makes. */
    public SituatedEnvironment() {}

    @Override
    public void performAction(String agent, Action action, String... entities) throws ActException {
        act(agent, action, entities);
    }

    @Override
    public Map<String, PerceptUpdate> getPercepts(String agent, String... entities) throws PerceiveException {
        Map<String, PerceptUpdate> updates = new LinkedHashMap<>();
        fetch(agent, entities).forEach((entity, fetched) ->
                updates.put(entity, new PerceptUpdate(fetched.add, fetched.delete)));
        return updates;
    }

    @Override
    public String requiredVersion() {
        return "0.7.0";
    }
}
