package situated.jason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import situated.Client;
import situated.RemoteEnvironment;
import situated.Server;

/** A team pauses, begins again and ends with its environment. */
class FollowingTest {
    /** Counts from 0, and says where the robot is. */
    private static final String COUNTING = """
            !count(0).
            +!count(N) <- .print(N); .wait(20); !count(N + 1).
            @s[atomic] +state(S) <- .print("state ", S).
            """;

    @TempDir
    private Path folder;

    @Test
    void agents_pause_begin_again_and_end_with_their_environment() throws Exception {
        try (Server server = Server.serve("bw4t", "--speed", "1000"); Client client = Client.connect(server.address());
                Team team = Team.start(Jason.V3_2, folder, Team.in(server, "bw4t"), 1, COUNTING)) {
            RemoteEnvironment environment = client.environment("bw4t");
            team.await("it counts", () -> team.said("a1").contains("5"));

            environment.pause();
            Thread.sleep(300);
            List<String> before = team.said("a1");
            Thread.sleep(500);
            assertEquals(before, team.said("a1"), "nothing is done while the environment is paused");
            environment.start();
            team.await("it goes on", () -> team.said("a1").size() > before.size() + 3);
            assertEquals(1, count(team, "0"), "a pause is no new beginning");

            environment.reset();
            assertEquals("paused", environment.status().get("state"));
            Thread.sleep(300);
            assertEquals(1, count(team, "0"), "the agents wait until the new episode runs");
            environment.start();
            team.await("it begins again", () -> count(team, "0") == 2 && count(team, "5") == 2);
            assertEquals(2, count(team, "state arrived"), "the percepts of the new episode come");
            assertEquals(List.of("a1"), environment.entities().values().iterator().next());

            environment.kill();
            assertEquals(0, team.finish().exitCode, team.output);
            assertTrue(team.output.contains("the team ends"), team.output);
        }
    }

    private static long count(Team team, String said) {
        return team.said("a1").stream().filter(said::equals).count();
    }

    @Test
    void a_team_ends_when_its_environment_is_removed() throws Exception {
        try (Server server = Server.serve("bw4t", "--speed", "1000"); Client client = Client.connect(server.address());
                Team team = Team.start(Jason.V3_2, folder, Team.in(server, "bw4t"), 1, COUNTING)) {
            team.await("it counts", () -> team.said("a1").contains("1"));
            client.environment("bw4t").remove();
            assertEquals(0, team.finish().exitCode, team.output);
        }
    }

    @Test
    void a_paused_team_can_be_ended() throws Exception {
        try (Server server = Server.serve("bw4t", "--speed", "1000"); Client client = Client.connect(server.address());
                Team team = Team.start(Jason.V3_2, folder, Team.in(server, "bw4t"), 2, COUNTING)) {
            RemoteEnvironment environment = client.environment("bw4t");
            team.await("it counts", () -> team.said("a1").contains("1"));
            environment.pause();
            Thread.sleep(300);
            assertTrue(team.interrupt(), "it ends");
            for (int i = 0; environment.entities().values().stream().anyMatch(agents -> !agents.isEmpty()); i++) {
                assertTrue(i < 200, "the entities are free again");
                Thread.sleep(50);
            }
        }
    }
}
