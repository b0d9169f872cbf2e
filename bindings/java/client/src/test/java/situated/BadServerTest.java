package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client against servers that die, or speak something else. No thread hangs, and each error says what to do. */
class BadServerTest {
    private static final String GREETING = "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocol\":2,\"server\":\"fake\","
            + "\"rights\":[\"act\"],\"resume\":\"r\",\"resumed\":false,\"graceMs\":1000,\"limits\":{\"frameBytes\":1000000},"
            + "\"time\":1}}";

    private ServerSocket listening;
    private volatile Socket accepted;

    /** Runs a server that answers each line of a client with the next one of these, and then says nothing. */
    private String say(String... answers) throws IOException {
        // Another server may take the place of this one before its thread ends.
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listening = server;
        Threads.start("fake-server", () -> {
            try {
                while (true) {
                    Socket socket = server.accept();
                    accepted = socket;
                    Threads.start("fake-connection", () -> answer(socket, answers));
                }
            } catch (IOException e) {
                // It is closed.
            }
        });
        return "tcp://127.0.0.1:" + server.getLocalPort();
    }

    private static void answer(Socket socket, String... answers) {
        try (Socket closing = socket;
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                OutputStream out = socket.getOutputStream()) {
            int next = 0;
            while (in.readLine() != null) {
                if (next < answers.length) {
                    out.write((answers[next++] + "\n").getBytes(StandardCharsets.UTF_8));
                }
            }
        } catch (IOException e) {
            // The client is gone.
        }
    }

    @Test
    void a_command_without_an_address_is_ended() {
        // The grandchild keeps the output open when the command has ended.
        ProcessBuilder silent = new ProcessBuilder("sh", "-c", "echo hello; sleep 5; true");
        IOException failed = assertTimeoutPreemptively(Duration.ofSeconds(10), () ->
                assertThrows(IOException.class, () -> LocalServer.start(silent, 500)));
        assertTrue(failed.getMessage().contains("within 0.5 s") && failed.getMessage().contains("over TCP at HOST:PORT"),
                failed.getMessage());
        IOException ended = assertThrows(IOException.class, () -> LocalServer.start("true"));
        assertTrue(ended.getMessage().contains("`true` has ended"), ended.getMessage());
    }

    @AfterEach
    void close() throws Exception {
        if (listening != null) {
            listening.close();
        }
        // All threads of clients end when their sessions have ended.
        for (int i = 0; !threads().isEmpty(); i++) {
            assertTrue(i < 100, "these threads are left: " + threads());
            Thread.sleep(100);
        }
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .filter(name -> name.startsWith("situated-")).collect(Collectors.toSet());
    }

    private static String error(int code, String kind, String message) {
        return "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":" + code + ",\"message\":\"" + message
                + "\",\"data\":{\"kind\":\"" + kind + "\"}}}";
    }

    @Test
    void a_server_of_another_version_is_named() throws Exception {
        String refusing = say(error(-32001, "version", "this server speaks version 3 of the protocol, not 2"));
        assertEquals("version", assertThrows(SituatedException.Refused.class, () -> Client.connect(refusing)).kind());
        listening.close();
        String accepting = say(GREETING.replace("\"protocol\":2", "\"protocol\":3"));
        String message = assertThrows(SituatedException.Misunderstood.class, () -> Client.connect(accepting)).getMessage();
        assertTrue(message.contains("version 3") && message.contains("same version"), message);
    }

