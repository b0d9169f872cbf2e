package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Threads that take turns to read from one connection. */
class TurnsTest {
    private static final int PATIENCE_S = 60;

    private Server server;
    private Client client;

    @BeforeEach
    void connect() throws Exception {
        server = Server.serve("find-goals", "--pace", "reactive");
        client = Client.connect(server.address());
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        server.close();
    }

    /** Makes calls, one after another, until this thread has read an answer itself. */
    private void callUntilThisThreadReads() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        Thread reader = null;
        while (reader != Thread.currentThread()) {
            assertTrue(System.nanoTime() < deadline, "callers never read");
            CompletableFuture<Thread> reading =
                    client.callAsync("ping", Collections.emptyMap()).thenApply(answer -> Thread.currentThread());
            reader = client.await("ping", () -> reading);
        }
    }

    @Test
    void notifications_come_when_callers_have_read_and_none_calls() throws Exception {
        RemoteAgent red = client.environment("find-goals").register("ada");
        red.associate("red");
        LinkedBlockingQueue<Percept> events = new LinkedBlockingQueue<>();
        red.listen(news -> events.addAll(news.get("red").events()));
        try (Client other = Client.connect(server.address())) {
            RemoteAgent blue = other.environment("find-goals").register("eve");
            blue.associate("blue");
            for (int step = 0; step < 20; step++) {
                callUntilThisThreadReads();
                blue.act("wait");
                assertNotNull(events.poll(PATIENCE_S, TimeUnit.SECONDS), "the reward of step " + step);
            }
        }
    }

    @Test
    void an_interrupted_caller_returns_and_the_connection_stays() throws Exception {
        RemoteEnvironment environment = client.create("find-goals", Json.of("pace", "lockstep", "start", true));
        RemoteAgent red = environment.register("ada");
        RemoteAgent blue = environment.register("eve");
        red.associate("red");
        blue.associate("blue");
        CompletableFuture<Object> result = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                callUntilThisThreadReads();
                result.complete(red.step("wait"));
            } catch (SituatedException | AssertionError e) {
                result.complete(e);
            }
        });
        waiting.start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!Data.list(environment.status().get("awaited")).equals(Collections.singletonList("blue"))) {
            assertTrue(System.nanoTime() < deadline, "it does not wait for the other");
            Thread.sleep(1);
        }
        waiting.interrupt();
        assertEquals(SituatedException.Uncertain.class, result.get(PATIENCE_S, TimeUnit.SECONDS).getClass());
        assertEquals(1, blue.step("wait").moment().step(), "the action counts, and the session goes on");
    }

    @Test
    void each_of_many_threads_gets_the_answers_to_its_calls() throws Exception {
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (int number = 0; number < 16; number++) {
            String name = client.create("find-goals", Json.of("environment", "number-" + number)).name();
            CompletableFuture<Void> all = new CompletableFuture<>();
            done.add(all);
            new Thread(() -> {
                try {
                    for (int call = 0; call < 500; call++) {
                        assertEquals(name, client.environment(name).status().get("environment"));
                    }
                    all.complete(null);
                } catch (RuntimeException | AssertionError e) {
                    all.completeExceptionally(e);
                }
            }).start();
        }
        for (CompletableFuture<Void> one : done) {
            one.get(PATIENCE_S, TimeUnit.SECONDS);
        }
    }
}
