package situated.eis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import situated.Client;
import situated.Json;
import situated.Percept;
import situated.RemoteAgent;
import situated.RemoteEnvironment;
import situated.Server;
import situated.SituatedException;
import situated.Subscription;
import strange.Strange;

/** Environments of EIS in jars, offered by the command. */
class HostTest {
    @TempDir
    private Path folder;

    private static Server serve(Path jar, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(Arrays.asList("--eis", jar.toString()));
        arguments.addAll(Arrays.asList(options));
        return Server.serve(arguments.toArray(new String[0]));
    }

    private static Path real(String name) {
        return Path.of(System.getenv("SITUATED_PEERS"), name);
    }

    /** Packs the strange environment into a jar, with the real EIS beside it. */
    private static Path pack(Path folder) throws IOException {
        Files.copy(real("eis/eis-0.7.0.jar"), folder.resolve("eis-0.7.0.jar"));
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Strange.class.getName());
        Path jar = folder.resolve("strange.jar");
        try (OutputStream out = Files.newOutputStream(jar); JarOutputStream packed = new JarOutputStream(out, manifest);
                InputStream code = Strange.class.getResourceAsStream("Strange.class")) {
            packed.putNextEntry(new ZipEntry("strange/Strange.class"));
            code.transferTo(packed);
        }
        return jar;
    }

    private static RemoteAgent agent(RemoteEnvironment environment, String entity) {
        RemoteAgent agent = environment.register("agent of " + entity);
        agent.associate(entity);
        return agent;
    }

    private static void await(BooleanSupplier isSo) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!isSo.getAsBoolean() && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        assertTrue(isSo.getAsBoolean());
    }

    @Test
    void an_agent_in_python_builds_a_tower_in_the_blocks_world() throws Exception {
        try (Server server = serve(real("blocksworld/blocksworld.jar"), "--param", "gui=false", "--param", "start=[2,0,0,3]");
                Client client = Client.connect(server.address())) {
            RemoteEnvironment environment = client.environment("blocksworld");
            RemoteAgent witness = agent(environment, "gripper");
            Set<Percept> first = new HashSet<>(witness.perceive().get("gripper").add());
            assertEquals(Set.of(new Percept("on", "b1", "b2"), new Percept("on", "b2", "table"),
                    new Percept("on", "b3", "table"), new Percept("on", "b4", "b3")), first);
            Process python = new ProcessBuilder("python3", Server.root() + "/examples/blocks_agent.py", server.address())
                    .redirectErrorStream(true).start();
            String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, python.waitFor(), said);
            witness.perceive();
            assertEquals(Set.of(new Percept("on", "b1", "table"), new Percept("on", "b2", "b1"),
                    new Percept("on", "b3", "b2"), new Percept("on", "b4", "b3")), witness.beliefs("gripper"));

            SituatedException.NotDone failed = assertThrows(SituatedException.NotDone.class, () -> witness.act("move", "b1", "b3"));
            assertEquals("failure", failed.kind());
            SituatedException.NotDone unknown = assertThrows(SituatedException.NotDone.class, () -> witness.act("jump"));
            assertEquals("notSupportedByEntity", unknown.kind());
            String ontology = String.valueOf(environment.describe().get("ontology"));
            assertTrue(ontology.contains("{name=move") && ontology.contains("{name=on") && !ontology.contains("jump"), ontology);

            // EIS has no scenes; a subscriber gets an empty one.
            Map<String, ?> scene = Map.of("scene", Map.of("environment", "blocksworld"));
            try (Subscription<Map<String, Object>> seen = client.subscribe(scene)) {
                assertEquals(0L, seen.receive(10, TimeUnit.SECONDS).get("count"));
            }
            // The environment itself cannot be reset.
            environment.reset();
            witness.perceive();
            assertEquals(first, witness.beliefs("gripper"));
        }
    }

    static boolean hasDisplay() {
        return System.getenv("PATH").lines().flatMap(path -> Arrays.stream(path.split(":")))
                .anyMatch(bin -> Files.isExecutable(Path.of(bin, "Xvfb")));
    }

    @Test
    @EnabledIf("hasDisplay")
    void the_tower_world_runs_with_a_virtual_display() throws Exception {
        Process display = new ProcessBuilder("Xvfb", ":917", "-screen", "0", "1024x768x24").start();
        try (Server server = Server.serveWith(Map.of("DISPLAY", ":917"), "--eis", real("tower/tower.jar").toString());
                Client client = Client.connect(server.address())) {
            RemoteEnvironment environment = client.environment("tower");
            assertEquals(Map.of("gripper", List.of()), environment.entities());
            RemoteAgent agent = agent(environment, "gripper");
            agent.perceive();
            agent.act("nil");
            environment.pause();
            assertEquals("paused", environment.status().get("state"));
            environment.start();
            environment.reset();
            assertEquals(Map.of("gripper", List.of("agent of gripper")), environment.entities());
        } finally {
            display.destroy();
        }
    }

    @Test
    void an_environment_that_opens_a_window_says_so_without_a_display() throws Exception {
        String said = failure(Map.of("DISPLAY", ""), real("tower/tower.jar").toString());
        assertTrue(said.contains("xvfb-run"), said);
    }

    @Test
    void entities_events_and_percepts_come_and_go() throws Exception {
        try (Server server = serve(pack(folder), "--param", "level=3");
                Client client = Client.connect(server.address())) {
            RemoteEnvironment environment = client.environment("strange");
            RemoteAgent agent = agent(environment, "one");
            agent.perceive();
            assertEquals(Set.of(new Percept("parameters", "1")), agent.beliefs("one"));
            agent.act("count");
            assertEquals(List.of(new Percept("counted", 1, 0.5)), agent.perceive().get("one").add());
            agent.act("mumble");
            assertEquals(List.of(new Percept("spoken")), agent.perceive().get("one").add());
            agent.act("shout", "hello");
            agent.act("shout", "again");
            List<Percept> heard = new ArrayList<>();
            await(() -> {
                heard.addAll(agent.perceive().get("one").events());
                return heard.size() >= 2;
            });
            assertEquals(List.of(new Percept("heard", "hello"), new Percept("heard", "again")), heard);
            agent.act("spawn");
            await(() -> environment.entities().containsKey("two"));
            agent.act("vanish");
            await(() -> !environment.entities().containsKey("two"));
            agent.act("spawnShy");
            await(() -> environment.entities().containsKey("shy"));
            agent.act("replace");
            assertEquals(List.of(), environment.entities().get("one"));
            agent.associate("one");
            agent.perceive();
            assertEquals(Set.of(new Percept("replaced")), agent.beliefs("one"));
            agent.act("stop");
            await(() -> "paused".equals(environment.status().get("state")));
        }
    }

    @Test
    void an_ontology_in_a_file_has_its_own_documentation_and_types() throws Exception {
        Path jar = pack(folder);
        String learned;
        try (Server server = serve(jar); Client client = Client.connect(server.address())) {
            learned = Json.write(client.environment("strange").describe().get("ontology"));
        }
        assertTrue(learned.contains("\"parameters\"") && learned.contains("\"any\""), learned);
        String shout = "{\"name\":\"shout\",\"documentation\":\"\",\"parameters\":"
                + "[{\"name\":\"word\",\"documentation\":\"\",\"type\":\"identifier\"}]}";
        String declared = learned.replace("Seen in the environment.", "Declared.").replace("\"any\"", "\"identifier\"")
                .replace("\"actions\":[]", "\"actions\":[" + shout + "]");
        Path wrong = Files.writeString(folder.resolve("wrong.json"), learned.replace("\"any\"", "\"number\""));
        assertFails("has not begun: the host of `strange` sent an invalid update", jar, "--eis-ontology", wrong.toString());
        Path file = Files.writeString(folder.resolve("strange.json"), declared);
        try (Server server = serve(jar, "--eis-ontology", file.toString());
                Client client = Client.connect(server.address())) {
            RemoteEnvironment environment = client.environment("strange");
            RemoteAgent agent = agent(environment, "one");
            agent.perceive();
            assertEquals(Set.of(new Percept("parameters", "0")), agent.beliefs("one"));
            agent.act("count");
            assertEquals(List.of(new Percept("counted", 1, 0.5)), agent.perceive().get("one").add());
            String ontology = Json.write(environment.describe().get("ontology"));
            assertTrue(ontology.contains("Declared.") && ontology.contains("\"counted\""), ontology);
            agent.act("spawnShy");
            await(() -> environment.entities().containsKey("shy"));
            agent(environment, "shy").act("shout", "hello");
            assertEquals(2, Json.write(environment.describe().get("ontology")).split(Pattern.quote(shout), -1).length - 1);
            // The process of the next episode begins with the file, too.
            environment.reset();
            agent.associate("one");
            agent.perceive();
            assertEquals(Set.of(new Percept("parameters", "0")), agent.beliefs("one"));
        }
    }

    @Test
    void errors_of_an_environment_reach_the_agent_and_nothing_hangs() throws Exception {
        try (Server server = serve(pack(folder)); Client client = Client.connect(server.address())) {
            RemoteEnvironment environment = client.environment("strange");
            RemoteAgent agent = agent(environment, "one");
            assertRefused("no fly here", () -> agent.act("fly"));
            assertRefused("StackOverflowError", () -> agent.act("error"));
            assertRefused("its process has ended; reset the environment", () -> agent.act("exit"));
            assertEquals(Map.of(), environment.entities());
            environment.reset();
            environment.start();
            agent.associate("one");
            agent.act("count");
            assertRefused("", () -> agent.act("hang"));
            // A reset ends the process that hangs.
            environment.reset();
            environment.start();
            assertEquals(Map.of("one", List.of("agent of one")), environment.entities());
            agent.act("count");
            // Even a reset that fails has ended the process of the last episode.
            Map<String, ?> refusal = Map.of("reset", Map.of("parameters", Map.of("mode", "refuse")));
            assertRefused("mode is refuse", () -> client.call("manage", Map.of("environment", "strange", "command", refusal)));
            assertEquals(Map.of(), environment.entities());
        }
    }

    private static void assertRefused(String reason, Runnable call) {
        String message = assertThrows(SituatedException.Refused.class, call::run).getMessage();
        assertTrue(message.contains(reason), message);
    }

    @Test
    void an_environment_that_does_not_begin_ends_the_command_with_the_reason() throws Exception {
        Path jar = pack(folder);
        assertFails("mode is refuse", jar, "--param", "mode=refuse");
        assertFails("java.lang.AssertionError: broken", jar, "--param", "mode=error");
        assertFails("situated: init has failed: java.lang.AssertionError: broken\n\tat strange.Strange.init(Strange.java:", jar,
                "--param", "mode=error");
        assertFails("the environment has not begun: its process has ended", jar, "--param", "mode=exit");
        assertFails("cannot read", folder.resolve("missing.jar"));
        Path none = Files.writeString(folder.resolve("none.jar"), "no jar");
        assertFails("zip", none);
        Files.delete(folder.resolve("eis-0.7.0.jar"));
        assertFails("eis-0.7.0.jar, into the folder of the jar", jar);
        String java = failure(Map.of("JAVA_HOME", "/nowhere"), jar.toString());
        assertTrue(java.contains("there is no Java at `/nowhere/bin/java`; install"), java);
        String host = failure(Map.of("SITUATED_EIS_HOST", "/nowhere.jar"), jar.toString());
        assertTrue(host.contains("set SITUATED_EIS_HOST to its path"), host);
    }

    private static void assertFails(String reason, Path jar, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(Arrays.asList(jar.toString()));
        arguments.addAll(Arrays.asList(options));
        String said = failure(Map.of(), arguments.toArray(new String[0]));
        assertTrue(said.contains(reason), said);
    }

    /** Returns what the command says when it cannot offer a jar. */
    private static String failure(Map<String, String> variables, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(Arrays.asList(Server.binary(), "serve", "--port", "0", "--log-level", "error", "--eis"));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(variables);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(1, process.waitFor(), said);
        return said;
    }
}
