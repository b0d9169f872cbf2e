package situated.eis;

import eis.EILoader;
import eis.EnvironmentInterfaceStandard;
import eis.PerceptUpdate;
import eis.exceptions.ManagementException;
import eis.exceptions.PerceiveException;
import eis.iilang.IILElement;
import eis.iilang.Identifier;
import eis.iilang.Numeral;
import eis.iilang.Parameter;
import eis.iilang.Percept;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import situated.Server;

/** The part of a platform that loads the jar, and keeps the beliefs of an agent as EIS demands. */
final class Platform {
    static {
        // Terms in messages are then written as in Prolog, not as XML.
        IILElement.toProlog = true;
    }

    private final EnvironmentInterfaceStandard environment;
    private final String agent;
    private final Map<String, Set<Percept>> beliefs = new HashMap<>();

    Platform(EnvironmentInterfaceStandard environment, String agent) {
        this.environment = environment;
        this.agent = agent;
    }

    /** Loads the jar, as any platform does. */
    static EnvironmentInterfaceStandard load() throws IOException {
        return EILoader.fromJarFile(jar());
    }

    static File jar() {
        return Path.of(System.getProperty("basedir"), "target", "situated-eis-0.1.0.jar").toFile();
    }

    /** Loads the jar, and initializes an environment: names and values in turn. */
    static EnvironmentInterfaceStandard open(Server server, String name, Object... parameters)
            throws IOException, ManagementException {
        EnvironmentInterfaceStandard environment = load();
        environment.init(parameters(server, name, parameters));
        return environment;
    }

    static Map<String, Parameter> parameters(Server server, String name, Object... parameters) {
        Map<String, Parameter> all = new LinkedHashMap<>();
        all.put("url", new Identifier(server.address()));
        all.put("environment", new Identifier(name));
        for (int i = 0; i < parameters.length; i += 2) {
            Object value = parameters[i + 1];
            all.put((String) parameters[i],
                    value instanceof Number ? new Numeral((Number) value) : new Identifier(value.toString()));
        }
        return all;
    }

    /** Registers an agent, which takes an entity. */
    static void join(EnvironmentInterfaceStandard environment, String agent, String entity) throws Exception {
        environment.registerAgent(agent);
        environment.associateEntity(agent, entity);
    }

    /** Perceives: deletes, then adds. Fails if a deleted percept was not believed. */
    Map<String, PerceptUpdate> perceive() throws PerceiveException {
        Map<String, PerceptUpdate> updates = environment.getPercepts(agent);
        updates.forEach((entity, update) -> {
            Set<Percept> known = beliefs(entity);
            update.getDeleteList().forEach(percept -> {
                if (!known.remove(percept)) {
                    throw new IllegalStateException(percept + " is deleted, but not among " + known);
                }
            });
            known.addAll(update.getAddList());
        });
        return updates;
    }

    Set<Percept> beliefs(String entity) {
        return beliefs.computeIfAbsent(entity, name -> new LinkedHashSet<>());
    }
}
