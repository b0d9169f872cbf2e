package situated.jason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import situated.AclMessage;
import situated.Client;
import situated.Function;
import situated.Mailbox;
import situated.Percept;
import situated.RemoteAgent;
import situated.RemoteEnvironment;
import situated.Server;

/** Teams in AgentSpeak, run by a real Jason, against a real server. */
class TeamTest {
    @TempDir
    private Path folder;

    /** Copies an example; its project then names a server, and has more options. */
    private void copy(String example, Server server, String... options) throws IOException {
        try (var files = Files.list(Path.of(Server.root(), "examples/jason", example))) {
            for (Path file : files.toList()) {
                String text = Files.readString(file);
                String documented = "\"tcp://localhost:7467\", \"" + example + "\"";
                assertEquals(file.toString().endsWith(".mas2j"), text.contains(documented), text);
                Files.writeString(folder.resolve(file.getFileName()),
                        text.replace(documented, Team.in(server, example, options)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void three_robots_deliver_the_rainbow(Jason jason) throws Exception {
        try (Server server = Server.serve("bw4t", "--param", "robots=3", "--speed", "1000");
                Client observer = Client.connect(server.address())) {
            copy("bw4t", server);
            Team team = Team.run(jason, folder, "bw4t.mas2j");
            assertEquals(0, team.exitCode, team.output);
            Map<String, Object> outcome = observer.environment("bw4t").outcome();
            assertEquals("terminated", outcome.get("ending"), outcome + team.output);
            RemoteAgent agent = observer.environment("bw4t").register("judge");
            agent.associate("Bot_1");
            assertTrue(agent.perceive().get("Bot_1").add().toString().contains("sequenceIndex(6)"), team.output);
            assertEquals(List.of(), observer.environment("bw4t").entities().get("Bot_2"), "the entities are free again");
        }
    }

    /** A person with a token of their own drives one robot, and the team drives the others. */
    @Test
    void three_robots_deliver_the_rainbow_beside_a_person() throws Exception {
        try (Server server = Server.serve("bw4t", "--robots", "4", "--speed", "1000",
                        "--token", "act=token-of-the-team", "--token", "act=token-of-the-person");
                Client client = Client.to(server.address()).token("token-of-the-person").connect()) {
            RemoteEnvironment environment = client.environment("bw4t");
            RemoteAgent person = environment.register("Ann");
            person.associate("Bot_4");
            copy("bw4t", server, "token=token-of-the-team");
            try (Team team = Team.start(Jason.V3_2, folder, "bw4t.mas2j")) {
                List<String> rooms = List.of("RoomA1", "RoomB2", "RoomC3");
                for (int i = 0; !isIn(person, "sequenceIndex", 6); i++) {
                    // She looks into rooms, says so, and makes room for the others.
                    walk(person, rooms.get(i % rooms.size()));
                    person.act("sendMessage", "all", new Function("checked", rooms.get(i % rooms.size())));
                    walk(person, "LeftHallA");
                }
                assertEquals(0, team.finish().exitCode, team.output);
                assertEquals("terminated", environment.outcome().get("ending"), team.output);
                Map<String, List<String>> entities = environment.entities();
                assertEquals(List.of("Ann"), entities.remove("Bot_4"), "the person keeps her robot");
                assertEquals(Set.of(List.of()), Set.copyOf(entities.values()), "the others are free again");
            }
        }
    }

    private static boolean isIn(RemoteAgent agent, String percept, Object value) {
        agent.perceive();
        return agent.beliefs("Bot_4").contains(new Percept(percept, value));
    }

    private static void walk(RemoteAgent person, String place) throws InterruptedException {
        person.step("goTo", place);
        while (isIn(person, "state", "traveling")) {
            Thread.sleep(10);
        }
    }

    /** The partner is the agent in Python of the examples. */
    @Test
    void a_walker_in_agentspeak_plays_with_one_in_python() throws Exception {
        try (Server server = Server.serve("find-goals"); Client observer = Client.connect(server.address())) {
            copy("find-goals", server);
            Process partner = new ProcessBuilder("python3", Server.root() + "/examples/find_goals_agent.py", "blue", "300",
                    server.address()).redirectErrorStream(true).redirectOutput(folder.resolve("python").toFile()).start();
            try {
                RemoteEnvironment environment = observer.environment("find-goals");
                // The partner waits for the team, but the team does not wait for it.
                while (environment.entities().get("blue").isEmpty()) {
                    Thread.sleep(10);
                }
                Team team = Team.run(Jason.V3_2, folder, "find_goals.mas2j");
                assertEquals(0, team.exitCode, team.output);
                assertEquals(0, partner.waitFor(), Files.readString(folder.resolve("python")));
                assertEquals(300L, ((Map<?, ?>) environment.status().get("moment")).get("step"));
                Object won = result(environment, "joint reward");
                assertTrue((Long) won > 1000, won + team.output);
                String said = " has seen both win " + won + " points in 300 steps.";
                assertEquals(List.of("red" + said), team.said("walker").stream().filter(line -> line.contains("seen")).toList());
                assertEquals("blue" + said, Files.readString(folder.resolve("python")).trim());
            } finally {
                partner.destroyForcibly();
            }
        }
    }

    /** Returns a result of the team. */
    private static Object result(RemoteEnvironment environment, String name) {
        return ((List<?>) environment.outcome().get("results")).stream().map(Map.class::cast)
                .filter(result -> name.equals(result.get("name"))).map(result -> result.get("value")).findFirst().orElseThrow();
    }

    /** The changes of beliefs lead to the beliefs at the end, and nothing is added or removed twice. */
    @ParameterizedTest
    @EnumSource
    void beliefs_change_exactly_and_each_event_comes_once_in_lockstep(Jason jason) throws Exception {
        String program = """
                steps(0). rewards(0).
                // A step in lockstep waits for both, so they begin together.
                !begin.
                +!begin <- .wait(see(_, _)); .broadcast(tell, ready); .wait(ready); !walk.
                +see(Where, What) <- .print("+ ", Where, " ", What).
                -see(Where, What) <- .print("- ", Where, " ", What).
                @r[atomic] +reward(_) <- -rewards(N); +rewards(N + 1).
                +!walk : steps(N) & N < 200
                  <- .nth(N mod 7, [up, left, left, right, down, up, right], Action);
                     -+steps(N + 1); Action; !walk.
                +!walk <- .wait(rewards(N) & N >= 200); .broadcast(tell, finished); .wait(finished); .wait(500);
                     for (see(Where, What)) { .print("= ", Where, " ", What) };
                     ?rewards(Rewards); .print("rewards ", Rewards);
                     .broadcast(tell, done); .wait(done); .wait(200); .stopMAS.
                """;
        try (Server server = Server.serve("find-goals"); Client observer = Client.connect(server.address())) {
            String options = Team.in(server, "find-goals", "entity a1=red", "entity a2=blue");
            Team team = Team.run(jason, folder, options, 2, program);
            assertEquals(0, team.exitCode, team.output);
            Object steps = ((Map<?, ?>) observer.environment("find-goals").status().get("moment")).get("step");
            assertEquals(200L, steps, team.output);
            for (String agent : List.of("a1", "a2")) {
                assertTrue(team.said(agent).contains("rewards " + steps), "each step has one reward\n" + team.output);
                Set<String> told = new HashSet<>();
                Set<String> believed = new HashSet<>();
                List<String> wrong = new ArrayList<>();
                for (String line : team.said(agent)) {
                    String percept = line.substring(Math.min(2, line.length()));
                    boolean isWrong = line.startsWith("+") && !told.add(percept)
                            || line.startsWith("-") && !told.remove(percept)
                            || line.startsWith("=") && !believed.add(percept);
                    if (isWrong) {
                        wrong.add(line);
                    }
                }
                assertEquals(List.of(), wrong);
                assertEquals(8, believed.size(), "an entity sees its eight neighbours");
                assertEquals(believed, told);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_failed_action_fails_its_plan_with_the_reason(Jason jason) throws Exception {
        String program = """
                !try(putDown). !try(jump(1)). !try(goTo(X)). !try(goTo("RoomA1")).
                +!try(Action) <- Action; .print("done ", Action); +tried.
                -!try(Action)[reason(Reason), error_msg(Text)] <- .print(Reason, ": ", Text); +failed(Reason).
                +failed(_) : failed(failure) & failed(notSupportedByEnvironment) & failed(invalidAction) & tried
                  <- .stopMAS.
                +tried <- .wait(failed(failure) & failed(notSupportedByEnvironment) & failed(invalidAction)); .stopMAS.
                """;
        try (Server server = Server.serve("bw4t", "--speed", "1000")) {
            Team team = Team.run(jason, folder, Team.in(server, "bw4t"), 1, program);
            assertEquals(0, team.exitCode, team.output);
            String said = String.join("\n", team.said("a1"));
            assertTrue(said.contains("failure: putDown of entity") || said.contains("failure: "), said);
            assertTrue(said.contains("notSupportedByEnvironment: ") && said.contains("jump"), said);
            assertTrue(said.contains("invalidAction: the variable"), said);
            assertTrue(said.contains("done goTo(\"RoomA1\")"), said);
        }
    }

    @Test
    void agents_talk_in_the_language_of_the_environment_and_wake_for_what_they_want() throws Exception {
        String program = """
                total(0).
                !start.
                +!start : .my_name(a1)
                  <- .wait(player(Other)); +other(Other);
                     for (.range(I, 1, 3)) { sendMessage(Other, says("Hello!", 'Foo', [1, 2.5], true)) }.
                +!start.
                @m[atomic] +message(From, Content) <- .print("heard ", Content); ?total(N); -+total(N + 1).
                +total(3) <- .wait(300); .stopMAS.
                """;
        try (Server server = Server.serve("bw4t", "--param", "robots=2", "--speed", "1000")) {
            String options = Team.in(server, "bw4t", "percepts=player,message");
            Team team = Team.run(folder, options, 2, program);
            assertEquals(0, team.exitCode, team.output);
            assertEquals(3, team.said("a2").stream()
                    .filter(line -> line.equals("heard says('Hello!','Foo',[1,2.5],true)")).count(), team.output);
        }
    }

    @Test
    void agents_get_the_percepts_of_their_own_filters() throws Exception {
        String program = """
                !look.
                +!look : state(_) | player(_) <- .wait(200); .count(state(_), States); .count(player(_), Players);
                     .count(place(_), Places); .print(States, " ", Players, " ", Places).
                +!look <- .wait(50); !look.
                """;
        try (Server server = Server.serve("bw4t", "--param", "robots=2")) {
            String options = Team.in(server, "bw4t", "percepts=state", "percepts a2*=player", "percepts *2=place");
            try (Team team = Team.start(Jason.V3_2, folder, options, 2, program)) {
                team.await("both look", () -> team.said("a1").size() + team.said("a2").size() == 2);
                assertEquals(List.of("1 0 0"), team.said("a1"));
                assertEquals(List.of("0 1 0"), team.said("a2"), "the first filter that matches counts");
            }
            Team wrong = Team.run(folder, Team.in(server, "bw4t", "percepts a1=plaice"), 1, program);
            assertEquals(1, wrong.exitCode, wrong.output);
            assertTrue(wrong.output.contains("the option `percepts` names `plaice`"), wrong.output);
        }
    }

    @Test
    void agents_without_an_entity_are_told_so() throws Exception {
        String program = """
                !go.
                +!go <- goTo('RoomA1'); .print("went"); .wait(1500); .stopMAS.
                -!go[reason(noEntities), error_msg(Text)] <- .print(Text).
                """;
        try (Server server = Server.serve("bw4t", "--speed", "1000")) {
            Team team = Team.run(folder, Team.in(server, "bw4t"), 2, program);
            assertEquals(0, team.exitCode, team.output);
            String said = team.output;
            assertTrue(said.contains("has no entity in bw4t") && said.contains("] went"), said);
        }
    }

    /** Without an action of the killed agent, only Jason knows that it has ended. */
    @ParameterizedTest
    @EnumSource
    void a_killed_agent_frees_its_entity_and_can_be_created_again(Jason jason) throws Exception {
        String program = """
                !start.
                +!start : .my_name(a2) <- .wait(see(_, _)); .send('Ann', tell, ready).
                +!start.
                +!kill <- .kill_agent(a2).
                +!step <- up; .send('Ann', tell, stepped).
                +!create <- .create_agent(a2, "agent.asl").
                +!end <- .stopMAS.
                """;
        try (Server server = Server.serve("find-goals"); Client client = Client.connect(server.address());
                Mailbox ann = client.openMailbox("Ann")) {
            RemoteEnvironment environment = client.environment("find-goals");
            String options = Team.in(server, "find-goals", "entity a1=red", "entity a2=blue");
            try (Team team = Team.start(jason, folder, options, 2, program)) {
                assertEquals("ready", ann.receive(60, TimeUnit.SECONDS).content());
                team.await("a1 has an entity", () -> environment.entities().get("red").equals(List.of("a1")));
                request(ann, "kill");
                team.await("the entity is free", () -> environment.entities().get("blue").isEmpty());
                request(ann, "step");
                assertEquals("stepped", ann.receive(60, TimeUnit.SECONDS).content());
                request(ann, "create");
                assertEquals("ready", ann.receive(60, TimeUnit.SECONDS).content());
                assertEquals(List.of("a2"), environment.entities().get("blue"));
                request(ann, "end");
                assertEquals(0, team.finish().exitCode, team.output);
                assertFalse(team.output.contains("Exception"), team.output);
            }
        }
    }

    private static void request(Mailbox from, String content) {
        from.send(AclMessage.of("request", "a1").withContent(content));
    }

    @Test
    void an_agent_that_has_lost_its_entity_takes_another_when_one_is_free() throws Exception {
        String program = """
                !go.
                +!go <- goTo('RoomA1'); .print("went"); .wait(100); !go.
                -!go[reason(Reason)] <- .print(Reason); .wait(100); !look; !go.
                +!look : state(_) <- .print("sees").
                +!look <- .print("is blind").
                +!hello <- .print("hello").
                """;
        try (Server server = Server.serve("bw4t", "--speed", "1000"); Client client = Client.connect(server.address());
                Mailbox ann = client.openMailbox("Ann");
                Team team = Team.start(Jason.V3_2, folder, Team.in(server, "bw4t"), 1, program)) {
            RemoteEnvironment environment = client.environment("bw4t");
            team.await("it goes", () -> team.said("a1").contains("went"));
            // The agent must not act between the two calls.
            environment.pause();
            Thread.sleep(500);
            environment.free("Bot_1");
            RemoteAgent other = environment.register("other");
            other.associate("Bot_1");
            environment.start();
            team.await("its beliefs are gone", () -> team.said("a1").contains("is blind"));
            List<String> said = team.said("a1");
            assertTrue(said.indexOf("noEntities") < said.indexOf("is blind"), said.toString());
            other.unregister();
            team.await("it has the entity again", () -> environment.entities().get("Bot_1").equals(List.of("a1")));
            request(ann, "hello");
            team.await("it gets mail", () -> team.said("a1").contains("hello"));
            int before = team.said("a1").size();
            team.await("it goes again", () -> team.said("a1").lastIndexOf("went") > before);
        }
    }

    @Test
    void an_agent_that_does_not_act_notices_that_it_has_lost_an_entity() throws Exception {
        String program = """
                +state(_)[entity(Bot)] <- .print("has ", Bot).
                -state(_)[entity(Bot)] <- .print("has lost ", Bot).
                """;
        try (Server server = Server.serve("bw4t", "--param", "robots=2"); Client client = Client.connect(server.address());
                Team team = Team.start(Jason.V3_2, folder, Team.in(server, "bw4t", "entity a1=Bot_1,Bot_2"), 1, program)) {
            RemoteEnvironment environment = client.environment("bw4t");
            team.await("it has both", () -> team.said("a1").size() == 2);
            environment.free("Bot_1");
            team.await("it has lost one", () -> team.said("a1").contains("has lost 'Bot_1'"));
            assertEquals(3, team.said("a1").size());
            environment.free("Bot_2");
            team.await("it has both again", () -> team.said("a1").size() == 6);
            assertEquals(Map.of("Bot_1", List.of("a1"), "Bot_2", List.of("a1")), environment.entities());
        }
    }

    @Test
    void a_command_starts_and_ends_the_server() throws Exception {
        String command = "\"" + Server.binary() + " serve bw4t --port 0 --log-level error --speed 1000\", \"bw4t\"";
        Team team = Team.run(folder, command, 1, "!go. +!go <- goTo('RoomA1'); .print(\"went\"); .stopMAS.");
        assertEquals(0, team.exitCode, team.output);
        assertEquals(List.of("went"), team.said("a1"));
    }

    @Test
    void a_server_that_is_not_there_ends_the_program_with_a_message() throws Exception {
        Team none = Team.run(folder, "\"tcp://127.0.0.1:1\", \"bw4t\"", 1, "!go. +!go.");
        assertEquals(1, none.exitCode, none.output);
        assertTrue(none.output.contains("cannot connect to tcp://127.0.0.1:1"), none.output);
        try (Server server = Server.serve("find-goals")) {
            Team wrong = Team.run(folder, Team.in(server, "bw4t"), 1, "!go. +!go.");
            assertEquals(1, wrong.exitCode, wrong.output);
            assertTrue(wrong.output.contains("bw4t"), wrong.output);
            Team option = Team.run(folder, Team.in(server, "find-goals", "entities a=b"), 1, "!go. +!go.");
            assertEquals(1, option.exitCode, option.output);
            assertTrue(option.output.contains("unknown option `entities a=b`"), option.output);
            Team percept = Team.run(folder, Team.in(server, "find-goals", "percepts=see,reword"), 1, "!go. +!go.");
            assertEquals(1, percept.exitCode, percept.output);
            assertTrue(percept.output.contains("names `reword`") && percept.output.contains("it has at, reward, see"),
                    percept.output);
        }
    }

    @Test
    void a_team_ends_with_an_exit_code_when_its_server_has_forgotten_it() throws Exception {
        String program = "!go. +!go <- goTo('RoomA1'); .wait(20); !go. -!go <- .wait(200); !go.";
        try (Server first = Server.serve("bw4t"); Client client = Client.connect(first.address());
                Team team = Team.start(Jason.V3_2, folder, Team.in(first, "bw4t"), 1, program)) {
            RemoteEnvironment environment = client.environment("bw4t");
            team.await("it joins", () -> environment.entities().containsValue(List.of("a1")));
            client.close();
            first.kill();
            try (Server second = Server.serveAt(URI.create(first.address()).getPort(), "bw4t")) {
                assertEquals(first.address(), second.address());
                assertEquals(1, team.finish().exitCode, team.output);
                assertTrue(team.output.contains("the team ends with exit code 1 in 5 s: the session has ended"), team.output);
            }
        }
    }

    @Test
    void a_server_that_dies_fails_the_action_that_waits() throws Exception {
        try (Server server = Server.serve("find-goals")) {
            // Lockstep: nobody acts for the other entity, so the action waits.
            Client other = Client.connect(server.address());
            other.environment("find-goals").register("other").associate("blue");
            Thread killer = new Thread(() -> {
                try {
                    while (other.environment("find-goals").entities().get("red").isEmpty()) {
                        Thread.sleep(50);
                    }
                    Thread.sleep(300);
                    other.close();
                    server.kill();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            killer.start();
            Team team = Team.run(folder, Team.in(server, "find-goals", "entity a1=red", "patience=1"), 1, """
                    !go.
                    +!go <- up; .print("went"); !go.
                    -!go[reason(connection), error_msg(Text)] <- .print(Text); .stopMAS.
                    """);
            assertEquals(0, team.exitCode, team.output);
            assertTrue(String.join("\n", team.said("a1")).contains("the connection was lost"), team.output);
        }
    }
}
