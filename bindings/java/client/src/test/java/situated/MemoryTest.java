package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemoryTest {
    private final Memory memory = new Memory();

    private Perception take(String since, String version, String rest) {
        String told = "{\"entity\":\"red\",\"since\":[" + since + "],\"version\":[" + version + "]" + rest + "}";
        Map<String, Object> moment = Collections.emptyMap();
        return memory.take(Data.object(Json.read(told)), new Moment(moment));
    }

    private static String add(String name) {
        return ",\"add\":[{\"name\":\"" + name + "\"}]";
    }

    private static List<Percept> percepts(String... names) {
        List<Percept> percepts = new ArrayList<>();
        Arrays.asList(names).forEach(name -> percepts.add(new Percept(name)));
        return percepts;
    }

    @Test
    void a_repeated_change_is_ignored() {
        take("0,0", "1,0", ",\"resync\":true" + add("a"));
        assertEquals(percepts("b"), take("1,0", "2,0", add("b")).add());
        // The server does not know that version 2 has arrived, and `b` does not hold any more.
        assertNull(take("1,0", "3,0", add("c")));
        assertEquals("[{\"entity\":\"red\",\"version\":[2,0]}]", Json.write(memory.known()));
        Perception asked = take("2,0", "3,0", add("c") + ",\"delete\":[{\"name\":\"b\"}]");
        assertEquals(percepts("c"), asked.add());
        assertEquals(percepts("b"), asked.delete());
        assertEquals(new HashSet<>(percepts("a", "c")), memory.beliefs("red"));
    }

    @Test
    void events_come_once() {
        String two = ",\"events\":[{\"name\":\"x\"},{\"name\":\"y\"}]";
        assertEquals(percepts("x", "y"), take("0,3", "0,5", two).events());
        assertTrue(take("0,3", "0,5", two).isEmpty(), "an older one has nothing new");
        assertNull(take("0,3", "0,6", two), "it repeats some");
        assertNull(take("0,3", "7,6", ",\"resync\":true" + two), "one with all percepts repeats them too");
        assertEquals(percepts("x", "y"), take("0,5", "7,7", ",\"resync\":true" + two).events());
    }

    @Test
    void a_new_episode_has_exact_changes_too() {
        take("0,0", "2,0", ",\"resync\":true,\"add\":[{\"name\":\"a\"},{\"name\":\"b\"}]");
        Perception next = take("2,0", "9,0", ",\"resync\":true,\"add\":[{\"name\":\"b\"},{\"name\":\"c\"}]");
        assertEquals(percepts("c"), next.add());
        assertEquals(percepts("a"), next.delete());
    }

    /**
     * A server that repeats what is not acknowledged, as chance wants it, and an agent that revises its own beliefs.
     */
    @Test
    void beliefs_follow_a_server_that_repeats() {
        Random random = new Random(7);
        List<Set<String>> versions = new ArrayList<>(Collections.singletonList(new HashSet<>()));
        int acknowledged = 0;
        int known = 0;
        Set<Percept> believed = new HashSet<>();
        for (int round = 0; round < 2000; round++) {
            Set<String> next = new HashSet<>(versions.get(versions.size() - 1));
            String changed = "p" + random.nextInt(6);
            if (!next.remove(changed)) {
                next.add(changed);
            }
            versions.add(next);
            int version = versions.size() - 1;
            Set<String> gone = new HashSet<>(versions.get(acknowledged));
            gone.removeAll(next);
            Set<String> come = new HashSet<>(next);
            come.removeAll(versions.get(acknowledged));
            Perception perception = take(acknowledged + ",0", version + ",0",
                    ",\"add\":" + Json.write(percepts(come.toArray(new String[0])))
                    + ",\"delete\":" + Json.write(percepts(gone.toArray(new String[0]))));
            if (perception == null) {
                acknowledged = known;
                continue;
            }
            known = version;
            assertTrue(believed.containsAll(perception.delete()) && Collections.disjoint(believed, perception.add()));
            believed.removeAll(perception.delete());
            believed.addAll(perception.add());
            assertEquals(new HashSet<>(percepts(next.toArray(new String[0]))), believed);
            assertEquals(believed, memory.beliefs("red"));
            if (random.nextInt(3) == 0) {
                // Acknowledgements may be behind what has come.
                acknowledged += random.nextInt(version - acknowledged + 1);
            }
        }
    }
}
