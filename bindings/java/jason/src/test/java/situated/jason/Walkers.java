package situated.jason;

import java.nio.file.Files;
import java.nio.file.Path;
import situated.Server;

/** Both walkers of Find the Goals in AgentSpeak, with the program of the examples. */
final class Walkers {
    private Walkers() {}

    /** Starts a team that makes steps in an environment. */
    static Team start(Path folder, String address, String environment, int steps) throws Exception {
        String arguments = "\"" + address + "\", \"" + environment + "\", \"entity red=red\", \"entity blue=blue\"";
        return start(folder, "situated.jason.SituatedEnvironment(" + arguments + ")", steps);
    }

    /** Starts a team in an environment of any class. */
    static Team start(Path folder, String environment, int steps) throws Exception {
        Files.copy(Path.of(Server.root(), "examples/jason/find-goals/walker.asl"), folder.resolve("walker.asl"));
        StringBuilder project = new StringBuilder("MAS walkers {\n environment: " + environment + "\n agents:\n");
        for (String name : new String[] {"red", "blue"}) {
            project.append(String.format("  %s walker.asl [beliefs=\"me(%s),steps(%d)\"];%n", name, name, steps));
        }
        Files.writeString(folder.resolve("walkers.mas2j"), project.append("}\n"));
        return Team.start(Jason.V3_2, folder, "walkers.mas2j");
    }
}
