package situated.jason;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import situated.Client;
import situated.RemoteEnvironment;
import situated.Server;
import situated.Trajectory;

/** Walkers in AgentSpeak have the trajectory of tests/parity, step by step. */
class ParityTest {
    @TempDir
    private Path folder;

    @Test
    void walkers_in_agentspeak_have_the_same_trajectory() throws Exception {
        Path recordings = folder.resolve("recordings");
        List<String> expected = Trajectory.expected();
        try (Server server = Server.serve("find-goals", "--record", recordings.toString());
                Client client = Client.connect(server.address())) {
            RemoteEnvironment environment = client.create("find-goals", Map.of("environment", "parity"));
            try (Team team = Team.startWalkers(folder, server, "parity", expected.size())) {
                team.await("both have come", () -> environment.entities().values().stream().noneMatch(List::isEmpty));
                environment.start();
                assertEquals(0, team.finish().exitCode, team.output);
            }
            environment.remove();
            try (var files = Files.newDirectoryStream(recordings, "parity-*")) {
                assertEquals(expected, Trajectory.recorded(files.iterator().next(), expected.size()));
            }
        }
    }
}
