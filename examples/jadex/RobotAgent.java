import eis.EILoader;
import eis.EnvironmentInterfaceStandard;
import eis.iilang.Action;
import eis.iilang.Identifier;
import eis.iilang.Parameter;
import eis.iilang.Percept;
import jadex.base.IPlatformConfiguration;
import jadex.base.PlatformConfigurationHandler;
import jadex.base.Starter;
import jadex.bridge.IInternalAccess;
import jadex.bridge.service.annotation.OnStart;
import jadex.micro.annotation.Agent;
import java.io.File;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** An agent of Jadex 4 that sends a robot of Blocks World for Teams into a room: java RobotAgent JAR tcp://ADDRESS:PORT */
@Agent
public class RobotAgent {
    private static final Percept ARRIVED = new Percept("in", new Identifier("RoomA1"));

    /** The environment, which all agents of the platform share. */
    private static EnvironmentInterfaceStandard environment;

    @Agent
    private IInternalAccess agent;

    public static void main(String[] arguments) throws Exception {
        environment = EILoader.fromJarFile(new File(arguments[0]));
        Map<String, Parameter> parameters = new HashMap<>();
        parameters.put("url", new Identifier(arguments[1]));
        parameters.put("environment", new Identifier("bw4t"));
        environment.init(parameters);
        IPlatformConfiguration configuration = PlatformConfigurationHandler.getMinimal();
        configuration.addComponent(RobotAgent.class);
        Starter.createPlatform(configuration).get();
    }

    @OnStart
    public void run() throws Exception {
        String name = agent.getId().getLocalName();
        String robot = environment.getFreeEntities().iterator().next();
        environment.registerAgent(name);
        environment.associateEntity(name, robot);
        environment.performAction(name, new Action("goTo", new Identifier("RoomA1")));
        Set<Percept> beliefs = new HashSet<>();
        while (!beliefs.contains(ARRIVED)) {
            environment.getPercepts(name).values().forEach(update -> {
                beliefs.removeAll(update.getDeleteList());
                beliefs.addAll(update.getAddList());
            });
            agent.waitForDelay(20).get();
        }
        System.out.println(name + " has brought " + robot + " into RoomA1.");
        environment.kill();
        System.exit(0);
    }
}
