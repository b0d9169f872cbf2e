package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client against a real server. */
class ClientTest {
    @AutoClose
    private static Server server;
    @AutoClose
    private Client client;

    @BeforeAll
    static void serve() throws Exception {
        server = Server.serve("find-goals");
    }

    @BeforeEach
    void connect() {
        client = Client.connect(server.address());
    }

    /** Returns what the server says that holds for an entity of an agent. */
    static Set<Percept> snapshot(Client client, String environment, RemoteAgent agent, String entity) {
        Map<String, Object> params = Json.of("environment", environment, "agent", agent.name(), "entities",
                Collections.singletonList(entity), "form", "snapshot", "since", "acknowledged");
        List<?> perceptions = Data.list(client.call("perceive", params).get("perceptions"));
        return new HashSet<>(Terms.percepts(Data.object(perceptions.get(0)).get("add")));
    }

    @Test
    void two_agents_play_in_lockstep() {
        RemoteEnvironment environment = client.create("find-goals", Collections.singletonMap("start", true));
        RemoteAgent red = environment.register("red-agent");
        RemoteAgent blue = environment.register("blue-agent");
        red.associate("red");
        blue.associate("blue");
        String[] actions = {"up", "left", "right", "down", "wait"};
        for (int step = 1; step <= 200; step++) {
            CompletableFuture<Acted> other = blue.stepAsync(new Action(actions[step % 5]));
            Acted acted = red.step(actions[step * 7 % 5]);
            Acted answered = client.await("step", () -> other);
            assertEquals(step, acted.moment().step());
            assertEquals(acted.moment().step(), answered.moment().step());
            assertEquals(1, acted.perceptions().get("red").events().size(), "there is one reward for each step");
        }
        assertEquals(snapshot(client, environment.name(), red, "red"), red.beliefs("red"));
        assertEquals(8, red.beliefs("red").size());
        environment.remove();
    }

    @Test
    void perceives_changes_exactly_and_listens() throws Exception {
        RemoteEnvironment environment = create("bw4t", "robots", 2);
        RemoteAgent robot = environment.register("robot-agent");
        String entity = environment.entities().keySet().iterator().next();
        robot.associate(entity);
        LinkedBlockingQueue<Perception> heard = new LinkedBlockingQueue<>();
        Set<Percept> believed = new HashSet<>(robot.perceive().get(entity).add());
        assertEquals(believed, robot.beliefs(entity));
        try (RemoteAgent.Listening listening = robot.listen(news -> heard.add(news.get(entity)))) {
            Perception stepped = robot.step("goTo", "RoomA1").perceptions().get(entity);
            assertTrue(stepped.add().isEmpty() || heard.contains(stepped), "the listener gets what a step returns, too");
            Percept arrived = new Percept("in", "RoomA1");
            while (!believed.contains(arrived)) {
                Perception news = heard.poll(20, TimeUnit.SECONDS);
                assertTrue(believed.containsAll(news.delete()), "what is deleted was believed");
                assertTrue(Collections.disjoint(believed, news.add()), "what is added was not believed");
                believed.removeAll(news.delete());
                believed.addAll(news.add());
            }
        }
        environment.pause();
        robot.perceive();
        assertEquals(snapshot(client, environment.name(), robot, entity), robot.beliefs(entity));
        environment.remove();
    }

    @Test
    void listens_to_the_percepts_that_it_names() throws Exception {
        RemoteEnvironment environment = client.create("find-goals", Collections.singletonMap("start", true));
        RemoteAgent walker = environment.register("walker");
        walker.associate("red");
        LinkedBlockingQueue<Perception> heard = new LinkedBlockingQueue<>();
        try (RemoteAgent.Listening listening =
                walker.listen(Collections.singleton("see"), 0, news -> heard.add(news.get("red")))) {
            assertEquals(8, heard.poll(10, TimeUnit.SECONDS).add().size());
            for (String action : Arrays.asList("wait", "wait", "wait", "up")) {
                walker.act(action);
            }
            // Rewards come in each step, and sights change when it moves.
            Perception moved = heard.poll(10, TimeUnit.SECONDS);
            assertEquals(4, moved.events().size());
            assertFalse(moved.add().isEmpty());
        }
        environment.remove();
    }

