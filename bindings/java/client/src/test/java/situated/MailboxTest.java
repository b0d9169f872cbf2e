package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Messages between agents, over a real server. */
class MailboxTest {
    private static final int MANY = 1000;

    @AutoClose
    private static Server server;

    @BeforeAll
    static void serve() throws Exception {
        server = Server.serve("find-goals");
    }

    private static AclMessage next(Mailbox mail) {
        AclMessage message = mail.receive(60, TimeUnit.SECONDS);
        assertNotNull(message, "no message has come");
        return message;
    }

    @Test
    void an_agent_whose_name_another_environment_has_is_reached_by_its_address() {
        try (Client client = Client.connect(server.address()); Client other = Client.connect(server.address());
                Mailbox greta = client.openMailbox("greta")) {
            RemoteAgent first = client.environment("find-goals").register("hugo");
            RemoteEnvironment game = other.create("find-goals", Collections.singletonMap("environment", "game-2"));
            Mailbox second = game.register("hugo").mailbox();
            assertEquals(Arrays.asList("hugo", "hugo~game-2", "greta"),
                    Arrays.asList(first.mailbox().address(), second.address(), greta.address()));
            greta.send(AclMessage.of("inform", second.address()).withContent("to the second"));
            AclMessage message = next(second);
            assertEquals("to the second", message.content());
            second.send(message.reply("inform"));
            assertEquals(second.address(), next(greta).sender());
            assertNull(first.mailbox().receive(1, TimeUnit.MILLISECONDS));
            game.remove();
        }
    }

    @Test
    void agents_with_and_without_an_environment_ask_and_answer() {
        try (Client client = Client.connect(server.address()); Mailbox bert = client.openMailbox("bert")) {
            RemoteAgent ada = client.environment("find-goals").register("ada");
            ada.mailbox().send(AclMessage.of("query-ref", "bert", "ada").withContent("price(plums)").withReplyWith("q1")
                    .withProtocol("fipa-query").withConversationId("c1").withLanguage("l").with("ontology", "fruit")
                    .withParameter("X-colour", "blue").with("replyTo", Collections.singletonList("ada")));
            AclMessage question = next(bert);
            assertEquals(question, next(ada.mailbox()), "both receivers get the same message");
            assertEquals(Arrays.asList("query-ref", "ada", "price(plums)", "q1", "fipa-query", "c1", "l", "fruit", "blue"),
                    Arrays.asList(question.performative(), question.sender(), question.content(), question.replyWith(),
                            question.protocol(), question.conversationId(), question.language(), question.ontology(),
                            question.parameter("X-colour")));
            assertEquals(Arrays.asList("bert", "ada"), question.receivers());
            bert.send(question.reply("inform").withContent("3"));
            AclMessage answer = next(ada.mailbox());
            assertEquals(Arrays.asList("inform", "bert", "3", "q1", "c1", "fipa-query"), Arrays.asList(answer.performative(),
                    answer.sender(), answer.content(), answer.inReplyTo(), answer.conversationId(), answer.protocol()));
            assertNull(ada.mailbox().receive(1, TimeUnit.MILLISECONDS));
            ada.unregister();
        }
    }

    @Test
    void a_message_to_nobody_fails_and_a_forged_one_is_refused() {
        try (Client client = Client.connect(server.address()); Client other = Client.connect(server.address());
                Mailbox carl = client.openMailbox("carl")) {
            carl.send(AclMessage.of("inform", "nobody"));
            AclMessage failure = next(carl);
            assertEquals(Arrays.asList("failure", "ams"), Arrays.asList(failure.performative(), failure.sender()));
            AclMessage forged = AclMessage.of("inform", "carl").with("sender", "ada");
            assertTrue(assertThrows(SituatedException.class, () -> carl.send(forged)).getMessage().contains("ada"));
            assertThrows(SituatedException.class, () -> other.openMailbox("carl"), "the name is taken");
            carl.close();
            other.openMailbox("carl").close();
        }
    }

    @Test
    void all_mailboxes_of_an_agent_send() {
        try (Client client = Client.connect(server.address()); Mailbox dora = client.openMailbox("dora")) {
            RemoteAgent emil = client.environment("find-goals").register("emil");
            emil.mailbox().send(AclMessage.of("inform", "dora").withContent("1"));
            try (Mailbox alone = client.openMailbox("emil")) {
                alone.send(AclMessage.of("inform", "dora").withContent("2"));
                emil.mailbox().send(AclMessage.of("inform", "dora").withContent("3"));
            }
            assertEquals(Arrays.asList("1", "2", "3"),
                    Arrays.asList(next(dora).content(), next(dora).content(), next(dora).content()));
        }
    }

