package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** This client says and understands the same as the client in Rust: see tests/conversations. */
class ConversationTest {
    private interface Part {
        void play(RemoteAgent ada) throws Exception;
    }

    /** An agent that controls an entity plays its part in a conversation. */
    private static void converse(String name, Part part) throws Exception {
        try (Conversation conversation = new Conversation(name)) {
            Client client = Client.connect(conversation.address());
            RemoteAgent ada = client.environment("find-goals").register("ada");
            ada.associate("red");
            part.play(ada);
            ada.unregister();
            client.close();
        }
    }

    @Test
    void plays_as_recorded() throws Exception {
        converse("playing", ada -> {
            List<Percept> first = ada.perceive().get("red").add();
            assertTrue(first.contains(new Percept("see", "north", "free")), first.toString());
            assertEquals(Collections.singletonList(new Percept("reward", -1)),
                    ada.step("up").perceptions().get("red").events());
            assertEquals("notSupportedByEnvironment",
                    assertThrows(SituatedException.Refused.class, () -> ada.step("jump")).kind());
            assertEquals(2, ada.step("right").moment().step());
            assertTrue(ada.perceive().values().stream().allMatch(Perception::isEmpty), "it knows all");
            assertEquals(first.size(), ada.beliefs("red").size());
            ada.free("red");
        });
    }

    @Test
    void listens_as_recorded() throws Exception {
        converse("listening", ada -> {
            LinkedBlockingQueue<Perception> heard = new LinkedBlockingQueue<>();
            ada.listen(Collections.singleton("see"), 0, news -> heard.add(news.get("red")));
            assertEquals(0, heard.poll(10, TimeUnit.SECONDS).events().size());
            for (String action : new String[] {"up", "right"}) {
                ada.act(action);
                assertEquals(1, heard.poll(10, TimeUnit.SECONDS).events().size());
            }
            assertTrue(ada.beliefs("red").contains(new Percept("see", "north", "wall")));
        });
    }

    @Test
    void ignores_what_it_has_as_recorded() throws Exception {
        converse("repeating", ada -> {
            LinkedBlockingQueue<Perception> heard = new LinkedBlockingQueue<>();
            ada.listen(Collections.singleton("see"), 500, news -> {
                heard.add(news.get("red"));
                if (heard.size() == 2) {
                    // The connection is lost after this notification.
                    ada.actAsync(new Action("right"));
                }
            });
            while (heard.isEmpty()) {
                Thread.sleep(5);
            }
            ada.act("up");
            List<Integer> events = new ArrayList<>();
            for (int turn = 0; turn < 3; turn++) {
                events.add(heard.poll(10, TimeUnit.SECONDS).events().size());
            }
            assertEquals(Arrays.asList(0, 1, 1), events, "each event comes once");
            assertTrue(ada.beliefs("red").contains(new Percept("at", 4, 2)));
        });
    }

    @Test
    void resumes_as_recorded() throws Exception {
        converse("resuming", ada -> assertEquals(1, ada.act("up").moment().step(), "the action runs once"));
    }
}
