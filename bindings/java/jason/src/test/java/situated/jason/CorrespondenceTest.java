package situated.jason;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import situated.AclMessage;
import situated.Client;
import situated.Mailbox;
import situated.RemoteAgent;
import situated.Server;

/** Messages between a real Jason and an agent of another kind, over a real server. */
class CorrespondenceTest {
    private static final String PROGRAM = """
            price(pears, 7).
            !start.
            +!start <-
                .send('Ann', tell, ready(1));
                .send('Ann', askOne, price(plums, _), price(plums, Price));
                .send('Ann', tell, paid(Price));
                .send('Ann', untell, ready(1));
                .send('Ann', tell, "a text, not a term");
                .broadcast(tell, everybody);
                .send('Ann', cfp, lot(plums)[protocol("fipa-contract-net"), conversation(c7), urgent]).
            +!open(Door)[source(Who)] <- .send(Who, tell, opened(Door)).
            +!kqml_received(Who, cfp, Task, Id) <- .send(Who, propose, offer(Task, 3), Id).
            +!end <- .stopMAS.
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void agents_outside_of_the_project_are_reached_and_reach(Jason jason) throws Exception {
        try (Server server = Server.serve("find-goals"); Client client = Client.connect(server.address())) {
            RemoteAgent ann = client.environment("find-goals").register("Ann");
            ann.associate("blue");
            Mailbox mail = ann.mailbox();
            try (Team team = Team.start(jason, folder, Team.in(server, "find-goals"), 1, PROGRAM)) {
                AclMessage ready = next(mail);
                assertEquals(List.of("inform", "a1", "ready(1)", "AgentSpeak"),
                        List.of(ready.performative(), ready.sender(), ready.content(), ready.language()));
                AclMessage question = next(mail);
                assertEquals("query-ref", question.performative());
                assertTrue(question.content().startsWith("price(plums,"), question.content());
                mail.send(question.reply("inform").withContent("price(plums,3)"));
                assertEquals("paid(3)", next(mail).content());
                AclMessage untold = next(mail);
                assertEquals(List.of("inform-ref", "untell"),
                        List.of(untold.performative(), untold.parameter("X-kqml-performative")));
                assertEquals("a text, not a term", next(mail).content());
                assertEquals("everybody", next(mail).content());
                AclMessage call = next(mail);
                assertEquals(List.of("cfp", "lot(plums)[urgent]", "fipa-contract-net", "c7"), List.of(call.performative(),
                        call.content(), call.protocol(), call.conversationId()));

                mail.send(AclMessage.of("request", "a1").withContent("open(door)"));
                assertEquals("opened(door)", next(mail).content());
                mail.send(AclMessage.of("query-ref", "a1").withContent("price(pears,X)").withReplyWith("q2")
                        .withConversationId("c2").withProtocol("fipa-query"));
                AclMessage answer = next(mail);
                assertEquals(List.of("inform", "price(pears,7)", "q2", "c2", "fipa-query"), List.of(answer.performative(),
                        answer.content(), answer.inReplyTo(), answer.conversationId(), answer.protocol()));
                mail.send(AclMessage.of("cfp", "a1").withContent("((action a1 (fetch plums)))").withLanguage("fipa-sl")
                        .withConversationId("c3"));
                AclMessage proposal = next(mail);
                assertEquals(List.of("propose", "offer(\"((action a1 (fetch plums)))\",3)", "c3"),
                        List.of(proposal.performative(), proposal.content(), proposal.conversationId()));
                mail.send(AclMessage.of("request", "a1").withContent("end"));
                assertEquals(0, team.finish().exitCode, team.output);
            }
        }
    }

    /** The server refuses subscriptions to mail, as if the session had too many, and then no longer. */
    @Test
    void attempts_to_join_that_fail_add_nothing_to_the_architecture() throws Exception {
        AtomicInteger refusals = new AtomicInteger();
        Files.writeString(folder.resolve("agent.asl"), "!wait. +!wait <- .wait(50); !wait.");
        try (Server server = Server.serve("find-goals");
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Files.writeString(folder.resolve("test.mas2j"), String.format("MAS test {%n environment: "
                    + "situated.jason.SituatedEnvironment(\"tcp://127.0.0.1:%d\", \"find-goals\")%n agents: "
                    + "a1 agent.asl agentArchClass %s;%n}%n", listening.getLocalPort(), "situated.jason.CountedParts"));
            try (Team team = Team.start(Jason.V3_2, folder, "test.mas2j")) {
                URI address = URI.create(server.address());
                Socket near = listening.accept();
                Socket far = new Socket(address.getHost(), address.getPort());
                start(() -> far.getInputStream().transferTo(near.getOutputStream()));
                start(() -> {
                    BufferedReader lines = new BufferedReader(new InputStreamReader(near.getInputStream(), UTF_8));
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        boolean isRefused = line.contains("{\"mail\":") && refusals.incrementAndGet() <= 3;
                        String sent = isRefused ? line.replace("{\"mail\":", "{\"none\":") : line;
                        far.getOutputStream().write((sent + "\n").getBytes(UTF_8));
                    }
                });
                team.await("it joins", () -> team.said("a1").contains("parts: 1"));
                assertEquals(4, refusals.get(), "three attempts were refused");
                assertEquals(Set.of("parts: 0", "parts: 1"), Set.copyOf(team.said("a1")));
            }
        }
    }

    private interface Copying {
        void copy() throws IOException;
    }

    private static void start(Copying copying) {
        Thread thread = new Thread(() -> {
            try {
                copying.copy();
            } catch (IOException e) {
                // The team or the server has ended.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static AclMessage next(Mailbox mail) {
        AclMessage message = mail.receive(60, TimeUnit.SECONDS);
        assertNotNull(message, "no message has come");
        return message;
    }
}
