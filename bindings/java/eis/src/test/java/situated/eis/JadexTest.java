package situated.eis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import situated.Client;
import situated.Server;
import situated.Subscription;

/** The example for Jadex, in a process of its own, with the jars that its users have. */
class JadexTest {
    @TempDir
    private Path classes;

    @Test
    void an_agent_of_jadex_moves_a_robot() throws Exception {
        // Jadex accepts canonical paths only.
        List<String> paths = new ArrayList<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            paths.add(new File(path).getCanonicalPath());
        }
        File output = classes.resolve("output").toFile();
        String libraries = String.join(File.pathSeparator, paths);
        String example = Server.root() + "/examples/jadex/RobotAgent.java";
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null,
                "-cp", libraries, "-d", classes.toString(), "-proc:none", example));
        try (Server server = Server.serve("bw4t", "--speed", "1000"); Client client = Client.connect(server.address())) {
            // An observer sees where the robot is.
            Subscription<Map<String, Object>> seen = client.environment("bw4t").activity("Bot_1");
            assertFalse(String.valueOf(seen.receive()).contains("name=in, args=[RoomA1]"));
            Process jadex = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Djava.awt.headless=true",
                    "-cp", classes + File.pathSeparator + libraries, "RobotAgent", Platform.jar().getPath(), server.address())
                    .redirectErrorStream(true).redirectOutput(output).directory(classes.toFile()).start();
            boolean hasEnded = jadex.waitFor(40, TimeUnit.SECONDS);
            String said = Files.readString(output.toPath());
            jadex.destroyForcibly();
            assertTrue(hasEnded && jadex.exitValue() == 0, said);
            assertTrue(said.contains("has brought Bot_1 into RoomA1."), said);
            assertEquals(List.of(), client.environment("bw4t").entities().get("Bot_1"), "the agent has left");
            String news = "";
            while (!news.contains("name=in, args=[RoomA1]")) {
                Map<String, Object> next = seen.receive(5, TimeUnit.SECONDS);
                assertNotNull(next, "the robot has not come into the room");
                news = next.toString();
            }
        }
    }
}