    @Test
    void what_is_no_greeting_is_an_error() throws Exception {
        for (String line : Arrays.asList("", "HTTP/1.1 400 Bad Request", "[]", "{}", "null", "{\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":7}", "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":\"no\"}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"closing\",\"params\":{}}")) {
            String address = say(line);
            SituatedException thrown = assertThrows(SituatedException.class, () -> Client.connect(address), line);
            assertFalse(thrown.getMessage().isEmpty());
            listening.close();
        }
    }

    @Test
    void an_address_where_nobody_listens_is_an_error() throws Exception {
        String address = say();
        listening.close();
        String message = assertThrows(SituatedException.CannotConnect.class, () -> Client.connect(address)).getMessage();
        assertTrue(message.contains(address) && message.contains("check that the server is running"), message);
    }

    @Test
    void a_text_that_is_no_address_is_an_error() {
        for (String text : Arrays.asList("localhost:7467", "http://localhost", "ws://localhost", "tcp://", "tcp://a:b",
                "tcp://a:99999", "tcp://a/ws", "tcp://[::1")) {
            String message = assertThrows(SituatedException.InvalidAddress.class, () -> Client.to(text)).getMessage();
            assertTrue(message.contains("tcp://HOST:PORT"), message);
        }
        assertEquals("tcp://[::1]:7467", Address.parse("tcp://[::1]").toString());
    }

    @Test
    void malformed_messages_end_the_connection_and_not_the_client() throws Exception {
        for (String line : Arrays.asList("{", "7", "[[]]", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"step\",\"params\":{}}", "{\"method\":\"closing\"}")) {
            Client client = Client.to(say(GREETING, line)).patienceMs(500).connect();
            CompletableFuture<?> asked = client.callAsync("pass", Collections.emptyMap());
            ExecutionException failed = assertThrows(ExecutionException.class, () -> asked.get(20, TimeUnit.SECONDS), line);
            assertTrue(failed.getCause() instanceof SituatedException.Uncertain, line + ": " + failed.getCause());
            listening.close();
            client.close();
        }
    }

    @Test
    void answers_of_another_form_are_errors_of_their_calls() throws Exception {
        String result = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":";
        for (String answer : Arrays.asList("7}", "{}}", "{\"moment\":{},\"perceptions\":[{\"entity\":7}]}}",
                "{\"moment\":{},\"perceptions\":[{\"entity\":\"e\",\"since\":[0,0],\"version\":[1]}]}}",
                "{\"moment\":{},\"perceptions\":[{\"entity\":\"e\",\"since\":[0,0],\"version\":[1,0],\"add\":[7]}]}}")) {
            try (Client client = Client.connect(say(GREETING, result + answer))) {
                RemoteAgent agent = new RemoteAgent(client, "maze", "ada", "ada");
                assertThrows(SituatedException.Misunderstood.class, agent::perceive, answer);
            }
            listening.close();
        }
    }

    @Test
    void a_server_that_dies_fails_the_calls_that_wait() throws Exception {
        try (Server server = Server.serve("find-goals")) {
            Client client = Client.to(server.address()).patienceMs(300).connect();
            RemoteAgent agent = client.environment("find-goals").register("ada");
            agent.associate("red");
            RemoteAgent other = client.environment("find-goals").register("eve");
            other.associate("blue");
            // Lockstep: the answer does not come before the other has acted.
            CompletableFuture<Acted> waiting = agent.stepAsync(new Action("up"));
            CompletableFuture<?> wait = client.callAsync("ping", Collections.emptyMap());
            wait.get(10, TimeUnit.SECONDS);
            server.kill();
            ExecutionException failed = assertThrows(ExecutionException.class, () -> waiting.get(20, TimeUnit.SECONDS));
            assertTrue(failed.getCause() instanceof SituatedException.Ended, String.valueOf(failed.getCause()));
            assertTrue(failed.getCause().getMessage().contains("check that the server is running"));
            assertThrows(SituatedException.Ended.class, () -> other.act("up"));
        }
    }

    @Test
    void a_server_that_falls_silent_counts_as_lost() throws Exception {
        Client client = Client.to(say(GREETING)).patienceMs(100).connect();
        CompletableFuture<?> asked = client.callAsync("pass", Collections.emptyMap());
        listening.close();
        ExecutionException failed = assertThrows(ExecutionException.class, () -> asked.get(30, TimeUnit.SECONDS));
        assertTrue(failed.getCause().getMessage().contains("has not answered for 4 s"), failed.getCause().getMessage());
        assertThrows(SituatedException.Ended.class, () -> {
            while (true) {
                client.call("ping", Collections.emptyMap());
            }
        });
    }

    @Test
    void a_server_that_reads_nothing_blocks_no_caller_for_ever() throws Exception {
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        writeToTheDeaf("tcp");
    }

    /** An encrypted socket cannot be closed while a thread writes to it. */
    @Test
    void a_server_that_reads_nothing_over_tls_blocks_no_caller_for_ever(@TempDir Path folder) throws Exception {
        SSLContext former = SSLContext.getDefault();
        SSLContext context = trusted(folder.resolve("keys"));
        SSLContext.setDefault(context);
        try {
            listening = context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
            writeToTheDeaf("tls");
        } finally {
            SSLContext.setDefault(former);
        }
    }

    /** Returns a context with a new key for this machine, which it trusts itself. */
    private static SSLContext trusted(Path keys) throws Exception {
        String keytool = Paths.get(System.getProperty("java.home"), "bin", "keytool").toString();
        Process made = new ProcessBuilder(keytool, "-genkeypair", "-keyalg", "EC", "-dname", "CN=localhost", "-ext",
                "san=ip:127.0.0.1", "-validity", "2", "-storetype", "PKCS12", "-keystore", keys.toString(), "-storepass",
                "password").redirectErrorStream(true).redirectOutput(keys.resolveSibling("said").toFile()).start();
        assertEquals(0, made.waitFor());
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, "password".toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(store, "password".toCharArray());
        TrustManagerFactory others = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        others.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), others.getTrustManagers(), null);
        return context;
    }

    private void writeToTheDeaf(String scheme) throws Exception {
        Threads.start("deaf-server", () -> {
            try (Socket socket = listening.accept()) {
                socket.getOutputStream().write((GREETING + "\n").getBytes(StandardCharsets.UTF_8));
                Thread.sleep(60_000);
            } catch (IOException | InterruptedException e) {
                // The test is over.
            }
        });
        Client client = Client.to(scheme + "://127.0.0.1:" + listening.getLocalPort()).patienceMs(100).connect();
        String large = new String(new char[900_000]).replace('\0', 'x');
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                while (true) {
                    client.callAsync("query", Collections.singletonMap("property", large));
                }
            } catch (SituatedException e) {
                thrown.complete(e);
            }
        });
        caller.start();
        Thread.sleep(500);
        listening.close();
        Throwable end = thrown.get(30, TimeUnit.SECONDS);
        assertTrue(end instanceof SituatedException.Ended || end instanceof SituatedException.Busy, end.toString());
        caller.join(1000);
        assertFalse(caller.isAlive());
        assertTimeoutPreemptively(Duration.ofSeconds(5), client::close);
    }
}
