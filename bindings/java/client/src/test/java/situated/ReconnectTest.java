package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client on a connection that is cut. */
class ReconnectTest {
    private Server server;
    private Cable cable;
    private Client client;
    private Client direct;
    private RemoteEnvironment environment;

    @BeforeEach
    void connect() throws Exception {
        server = Server.serve("find-goals", "--grace", "2", "--pace", "reactive");
        cable = new Cable(server.address());
        client = Client.to(cable.address()).patienceMs(20_000).connect();
        direct = Client.connect(server.address());
        environment = client.environment("find-goals");
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        direct.close();
        cable.close();
        server.close();
    }

    private long steps() {
        return new Moment(direct.environment("find-goals").status().get("moment")).step();
    }

    @Test
    void actions_run_once_and_percepts_come_once_however_often_it_is_cut() throws Exception {
        RemoteAgent agent = environment.register("ada");
        agent.associate("red");
        Random random = new Random(3);
        String[] actions = {"up", "left", "right", "down", "wait"};
        int rewards = 0;
        Set<Percept> believed = new HashSet<>();
        for (int step = 1; step <= 300; step++) {
            int chance = random.nextInt(12);
            if (chance == 0) {
                cable.cut();
            } else if (chance == 1) {
                cable.discardAnswers();
            }
            CompletableFuture<Acted> answer = agent.stepAsync(new Action(actions[random.nextInt(5)]));
            if (chance <= 1) {
                // The action may be done by now, and its answer on the way or lost.
                Thread.sleep(random.nextInt(5));
                cable.cut();
            }
            Perception news = client.await("step", () -> answer).perceptions().get("red");
            rewards += news.events().size();
            assertTrue(believed.containsAll(news.delete()) && Collections.disjoint(believed, news.add()));
            believed.removeAll(news.delete());
            believed.addAll(news.add());
            assertEquals(step, steps(), "each action makes one step");
            assertEquals(step, rewards, "each step has one reward");
        }
        assertTrue(cable.connections() > 30, "it was cut " + cable.connections() + " times");
        assertEquals(ClientTest.snapshot(client, "find-goals", agent, "red"), believed);
    }

    @Test
    void subscriptions_continue() throws Exception {
        RemoteAgent agent = environment.register("ada");
        agent.associate("red");
        LinkedBlockingQueue<Percept> events = new LinkedBlockingQueue<>();
        Set<Percept> believed = Collections.synchronizedSet(new HashSet<>());
        agent.listen(news -> {
            believed.removeAll(news.get("red").delete());
            believed.addAll(news.get("red").add());
            events.addAll(news.get("red").events());
        });
        RemoteAgent other = direct.environment("find-goals").register("eve");
        other.associate("blue");
        String[] actions = {"up", "left", "right", "right", "left"};
        for (int step = 0; step < 100; step++) {
            if (step % 10 == 0) {
                cable.cut();
            }
            other.act(actions[step % 5]);
        }
        for (int step = 0; step < 100; step++) {
            assertEquals("reward", events.poll(10, TimeUnit.SECONDS).name());
        }
        assertEquals(null, events.poll(100, TimeUnit.MILLISECONDS));
        assertEquals(ClientTest.snapshot(client, "find-goals", agent, "red"), believed);
    }

    @Test
    void a_session_that_is_closed_while_it_reconnects_ends() throws Exception {
        environment.register("ada").associate("red");
        cable.delay(1500);
        cable.cut();
        Thread.sleep(100);
        client.close();
        assertThrows(SituatedException.Ended.class, () -> client.call("ping", Collections.emptyMap()));
        // The server would wait for two seconds for a lost session, and for ever for one that has come back.
        Thread.sleep(3000);
        assertEquals(Collections.emptyList(), direct.environment("find-goals").entities().get("red"));
    }

    @Test
    void a_subscription_of_which_too_many_notifications_wait_ends_with_the_session() throws Exception {
        Subscription<Map<String, Object>> happenings = environment.happenings();
        for (int turn = 0; turn < 200; turn++) {
            direct.environment("find-goals").pause();
            direct.environment("find-goals").start();
        }
        client.call("ping", Collections.emptyMap());
        client.close();
        for (int time = 0; time < 2; time++) {
            assertTimeoutPreemptively(Duration.ofSeconds(10), () -> assertThrows(SituatedException.Ended.class, () -> {
                while (true) {
                    happenings.receive();
                }
            }));
        }
    }

