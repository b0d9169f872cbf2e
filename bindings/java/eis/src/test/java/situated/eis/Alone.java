package situated.eis;

import eis.EILoader;
import eis.EnvironmentInterfaceStandard;
import eis.iilang.Identifier;
import java.io.File;
import java.util.Map;

/** A platform in a process of its own: a jar and the address of a server. */
final class Alone {
    private Alone() {}

    public static void main(String[] arguments) throws Exception {
        EnvironmentInterfaceStandard environment = EILoader.fromJarFile(new File(arguments[0]));
        environment.init(Map.of("url", new Identifier(arguments[1]), "environment", new Identifier("find-goals")));
        System.out.println(environment.getState() + " " + environment.getEntities());
        environment.kill();
        System.out.println(environment.getState());
    }
}