    @Test
    void who_waits_for_a_message_is_told_that_the_mailbox_is_closed() throws Exception {
        try (Client client = Client.connect(server.address())) {
            Mailbox fred = client.openMailbox("fred");
            CompletableFuture<AclMessage> waiting = CompletableFuture.supplyAsync(fred::receive);
            Thread.sleep(200);
            fred.close();
            ExecutionException failed = assertThrows(ExecutionException.class, () -> waiting.get(10, TimeUnit.SECONDS));
            assertEquals("you have closed this mailbox", failed.getCause().getMessage());
            assertThrows(IllegalStateException.class, () -> fred.receive(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void messages_are_awaited_after_a_listener_has_failed() throws Exception {
        try (Client client = Client.connect(server.address()); Mailbox gina = client.openMailbox("gina")) {
            CompletableFuture<AclMessage> heard = new CompletableFuture<>();
            Thread.UncaughtExceptionHandler former = Thread.getDefaultUncaughtExceptionHandler();
            Thread.setDefaultUncaughtExceptionHandler((thread, error) -> { });
            try {
                gina.listen(message -> {
                    heard.complete(message);
                    throw new IllegalArgumentException("I do not listen any more");
                });
                gina.send(AclMessage.of("inform", "gina").withContent("1"));
                assertEquals("1", heard.get(10, TimeUnit.SECONDS).content());
            } finally {
                Thread.setDefaultUncaughtExceptionHandler(former);
            }
            gina.send(AclMessage.of("inform", "gina").withContent("2"));
            assertEquals("2", next(gina).content());
        }
    }

    /** A listener is called on the thread that reads, which cannot wait for answers. */
    @Test
    void a_call_that_a_listener_must_not_make_changes_nothing() throws Exception {
        try (Client client = Client.connect(server.address()); Mailbox hugo = client.openMailbox("hugo");
                Mailbox ida = client.openMailbox("ida")) {
            RemoteAgent jane = client.environment("find-goals").register("jane");
            jane.associate("red");
            jane.perceive();
            LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
            hugo.listen(message -> {
                List<Runnable> calls = Arrays.asList(() -> hugo.send(AclMessage.of("inform", "ida").withContent("1")),
                        () -> hugo.listen(other -> heard.add("by another")), hugo::close, () -> jane.associate("red"),
                        () -> jane.free("red"), () -> jane.listen(perceptions -> { }), jane::unregister);
                for (Runnable call : calls) {
                    try {
                        call.run();
                        heard.add("done");
                    } catch (IllegalStateException e) {
                        heard.add("not done");
                    }
                }
                heard.add(message.content());
            });
            for (String content : Arrays.asList("first", "second")) {
                ida.send(AclMessage.of("inform", "hugo").withContent(content));
                for (int i = 0; i < 7; i++) {
                    assertEquals("not done", heard.poll(10, TimeUnit.SECONDS));
                }
                assertEquals(content, heard.poll(10, TimeUnit.SECONDS));
            }
            hugo.send(AclMessage.of("inform", "ida").withContent("2"));
            assertEquals("2", next(ida).content(), "what was not done was not sent");
            assertEquals(8, jane.beliefs("red").size(), "nothing was forgotten");
            assertEquals(Collections.singletonList("jane"), client.environment("find-goals").entities().get("red"));
            jane.unregister();
        }
    }

    /** The connection is cut again and again; all messages arrive once and in order. */
    @Test
    void messages_survive_lost_connections() throws Exception {
        try (Cable cable = new Cable(server.address());
                Client sender = Client.connect(cable.address());
                Client receiver = Client.connect(cable.address());
                Mailbox dora = sender.openMailbox("dora");
                Mailbox emil = receiver.openMailbox("emil")) {
            LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
            emil.listen(message -> heard.add(message.content()));
            List<String> sent = new ArrayList<>();
            List<String> got = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                if (i % 250 == 125) {
                    cable.cut();
                }
                dora.send(AclMessage.of("inform", "emil").withContent(String.valueOf(i)));
                sent.add(String.valueOf(i));
            }
            while (got.size() < MANY) {
                String one = heard.poll(60, TimeUnit.SECONDS);
                assertNotNull(one, "only " + got.size() + " have come");
                got.add(one);
            }
            assertEquals(sent, got);
            assertNull(heard.poll(200, TimeUnit.MILLISECONDS), "nothing comes twice");
        }
    }
}
