package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The directory of a real server, and the expressions in which it answers. */
class DirectoryTest {
    private static final Service PLUMS = Service.of("ripe \"plums\"", "fruit").with("unit", "box of 5").with("price", 3);
    private static final Service FRUIT = Service.of(null, "fruit");

    @Test
    void agents_find_services_and_hear_of_changes() throws Exception {
        try (Server server = Server.serve("find-goals");
                Client client = Client.connect(server.address());
                Mailbox ada = client.openMailbox("ada");
                Mailbox bob = client.openMailbox("Bob the buyer")) {
            assertEquals(Arrays.asList("Bob the buyer", "ada"), bob.directory().agents());
            assertEquals(Collections.emptyMap(), bob.directory().search(FRUIT));
            ada.directory().register(PLUMS);
            assertEquals(Collections.singletonMap("ada", Collections.singletonList(PLUMS)), bob.directory().search(FRUIT));
            assertEquals(1, bob.directory().search(Service.of(null, null).with("price", 3)).size());
            assertEquals(0, bob.directory().search(FRUIT.with("price", 4)).size());
            assertEquals(Collections.singleton("ada"), bob.directory().search(1, FRUIT).keySet());

            bob.directory().subscribe("sellers", FRUIT);
            assertEquals(Collections.singleton("ada"), changes(bob).keySet());
            Service gift = Service.of("pears", "fruit");
            ada.directory().register(3600, PLUMS, gift);
            assertEquals(Arrays.asList(PLUMS, gift), changes(bob).get("ada"), "the second registration replaces the first");
            ada.directory().deregister();
            ada.directory().deregister();
            assertEquals(Collections.emptyList(), changes(bob).get("ada"), "it has stopped");
            bob.directory().cancel("sellers");
            assertThrows(Directory.Declined.class, () -> bob.directory().cancel("sellers"));
            ada.directory().register(PLUMS);
            assertNull(bob.receive(100, TimeUnit.MILLISECONDS));
            assertThrows(IllegalArgumentException.class, () -> ada.directory().register(31 * 86_400, PLUMS));
            ada.send(AclMessage.of("inform", "ada"));
            assertNull(Directory.changes(ada.receive()));
        }
    }

    private static Map<String, List<Service>> changes(Mailbox mailbox) {
        Map<String, List<Service>> changes = Directory.changes(mailbox.receive(60, TimeUnit.SECONDS));
        assertNotNull(changes, "it is no notification");
        return changes;
    }

    @Test
    void expressions_are_equal_after_writing_and_reading() {
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            Object expression = any(random, 4);
            assertEquals(expression, Expressions.read(Expressions.write(expression)));
        }
    }

    private static Object any(Random random, int depth) {
        if (depth == 0 || random.nextInt(3) == 0) {
            StringBuilder text = new StringBuilder();
            random.ints(random.nextInt(6), 0, 12).forEach(one -> text.append("a:(\")\\ é\n0+?".charAt(one)));
            return text.toString();
        }
        List<Object> list = Expressions.list();
        random.ints(random.nextInt(4)).forEach(one -> list.add(any(random, depth - 1)));
        return list;
    }

    @Test
    void what_is_no_expression_is_refused() {
        String deep = String.join("", Collections.nCopies(100_000, "("));
        for (String wrong : Arrays.asList("", "(", ")", "a b", "\"a", "(a", "(a))", deep)) {
            String why = assertThrows(IllegalArgumentException.class, () -> Expressions.read(wrong), wrong).getMessage();
            assertTrue(why.length() < 300, why);
        }
    }
}
