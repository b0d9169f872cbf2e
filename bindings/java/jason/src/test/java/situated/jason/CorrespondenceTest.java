package situated.jason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

    private static AclMessage next(Mailbox mail) {
        AclMessage message = mail.receive(60, TimeUnit.SECONDS);
        assertNotNull(message, "no message has come");
        return message;
    }
}
