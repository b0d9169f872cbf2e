package situated.eis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import eis.EILoader;
import eis.EnvironmentInterfaceStandard;
import eis.iilang.Action;
import eis.iilang.Identifier;
import eis.iilang.Numeral;
import eis.iilang.Percept;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.Map;
import org.junit.jupiter.api.Test;
import situated.Client;
import situated.RemoteAgent;
import situated.Server;

/** The jar for EIS 0.3 to 0.6, loaded by the loader of EIS with the interface of that time. */
class SituatedEnvironment06Test {
    @Test
    void agents_get_all_percepts_at_each_call() throws Exception {
        Path jar = Path.of(System.getProperty("basedir"), "target", "situated-eis06-0.1.0.jar");
        try (Server server = Server.serve("find-goals"); Client client = Client.connect(server.address())) {
            EnvironmentInterfaceStandard environment = EILoader.fromJarFile(jar.toFile());
            environment.init(Map.of("url", new Identifier(server.address()), "environment", new Identifier("find-goals")));
            environment.registerAgent("ada");
            environment.associateEntity("ada", "red");
            Collection<Percept> first = environment.getAllPercepts("ada").get("red");
            assertEquals(8, first.size(), "an entity sees its eight neighbours");
            assertEquals(new HashSet<>(first), new HashSet<>(environment.getAllPercepts("ada").get("red")));
            assertTrue(environment.performAction("ada", new Action("up")).isEmpty());
            Collection<Percept> second = environment.getAllPercepts("ada").get("red");
            assertTrue(second.contains(new Percept("reward", new Numeral(-1))), second::toString);
            assertEquals(9, second.size());
            Collection<Percept> third = environment.getAllPercepts("ada").get("red");
            assertEquals(8, third.size(), "an event comes once");
            // Another agent sees the same.
            environment.freeAgent("ada");
            RemoteAgent witness = client.environment("find-goals").register("witness");
            witness.associate("red");
            HashSet<Percept> expected = new HashSet<>();
            witness.perceive().get("red").add().forEach(percept -> expected.add(Iil.percept(percept)));
            assertEquals(expected, new HashSet<>(third));
            witness.unregister();
            environment.associateEntity("ada", "red");
            assertEquals(expected, new LinkedHashSet<>(environment.getAllPercepts("ada").get("red")));
            environment.kill();
        }
    }

    /** Platforms call methods by their exact results, which were other ones in EIS 0.3. */
    @Test
    void methods_have_the_results_of_all_versions() throws Exception {
        Class<?> environment = SituatedEnvironment06.class;
        for (Class<?> result : new Class<?>[] {Collection.class, LinkedList.class}) {
            assertTrue(hasMethod(environment, "getAgents", result), result::toString);
            assertTrue(hasMethod(environment, "getFreeEntities", result), result::toString);
        }
        for (Class<?> result : new Class<?>[] {Collection.class, HashSet.class}) {
            assertTrue(hasMethod(environment, "getAssociatedEntities", result), result::toString);
            assertTrue(hasMethod(environment, "getAssociatedAgents", result), result::toString);
        }
    }

    private static boolean hasMethod(Class<?> of, String name, Class<?> result) {
        for (java.lang.reflect.Method method : of.getMethods()) {
            if (method.getName().equals(name) && method.getReturnType() == result) {
                return true;
            }
        }
        return false;
    }
}