    @Test
    void an_agent_whose_registration_is_uncertain_can_be_registered_again() throws Exception {
        cable.discardAnswers();
        CompletableFuture<RemoteAgent> registered = CompletableFuture.supplyAsync(() -> environment.register("ada"));
        Thread.sleep(300);
        cable.cut();
        ExecutionException failed = assertThrows(ExecutionException.class, () -> registered.get(10, TimeUnit.SECONDS));
        assertEquals(SituatedException.Uncertain.class, failed.getCause().getClass());
        environment.register("ada").associate("red");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_agent_is_unregistered_although_the_connection_is_lost(boolean isHandled) throws Exception {
        // The server keeps a session without a connection only for its agents.
        environment.register("eve");
        RemoteAgent agent = environment.register("ada");
        agent.associate("red");
        if (isHandled) {
            cable.discardAnswers();
        } else {
            cable.discardCalls();
        }
        CompletableFuture<Void> unregistered = agent.unregisterAsync();
        Thread.sleep(300);
        cable.cut();
        unregistered.get(10, TimeUnit.SECONDS);
        direct.environment("find-goals").register("ada").associate("red");
        SituatedException.Refused again = assertThrows(SituatedException.Refused.class, () -> client.call("unregister",
                Json.of("environment", "find-goals", "agent", "nobody")));
        assertEquals("notRegistered", again.kind(), "a call that was sent once reports it");
    }

    @Test
    void a_pass_that_may_have_been_done_is_not_repeated() throws Exception {
        RemoteAgent agent = environment.register("ada");
        agent.associate("red");
        cable.discardAnswers();
        CompletableFuture<Acted> passed = agent.stepAsync(null);
        Thread.sleep(100);
        cable.cut();
        ExecutionException failed = assertThrows(ExecutionException.class, () -> passed.get(10, TimeUnit.SECONDS));
        assertTrue(failed.getCause() instanceof SituatedException.Uncertain, String.valueOf(failed.getCause()));
        agent.step("up");
    }

    @Test
    void a_session_that_the_server_has_given_up_ends() throws Exception {
        RemoteAgent agent = environment.register("ada");
        agent.associate("red");
        Subscription<Map<String, Object>> happenings = environment.happenings();
        cable.setBroken(true);
        CompletableFuture<Acted> waiting = agent.actAsync(new Action("up"));
        // Longer than the grace of the server.
        for (int i = 0; direct.environment("find-goals").entities().get("red").size() > 0; i++) {
            assertTrue(i < 100, "the server gives the entity back");
            Thread.sleep(100);
        }
        cable.setBroken(false);
        ExecutionException failed = assertThrows(ExecutionException.class, () -> waiting.get(20, TimeUnit.SECONDS));
        assertTrue(failed.getCause() instanceof SituatedException.Ended, String.valueOf(failed.getCause()));
        assertTrue(failed.getCause().getMessage().contains("register the agents again"), failed.getCause().getMessage());
        assertFalse(assertThrows(SituatedException.Ended.class, () -> agent.act("up")).isClosedHere());
        assertThrows(SituatedException.Ended.class, () -> {
            while (true) {
                happenings.receive();
            }
        });
    }

    @Test
    void a_silent_agent_keeps_its_entity_by_a_heartbeat() throws Exception {
        try (Server strict = Server.serve("find-goals", "--heartbeat", "1", "--grace", "1");
                Client quiet = Client.connect(strict.address())) {
            RemoteAgent agent = quiet.environment("find-goals").register("ada");
            agent.associate("red");
            Thread.sleep(4000);
            assertEquals(Collections.singletonList("ada"), quiet.environment("find-goals").entities().get("red"));
            Map<String, List<String>> entities = new LinkedHashMap<>(quiet.environment("find-goals").entities());
            assertEquals(2, entities.size());
        }
    }
}
