package situated;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A server that plays a recorded conversation of tests/conversations, and notices if the client says something else.
 */
final class Conversation implements AutoCloseable {
    private final List<Map<String, Object>> script = new ArrayList<>();
    private final ServerSocket listening;
    private final CompletableFuture<Void> played = new CompletableFuture<>();

    Conversation(String name) throws IOException {
        File file = new File(Server.root(), "tests/conversations/" + name + ".jsonl");
        for (String line : Files.readAllLines(file.toPath())) {
            script.add(Data.object(Json.read(line)));
        }
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Threads.start("conversation", () -> {
            try {
                play();
                played.complete(null);
            } catch (IOException | RuntimeException | AssertionError e) {
                played.completeExceptionally(e);
                stop();
            }
        });
    }

    String address() {
        return "tcp://127.0.0.1:" + listening.getLocalPort();
    }

    private void play() throws IOException {
        int next = 0;
        while (next < script.size()) {
            try (Socket client = listening.accept()) {
                next = play(client, next) + 1;
            }
        }
    }

    /** Plays until the line that loses the connection, and returns its number. */
    private int play(Socket client, int begin) throws IOException {
        Said said = new Said(client);
        Map<Object, Object> ids = new HashMap<>();
        int next = begin;
        for (; next < script.size() && !script.get(next).containsKey("lost"); next++) {
            Map<String, Object> line = script.get(next);
            if (line.containsKey("sent")) {
                Map<String, Object> expected = Data.object(line.get("sent"));
                ids.put(expected.get("id"), said.expect(expected));
            } else {
                Map<String, Object> message = new LinkedHashMap<>(Data.object(line.get("received")));
                message.computeIfPresent("id", (key, id) -> ids.get(id));
                client.getOutputStream().write((Json.write(message) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        return next;
    }

    /** The messages of a client. Notifications may be repeated, and come before or after the calls around them. */
    private static final class Said {
        private final BufferedReader lines;
        private final Set<List<Object>> notifications = new HashSet<>();
        private final Deque<Map<String, Object>> calls = new ArrayDeque<>();

        Said(Socket client) throws IOException {
            lines = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
        }

        /** Waits for a message; returns its id. */
        Object expect(Map<String, Object> expected) throws IOException {
            List<Object> essence = essence(expected);
            boolean isCall = expected.containsKey("id");
            while (isCall ? calls.isEmpty() : !notifications.contains(essence)) {
                String line = lines.readLine();
                if (line == null) {
                    throw new AssertionError("expected " + essence + ", and the client has gone");
                }
                Map<String, Object> message = Data.object(Json.read(line));
                if (message.containsKey("id")) {
                    calls.add(message);
                } else {
                    notifications.add(essence(message));
                }
            }
            if (isCall && !essence.equals(essence(calls.element()))) {
                throw new AssertionError("expected " + essence + "\nthe client said " + essence(calls.element()));
            }
            return isCall ? calls.remove().get("id") : null;
        }
    }

    /** Returns what counts of a message of the client. */
    private static List<Object> essence(Map<String, Object> message) {
        Map<String, Object> params = message.get("params") == null ? new TreeMap<>() : Data.object(message.get("params"));
        if (message.get("method").equals("hello")) {
            params = new TreeMap<>(params);
            params.keySet().retainAll(Arrays.asList("protocol", "role", "resume"));
        }
        return Arrays.asList(message.get("method"), withoutDefaults(params));
    }

    private static Object withoutDefaults(Object value) {
        if (value instanceof Map) {
            Map<String, Object> fields = new TreeMap<>();
            Data.object(value).forEach((key, field) -> {
                if (!isDefault(key, field)) {
                    fields.put(key, withoutDefaults(field));
                }
            });
            return fields;
        } else if (value instanceof List) {
            List<Object> items = new ArrayList<>();
            ((List<?>) value).forEach(item -> items.add(withoutDefaults(item)));
            return items;
        }
        return value;
    }

    private static boolean isDefault(String key, Object value) {
        return value == null || value instanceof Collection && ((Collection<?>) value).isEmpty()
                || value instanceof Map && ((Map<?, ?>) value).isEmpty()
                || key.equals("form") && value.equals("update") || key.equals("perceive") && value.equals(true)
                || key.equals("intervalMs") && value.equals(0L);
    }

    private void stop() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Fails unless all was said as recorded. */
    @Override
    public void close() throws Exception {
        try {
            played.get(20, TimeUnit.SECONDS);
        } finally {
            stop();
        }
    }
}