    /** Answers that cross each other, and notifications between them, begin at versions that the agent has left. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void steps_that_overlap_have_each_event_once(boolean isListening) throws Exception {
        RemoteEnvironment environment = client.create("find-goals", Json.of("pace", "reactive", "start", true));
        RemoteAgent red = environment.register("red-agent");
        red.associate("red");
        Queue<Perception> heard = new ConcurrentLinkedQueue<>();
        if (isListening) {
            red.listen(news -> heard.add(news.get("red")));
        }
        String[] actions = {"up", "left", "right", "down", "wait"};
        List<CompletableFuture<Acted>> steps = new ArrayList<>();
        int events = 0;
        for (int step = 0; step < 300; step++) {
            steps.add(red.stepAsync(new Action(actions[step * 7 % 5])));
            if (steps.size() > step % 4) {
                Perception told = client.await("step", () -> steps.remove(0)).perceptions().get("red");
                events += told.events().size();
            }
        }
        for (CompletableFuture<Acted> step : steps) {
            events += client.await("step", () -> step).perceptions().get("red").events().size();
        }
        assertEquals(snapshot(client, environment.name(), red, "red"), red.beliefs("red"));
        if (isListening) {
            Set<Percept> believed = new HashSet<>();
            events = 0;
            for (Perception news : heard) {
                assertTrue(believed.containsAll(news.delete()) && Collections.disjoint(believed, news.add()));
                believed.removeAll(news.delete());
                believed.addAll(news.add());
                events += news.events().size();
            }
            assertEquals(believed, red.beliefs("red"));
        }
        assertEquals(300, events, "each step has one reward");
        environment.remove();
    }

    private RemoteEnvironment create(String kind, String parameter, Object value) {
        return client.create(kind, Json.of("parameters", Json.of(parameter, value), "speed", 1000, "start", true));
    }

    @Test
    void messages_of_any_content_arrive_unchanged_and_once() throws Exception {
        RemoteEnvironment environment = create("bw4t", "robots", 2);
        List<String> entities = Arrays.asList(environment.entities().keySet().toArray(new String[0]));
        RemoteAgent sender = environment.register("sender");
        RemoteAgent receiver = environment.register("receiver");
        sender.associate(entities.get(0));
        receiver.associate(entities.get(1));
        LinkedBlockingQueue<Percept> heard = new LinkedBlockingQueue<>();
        receiver.listen(news -> news.values().forEach(one -> heard.addAll(one.events())));
        Parameter content = new Function("says", "Room C1", "true", true, 2, 2.0, -0.0, Long.MIN_VALUE, 5e-324,
                Arrays.asList("é\"\\\n\u2028", Collections.emptyList()), new Function("f"));
        for (int i = 0; i < 3; i++) {
            sender.act("sendMessage", entities.get(1), content);
        }
        for (int i = 0; i < 3; i++) {
            assertEquals(new Percept("message", entities.get(0), content), heard.poll(10, TimeUnit.SECONDS));
        }
        assertNull(heard.poll(100, TimeUnit.MILLISECONDS));
        environment.remove();
    }

    @Test
    void manages_and_watches_an_environment() {
        RemoteEnvironment environment = client.create("find-goals", Collections.singletonMap("pace", "reactive"));
        try (Subscription<Map<String, Object>> happenings = environment.happenings()) {
            assertTrue(Data.truth(happenings.receive().get("resync")));
            assertEquals("paused", environment.status().get("state"));
            environment.start();
            assertEquals("running", environment.status().get("state"));
            assertEquals("running", Data.object(happenings.receive().get("status")).get("state"));
            RemoteAgent agent = environment.register("managed");
            agent.associate("red");
            assertEquals(Collections.singletonList("managed"), environment.entities().get("red"));
            agent.act("up");
            environment.reset();
            assertEquals(2L, Data.object(environment.status().get("moment")).get("episode"));
            assertEquals(Parameter.of("find-goals"), environment.query("name", null));
            SituatedException.Refused refused =
                    assertThrows(SituatedException.Refused.class, () -> environment.query("versoin", null));
            assertTrue(refused.getMessage().contains("did you mean `version`?"), refused.getMessage());
            assertFalse(Data.list(environment.scene(null).get("shapes")).isEmpty());
            assertEquals("find-goals", Data.object(environment.describe().get("ontology")).get("name"));
            agent.free(null);
            assertEquals(Collections.emptyList(), environment.entities().get("red"));
            environment.remove();
            assertThrows(SituatedException.Refused.class, () -> {
                while (true) {
                    happenings.receive();
                }
            });
        }
    }

    @Test
    void errors_say_what_was_wrong() {
        RemoteEnvironment environment = client.create("find-goals", Collections.singletonMap("start", true));
        RemoteAgent agent = environment.register("mistaken");
        SituatedException.Refused none = assertThrows(SituatedException.Refused.class, () -> agent.act("up"));
        assertEquals(1003, none.code());
        assertEquals("noEntities", none.kind());
        assertTrue(none.getMessage().contains("associate"), none.getMessage());
        agent.associate("red");
        assertEquals("notSupportedByEnvironment",
                assertThrows(SituatedException.Refused.class, () -> agent.step("jump")).kind());
        assertEquals("noSuchEnvironment",
                assertThrows(SituatedException.Refused.class, () -> client.environment("nowhere").status()).kind());
        char[] long_ = new char[2 << 20];
        assertThrows(SituatedException.TooLong.class, () -> agent.act("up", new String(long_)));
        environment.remove();
    }

    @Test
    void an_action_that_fails_says_for_which_entity() {
        RemoteEnvironment environment = create("bw4t", "robots", 1);
        RemoteAgent robot = environment.register("clumsy");
        String entity = environment.entities().keySet().iterator().next();
        robot.associate(entity);
        SituatedException.NotDone failed = assertThrows(SituatedException.NotDone.class, () -> robot.step("putDown"));
        assertEquals(Collections.singleton(entity), failed.acted().errors().keySet());
        assertTrue(failed.acted().perceptions().containsKey(entity), "it has perceived all the same");
        environment.remove();
    }

    @Test
    void waiting_on_the_thread_that_reads_is_an_error() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        RemoteEnvironment environment = create("bw4t", "robots", 1);
        RemoteAgent robot = environment.register("hasty");
        robot.associate(environment.entities().keySet().iterator().next());
        robot.listen(news -> {
            try {
                robot.perceive();
                thrown.complete(null);
            } catch (RuntimeException e) {
                thrown.complete(e);
            }
        });
        assertTrue(thrown.get(10, TimeUnit.SECONDS) instanceof IllegalStateException);
        environment.remove();
    }

    @Test
    void a_closed_client_says_so() {
        client.close();
        SituatedException.Ended ended = assertThrows(SituatedException.Ended.class, client::environments);
        assertTrue(ended.isClosedHere());
        assertTrue(ended.getMessage().contains("you have closed it"), ended.getMessage());
    }
}
