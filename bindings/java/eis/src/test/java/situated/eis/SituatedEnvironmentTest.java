package situated.eis;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import eis.EILoader;
import eis.EnvironmentInterfaceStandard;
import eis.EnvironmentListener;
import eis.PerceptUpdate;
import eis.exceptions.ActException;
import eis.exceptions.AgentException;
import eis.exceptions.EntityException;
import eis.exceptions.ManagementException;
import eis.exceptions.NoEnvironmentException;
import eis.exceptions.PerceiveException;
import eis.exceptions.QueryException;
import eis.exceptions.RelationException;
import eis.iilang.Action;
import eis.iilang.EnvironmentState;
import eis.iilang.Function;
import eis.iilang.Identifier;
import eis.iilang.Numeral;
import eis.iilang.Parameter;
import eis.iilang.ParameterList;
import eis.iilang.Percept;
import eis.iilang.TruthValue;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import situated.Client;
import situated.RemoteAgent;
import situated.Server;

/** The jar in the hands of a platform with the real EIS, against a real server. */
class SituatedEnvironmentTest {
    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().filter(Thread::isAlive).map(Thread::getName)
                .filter(name -> name.startsWith("situated")).sorted().toList();
    }

    /** Fails unless these threads are left, within some time: the last ones end after the calls that end them. */
    private static void assertThreads(List<String> expected) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (!threads().equals(expected) && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
        assertEquals(expected, threads());
    }

    private static Action action(String name, Parameter... parameters) {
        return new Action(name, parameters);
    }

    private static int actionType(EnvironmentInterfaceStandard environment, String agent, Action action, String... entities) {
        return assertThrows(ActException.class, () -> environment.performAction(agent, action, entities)).getType();
    }

    /** The calls to the listener of a platform, in order. */
    private static final class Told implements EnvironmentListener {
        final BlockingQueue<String> all = new LinkedBlockingQueue<>();
        final List<EnvironmentState> states = new CopyOnWriteArrayList<>();
        private final EnvironmentInterfaceStandard environment;

        Told(EnvironmentInterfaceStandard environment) {
            this.environment = environment;
            environment.attachEnvironmentListener(this);
        }

        @Override
        public void handleStateChange(EnvironmentState state) {
            states.add(state);
            all.add(state + " " + (environment.getState() == state));
        }

        @Override
        public void handleFreeEntity(String entity, Collection<String> agents) {
            all.add("free " + entity + " " + agents);
        }

        @Override
        public void handleDeletedEntity(String entity, Collection<String> agents) {
            all.add("deleted " + entity + " " + agents);
        }

        @Override
        public void handleNewEntity(String entity) {
            try {
                all.add("new " + entity + " " + environment.getType(entity));
            } catch (EntityException e) {
                all.add(e.toString());
            }
        }

        void await(String what) throws InterruptedException {
            List<String> before = new ArrayList<>();
            for (String next = all.poll(10, TimeUnit.SECONDS); !what.equals(next); next = all.poll(10, TimeUnit.SECONDS)) {
                before.add(next);
                assertTrue(next != null, what + " is not among " + before);
            }
        }
    }

    /** A platform in a process of its own: a jar and the address of a server. */
    static final class Alone {
        public static void main(String[] arguments) throws Exception {
            EnvironmentInterfaceStandard environment = EILoader.fromJarFile(new File(arguments[0]));
            environment.init(Map.of("url", new Identifier(arguments[1]), "environment", new Identifier("find-goals")));
            System.out.println(environment.getState() + " " + environment.getEntities());
            environment.kill();
            System.out.println(environment.getState());
        }
    }

    /** A platform in a process of its own has nothing but EIS, so the jar has to contain the rest. */
    @Test
    void the_jar_needs_nothing_but_eis() throws Exception {
        try (Server server = Server.serve("find-goals")) {
            String classes = Alone.class.getProtectionDomain().getCodeSource().getLocation().getPath();
            Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp",
                    System.getProperty("eis.jar") + File.pathSeparator + classes, Alone.class.getName(),
                    Platform.jar().getPath(), server.address()).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals("RUNNING [red, blue]\nKILLED\n", said);
            assertEquals(0, process.waitFor());
        }
    }

    @Test
    void a_platform_plays_find_the_goals() throws Exception {
        try (Server server = Server.serve("find-goals")) {
            EnvironmentInterfaceStandard environment = Platform.load();
            assertEquals(EnvironmentState.INITIALIZING, environment.getState());
            assertEquals("0.7.0", environment.requiredVersion());
            Told told = new Told(environment);
            environment.init(Platform.parameters(server, "find-goals"));
            assertEquals(EnvironmentState.RUNNING, environment.getState());
            assertEquals(Arrays.asList("red", "blue"), new ArrayList<>(environment.getEntities()));
            told.await("RUNNING true");
            told.await("new red walker");
            told.await("new blue walker");

            environment.registerAgent("ada");
            environment.registerAgent("bob");
            assertThrows(AgentException.class, () -> environment.registerAgent("ada"));
            assertThrows(PerceiveException.class, () -> environment.getPercepts("ada"));
            environment.associateEntity("ada", "red");
            environment.associateEntity("bob", "blue");
            environment.associateEntity("bob", "blue");
            assertEquals(Collections.emptyList(), new ArrayList<>(environment.getFreeEntities()));
            assertEquals(Set.of("red"), new HashSet<>(environment.getAssociatedEntities("ada")));
            assertEquals(Set.of("bob"), new HashSet<>(environment.getAssociatedAgents("blue")));
            assertThrows(RelationException.class, () -> environment.associateEntity("bob", "red"));
            assertThrows(RelationException.class, () -> environment.associateEntity("bob", "green"));
            assertThrows(RelationException.class, () -> environment.associateEntity("eve", "red"));

            BlockingQueue<Percept> heard = new LinkedBlockingQueue<>();
            environment.attachAgentListener("ada", (agent, percept) -> heard.add(percept));
            Platform ada = new Platform(environment, "ada");
            PerceptUpdate first = ada.perceive().get("red");
            assertEquals(8, first.getAddList().size(), "an entity sees its eight neighbours");
            assertTrue(first.getDeleteList().isEmpty());
            assertTrue(first.getAddList().contains(new Percept("see", new Identifier("north"), new Identifier("free"))));

            // Lockstep: an action ends when the other agent has acted.
            CompletableFuture<Void> other = run(() -> environment.performAction("bob", action("wait")));
            environment.performAction("ada", action("up"));
            other.get(10, TimeUnit.SECONDS);
            PerceptUpdate second = ada.perceive().get("red");
            Percept reward = new Percept("reward", new Numeral(-1));
            assertTrue(second.getAddList().contains(reward), "the percepts after an action contain what it has changed");
            assertTrue(second.getAddList().contains(new Percept("see", new Identifier("west"), new Identifier("free"))));
            assertEquals(reward, heard.poll(10, TimeUnit.SECONDS));
            PerceptUpdate third = ada.perceive().get("red");
            assertEquals(Collections.singletonList(reward), third.getDeleteList(), "an event is withdrawn by the next call");
            assertTrue(third.getAddList().isEmpty());
            assertTrue(ada.perceive().get("red").getDeleteList().isEmpty());

            environment.freePair("bob", "blue");
            told.await("free blue [bob]");
            assertEquals(Collections.singletonList("blue"), new ArrayList<>(environment.getFreeEntities()));
            environment.freeEntity("red");
            told.await("free red [ada]");
            environment.associateEntity("ada", "red");
            assertEquals(8, environment.getPercepts("ada").get("red").getAddList().size(), "it begins again");
            environment.unregisterAgent("ada");
            told.await("free red [ada]");
            assertEquals(Collections.singletonList("bob"), new ArrayList<>(environment.getAgents()));
            environment.kill();
            told.await("deleted red []");
            told.await("KILLED true");
        }
    }

    /** Does something on another thread. */
    private static CompletableFuture<Void> run(Executable doing) {
        return CompletableFuture.runAsync(() -> assertDoesNotThrow(doing));
    }

    /** Each agent has one thread that acts and one that perceives, while robots move and see. */
    @Test
    void two_threads_of_each_agent_act_and_perceive() throws Exception {
        try (Server server = Server.serve("bw4t", "--param", "robots=2", "--speed", "2000");
                Client observer = Client.connect(server.address())) {
            EnvironmentInterfaceStandard environment = Platform.open(server, "bw4t");
            List<String> robots = new ArrayList<>(environment.getEntities());
            assertEquals(2, robots.size());
            List<CompletableFuture<Void>> working = new ArrayList<>();
            List<Platform> platforms = new ArrayList<>();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
            for (String robot : robots) {
                String agent = "driver of " + robot;
                Platform.join(environment, agent, robot);
                Platform platform = new Platform(environment, agent);
                platforms.add(platform);
                working.add(run(() -> {
                    for (int i = 0; System.nanoTime() < end; i++) {
                        Identifier room = new Identifier("Room" + "ABC".charAt(i / 3 % 3) + (1 + i % 3));
                        environment.performAction(agent, action("goTo", room));
                        Thread.sleep(20);
                    }
                }));
                working.add(run(() -> {
                    while (System.nanoTime() < end) {
                        platform.perceive();
                    }
                }));
            }
            for (CompletableFuture<Void> one : working) {
                one.get(30, TimeUnit.SECONDS);
            }
            environment.pause();
            for (int i = 0; i < robots.size(); i++) {
                Platform platform = platforms.get(i);
                Set<Percept> expected = seenByAnother(observer, robots.get(i));
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
                do {
                    platform.perceive();
                } while (!platform.beliefs(robots.get(i)).equals(expected) && System.nanoTime() < deadline);
                Set<Percept> missing = new LinkedHashSet<>(expected);
                missing.removeAll(platform.beliefs(robots.get(i)));
                Set<Percept> wrong = new LinkedHashSet<>(platform.beliefs(robots.get(i)));
                wrong.removeAll(expected);
                assertEquals(List.of(Set.of(), Set.of()), List.of(missing, wrong), "percepts are missing, or wrong");
                assertTrue(expected.size() > 20, "it knows the map");
            }
            environment.kill();
        }
    }

    /** Returns what an entity perceives, according to another agent that begins to perceive through it. */
    private static Set<Percept> seenByAnother(Client client, String entity) {
        RemoteAgent witness = client.environment("bw4t").register("witness of " + entity);
        witness.associate(entity);
        Set<Percept> seen = new LinkedHashSet<>();
        witness.perceive().get(entity).add().forEach(percept -> seen.add(Iil.percept(percept)));
        return seen;
    }

    @Test
    void an_environment_that_is_not_there_is_created_with_its_parameters_and_ends_with_kill() throws Exception {
        try (Server server = Server.serve("find-goals"); Client observer = Client.connect(server.address())) {
            EnvironmentInterfaceStandard environment =
                    Platform.open(server, "bw4t", "robots", "3", "log", "true", "seed", 7.0, "patience", 60.0f);
            assertEquals(EnvironmentState.PAUSED, environment.getState());
            assertEquals(3, environment.getEntities().size());
            Map<?, ?> given = (Map<?, ?>) observer.environment("bw4t").describe().get("parameters");
            assertEquals(true, given.get("log"), "an identifier stands for a truth value where one is declared");
            Platform.join(environment, "ada", environment.getEntities().iterator().next());
            assertEquals(ActException.NOTSPECIFIC, actionType(environment, "ada", action("goTo", new Identifier("RoomA1"))));
            environment.start();
            assertEquals(EnvironmentState.RUNNING, environment.getState());
            environment.start();
            environment.performAction("ada", action("goTo", new Identifier("RoomA1")));
            environment.reset(Collections.singletonMap("robots", new Numeral(2.0)));
            assertEquals(EnvironmentState.PAUSED, environment.getState());
            assertEquals(2, environment.getEntities().size());
            Map<?, ?> kept = (Map<?, ?>) observer.environment("bw4t").describe().get("parameters");
            assertEquals(true, kept.get("log"), "the others are those of the last episode");
            ManagementException wrong = assertThrows(ManagementException.class, () ->
                    environment.reset(Collections.singletonMap("robot", new Numeral(2))));
            assertTrue(wrong.getMessage().contains("robots"), wrong.getMessage());
            environment.kill();
            assertEquals(EnvironmentState.KILLED, environment.getState());
            assertEquals(1, observer.environments().size(), "it is removed from the server");
        }
    }

    @Test
    void a_reset_succeeds_with_an_agent_without_entities_and_all_announced_transitions_are_valid() throws Exception {
        try (Server server = Server.serve("find-goals")) {
            EnvironmentInterfaceStandard environment = Platform.load();
            Told told = new Told(environment);
            environment.init(Platform.parameters(server, "find-goals"));
            environment.registerAgent("eve");
            Platform.join(environment, "ada", "red");
            Platform ada = new Platform(environment, "ada");
            ada.perceive();
            environment.reset(null);
            assertEquals(EnvironmentState.PAUSED, environment.getState());
            ada.perceive();
            assertEquals(8, ada.beliefs("red").size(), "it perceives the new episode");
            assertThrows(PerceiveException.class, () -> environment.getPercepts("eve"));
            environment.start();
            environment.kill();
            told.await("KILLED true");
            List<EnvironmentState> states = told.states;
            assertEquals(List.of(EnvironmentState.RUNNING, EnvironmentState.INITIALIZING, EnvironmentState.PAUSED,
                    EnvironmentState.RUNNING, EnvironmentState.KILLED), states);
            EnvironmentState last = EnvironmentState.INITIALIZING;
            for (EnvironmentState next : states) {
                assertTrue(environment.isStateTransitionValid(last, next), last + " to " + next);
                last = next;
            }
            assertFalse(environment.isStateTransitionValid(last, EnvironmentState.INITIALIZING), "the end is final");
        }
    }

    @Test
    void an_environment_that_is_there_goes_on_for_others_after_kill() throws Exception {
        try (Server server = Server.serve("bw4t", "--param", "robots=2"); Client other = Client.connect(server.address())) {
            RemoteAgent foreign = other.environment("bw4t").register("foreign");
            foreign.associate("Bot_1");
            EnvironmentInterfaceStandard environment = Platform.load();
            Told told = new Told(environment);
            environment.init(Platform.parameters(server, "bw4t"));
            told.await("RUNNING true");
            told.await("new Bot_2 bot");
            assertEquals(Collections.singletonList("Bot_2"), new ArrayList<>(environment.getFreeEntities()));
            foreign.unregister();
            told.await("free Bot_1 [foreign]");
            Platform.join(environment, "ada", "Bot_1");
            environment.kill();
            assertEquals("running", other.environment("bw4t").status().get("state"));
            assertEquals(List.of(), other.environment("bw4t").entities().get("Bot_1"), "the entity is free again");
            Exception twice = assertThrows(ManagementException.class, environment::kill);
            assertTrue(twice.getMessage().contains("already"), twice.getMessage());
        }
    }

    @Test
    void errors_of_actions_have_the_types_of_eis() throws Exception {
        try (Server server = Server.serve("bw4t", "--param", "robots=2")) {
            EnvironmentInterfaceStandard environment = Platform.open(server, "bw4t");
            assertEquals(ActException.NOTREGISTERED, actionType(environment, "ada", action("putDown")));
            environment.registerAgent("ada");
            assertEquals(ActException.NOENTITIES, actionType(environment, "ada", action("putDown")));
            environment.associateEntity("ada", "Bot_1");
            assertEquals(ActException.WRONGENTITY, actionType(environment, "ada", action("putDown"), "Bot_2"));
            assertEquals(ActException.NOTSUPPORTEDBYENVIRONMENT, actionType(environment, "ada", action("jump")));
            assertEquals(ActException.FAILURE, actionType(environment, "ada", action("putDown")));
            assertEquals(ActException.FAILURE, actionType(environment, "ada", action("pickUp", new Numeral(9.0))));
            ParameterList endless = new ParameterList();
            endless.add(endless);
            assertEquals(ActException.FAILURE,
                    actionType(environment, "ada", action("sendMessage", new Identifier("all"), endless)));
            environment.pause();
            assertEquals(ActException.NOTSPECIFIC, actionType(environment, "ada", action("putDown")));
            assertFalse(environment.getPercepts("ada").isEmpty(), "percepts can be read in a pause");
            assertThrows(PerceiveException.class, () -> environment.getPercepts("ada", "Bot_2"));
            assertEquals("bot", environment.queryEntityProperty("Bot_1", "type"));
            assertEquals(null, environment.queryProperty("log"), "it is not kept");
            QueryException unknown =
                    assertThrows(QueryException.class, () -> environment.queryProperty("REWARD ada"));
            assertTrue(unknown.getMessage().contains("it has `map`, `log`"), unknown.getMessage());
            assertThrows(QueryException.class, () -> environment.queryEntityProperty("Bot_1", "REWARD"));
            environment.kill();
        }
    }

    @Test
    void all_terms_survive_the_trip() throws Exception {
        try (Server server = Server.serve("bw4t", "--param", "robots=2", "--speed", "1000")) {
            EnvironmentInterfaceStandard environment = Platform.open(server, "bw4t");
            Platform.join(environment, "ada", "Bot_1");
            Platform.join(environment, "bob", "Bot_2");
            BlockingQueue<Percept> heard = new LinkedBlockingQueue<>();
            environment.attachAgentListener("bob", (agent, percept) -> heard.add(percept));
            Parameter content = new Function("terms", new Identifier(""), new Identifier("Hello, \"World\"! é"),
                    new Numeral(2), new Numeral(2.0), new Numeral(-0.0), new Numeral(1L << 53), new Numeral(Long.MIN_VALUE),
                    new Numeral(1e300), new TruthValue(true), new Identifier("true"), new ParameterList(),
                    new ParameterList(new Function("f"), new ParameterList(new Numeral(1))));
            environment.performAction("ada", action("sendMessage", new Identifier("all"), content));
            Percept message = heard.poll(10, TimeUnit.SECONDS);
            assertEquals("message", message.getName());
            assertEquals(content, message.getParameters().get(1));
            environment.kill();
        }
    }

    @Test
    void kill_leaves_no_thread() throws Exception {
        try (Server server = Server.serve("find-goals")) {
            List<String> before = threads();
            EnvironmentInterfaceStandard environment = Platform.open(server, "find-goals");
            Platform.join(environment, "ada", "red");
            assertNotEquals(before, threads());
            environment.kill();
            assertThreads(before);
            EnvironmentInterfaceStandard never = Platform.load();
            never.kill();
            assertThrows(ManagementException.class, () -> never.init(Platform.parameters(server, "find-goals")));
        }
    }

    @Test
    void a_server_that_dies_ends_calls_and_the_environment() throws Exception {
        List<String> before = threads();
        try (Server server = Server.serve("find-goals")) {
            EnvironmentInterfaceStandard environment = Platform.load();
            Told told = new Told(environment);
            environment.init(Platform.parameters(server, "find-goals", "patience", 1));
            Platform.join(environment, "ada", "red");
            Platform.join(environment, "bob", "blue");
            // Lockstep: nobody acts for the other entity, so the action waits.
            CompletableFuture<ActException> failed = CompletableFuture.supplyAsync(() ->
                    assertThrows(ActException.class, () -> environment.performAction("ada", action("up"))));
            Thread.sleep(300);
            assertFalse(failed.isDone());
            server.kill();
            ActException failure = failed.get(20, TimeUnit.SECONDS);
            assertEquals(ActException.FAILURE, failure.getType());
            assertTrue(failure.getMessage().contains("check that the server is running"), failure.getMessage());
            told.await("deleted red [ada]");
            told.await("KILLED true");
            assertEquals(EnvironmentState.KILLED, environment.getState());
            assertThrows(NoEnvironmentException.class, () -> environment.getPercepts("ada"));
            assertThrows(ManagementException.class, environment::pause);
            environment.unregisterAgent("ada");
            environment.kill();
            assertThreads(before);
        }
    }

    @Test
    void an_environment_that_others_remove_is_killed() throws Exception {
        try (Server server = Server.serve("find-goals"); Client other = Client.connect(server.address())) {
            EnvironmentInterfaceStandard environment = Platform.load();
            Told told = new Told(environment);
            environment.init(Platform.parameters(server, "find-goals"));
            other.environment("find-goals").remove();
            told.await("KILLED true");
            assertEquals(EnvironmentState.KILLED, environment.getState());
            assertThrows(AgentException.class, () -> environment.registerAgent("ada"));
        }
    }

    @Test
    void a_command_starts_and_ends_the_server() throws Exception {
        EnvironmentInterfaceStandard environment = Platform.load();
        Map<String, Parameter> parameters = Map.of("environment", new Identifier("find-goals"), "command",
                new Identifier(Server.binary() + " serve find-goals --port 0 --log-level error"));
        environment.init(parameters);
        assertEquals(2, environment.getEntities().size());
        List<ProcessHandle> servers = ProcessHandle.current().children().collect(Collectors.toList());
        assertEquals(1, servers.size());
        environment.kill();
        assertFalse(servers.get(0).onExit().get(10, TimeUnit.SECONDS).isAlive());
    }

    @Test
    void kill_does_not_wait_for_an_init_which_ends_its_server(@TempDir Path folder) throws Exception {
        Path script = Files.writeString(folder.resolve("serve.sh"), "touch " + folder + "/begun\n"
                + "while [ ! -e " + folder + "/go ]; do sleep 0.05; done\n"
                + "exec " + Server.binary() + " serve find-goals --port 0 --log-level error\n");
        EnvironmentInterfaceStandard environment = Platform.load();
        CompletableFuture<String> init = CompletableFuture.supplyAsync(() -> assertThrows(ManagementException.class,
                () -> environment.init(Map.of("environment", new Identifier("find-goals"), "command",
                        new Identifier("sh " + script)))).getMessage());
        while (!Files.exists(folder.resolve("begun"))) {
            Thread.sleep(10);
        }
        List<ProcessHandle> servers = ProcessHandle.current().children().collect(Collectors.toList());
        environment.kill();
        assertFalse(init.isDone());
        assertEquals(EnvironmentState.KILLED, environment.getState());
        Files.createFile(folder.resolve("go"));
        String message = init.get(30, TimeUnit.SECONDS);
        assertTrue(message.contains("it was killed meanwhile"), message);
        assertFalse(servers.get(0).onExit().get(10, TimeUnit.SECONDS).isAlive());
    }

    @Test
    void wrong_parameters_of_init_are_explained() throws Exception {
        try (Server server = Server.serve("find-goals")) {
            assertFails(Map.of(), "`environment` is missing");
            assertFails(Map.of("environment", new Numeral(1)), "`environment` is a text, not 1");
            Identifier name = new Identifier("find-goals");
            assertFails(Map.of("environment", name, "url", new Identifier("tcp://127.0.0.1:1")),
                    "cannot connect to tcp://127.0.0.1:1");
            assertFails(Map.of("environment", name, "url", new Identifier("localhost")), "write it as tcp://HOST:PORT");
            assertFails(Map.of("environment", name, "command", new Identifier("no-such-program serve")), "no-such-program");
            assertFails(Map.of("environment", name, "command", new Identifier("true")), "without the address of a server");
            assertFails(Platform.parameters(server, "find-gaols"), "find-goals");
            assertFails(Platform.parameters(server, "find-goals", "view", "global"), "is already there");
            assertFails(Platform.parameters(server, "bw4t", "robots", "many"), "robots");
            assertFails(Platform.parameters(server, "bw4t", "seed", "x"), "`seed` is a whole number");
            assertFails(Platform.parameters(server, "bw4t", "seed", 7.5), "`seed` is a whole number");
        }
    }

    private static void assertFails(Map<String, Parameter> parameters, String message) throws Exception {
        List<String> before = threads();
        EnvironmentInterfaceStandard environment = Platform.load();
        String said = assertThrows(ManagementException.class, () -> environment.init(parameters)).getMessage();
        assertTrue(said.contains(message), said);
        assertEquals(EnvironmentState.INITIALIZING, environment.getState());
        assertThreads(before);
    }
}
