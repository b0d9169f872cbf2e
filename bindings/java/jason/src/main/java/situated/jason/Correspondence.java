package situated.jason;

import jason.architecture.AgArch;
import jason.asSemantics.Message;
import jason.asSyntax.ASSyntax;
import jason.asSyntax.Literal;
import jason.asSyntax.StringTerm;
import jason.asSyntax.StringTermImpl;
import jason.asSyntax.Term;
import jason.asSyntax.parser.ParseException;
import jason.infra.local.BaseLocalMAS;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import situated.AclMessage;
import situated.Mailbox;
import situated.RemoteEnvironment;

/**
 * The part of an agent's architecture that exchanges messages with agents outside of its project. Messages inside of
 * the project stay with Jason. The performatives are those of Jason's own bridge to JADE: {@code tell} is
 * {@code inform}, {@code askOne} is {@code query-ref}, {@code achieve} is {@code request}, and others have the name of
 * the communicative act with underscores. What FIPA does not have, such as {@code untell}, is an {@code inform-ref}
 * with a parameter.
 */
public final class Correspondence extends AgArch {
    private static final String LANGUAGE = "AgentSpeak";
    private static final String PERFORMATIVE = "X-kqml-performative";
    private static final Map<String, String> IN_FIPA = Map.of("tell", "inform", "askOne", "query-ref", "achieve", "request");
    private static final Map<String, String> IN_JASON = Map.of("inform", "tell", "query-ref", "askOne", "request", "achieve");
    private static final Set<String> OF_FIPA = Set.of("accept-proposal", "agree", "cancel", "cfp", "confirm", "disconfirm",
            "failure", "inform-if", "not-understood", "propagate", "propose", "proxy", "query-if", "refuse",
            "reject-proposal", "request-when", "request-whenever", "subscribe");
    /** Number of messages whose conversations an answer continues. */
    private static final int ANSWERABLE = 1000;

    private transient volatile RemoteEnvironment environment;
    private transient volatile Runnable onStop = () -> { };
    /** That of the last registration, since an agent that has lost its entity registers again. Null before the first. */
    private transient volatile Mailbox mailbox;
    private final transient Queue<AclMessage> received = new ConcurrentLinkedQueue<>();
    /** The last messages, by the identifiers that Jason has for them. Only the thread of the agent uses it. */
    private final transient Map<String, AclMessage> answerable = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, AclMessage> eldest) {
            return size() > ANSWERABLE;
        }
    };
    private transient long lastNumber;

    /**
     * Creates the part without a mailbox. Jason does that, too: an agent that another one creates gets the same parts.
     */
    public Correspondence() {}

    /** Returns the part of an agent's architecture, or null if it has none yet. */
    static Correspondence of(AgArch arch) {
        AgArch part = arch.getFirstAgArch();
        while (part != null && !(part instanceof Correspondence)) {
            part = part.getNextAgArch();
        }
        return (Correspondence) part;
    }

    /**
     * Begins to use the mailbox of an agent in an environment. {@code onStop} is called when Jason ends the agent,
     * perhaps several times.
     */
    void listen(Mailbox opened, RemoteEnvironment environment, Runnable onStop) {
        this.environment = environment;
        this.onStop = onStop;
        opened.listen(message -> {
            received.add(message);
            wakeUpSense();
        });
        mailbox = opened;
    }

    /** Tells the environment that Jason ends the agent. */
    @Override
    public void stop() {
        onStop.run();
        super.stop();
    }

    /** Returns whether no message waits and the other parts can sleep. */
    @Override
    public boolean canSleep() {
        return received.isEmpty() && super.canSleep();
    }

    /** Passes the messages from outside of the project on to the agent. */
    @Override
    public void checkMail() {
        super.checkMail();
        for (AclMessage message = received.poll(); message != null; message = received.poll()) {
            getTS().getC().addMsg(toJason(message));
        }
    }

    /** Sends a message to an agent of the project, or else by the server. */
    @Override
    public void sendMsg(Message message) throws Exception {
        if (mailbox != null && BaseLocalMAS.getRunner().getAg(message.getReceiver()) == null) {
            mailbox.send(toFipa(message, Literals.name(message.getReceiver())));
        } else {
            super.sendMsg(message);
        }
    }

    /** Sends a message to the agents of the project, and to those that have entities of the environment. */
    @Override
    public void broadcast(Message message) throws Exception {
        super.broadcast(message);
        if (mailbox == null) {
            return;
        }
        Set<String> others = new TreeSet<>();
        environment.entities().values().forEach(others::addAll);
        others.remove(mailbox.name());
        others.removeIf(agent -> BaseLocalMAS.getRunner().getAg(agent) != null);
        if (!others.isEmpty()) {
            mailbox.send(toFipa(message, others.toArray(new String[0])));
        }
    }

    private AclMessage toFipa(Message message, String... receivers) {
        String performative = message.getIlForce();
        String act = IN_FIPA.getOrDefault(performative, performative.toLowerCase().replace('_', '-'));
        boolean isOfFipa = IN_FIPA.containsKey(performative) || OF_FIPA.contains(act);
        AclMessage sent = AclMessage.of(isOfFipa ? act : "inform-ref", receivers).withReplyWith(message.getMsgId());
        if (!isOfFipa) {
            sent = sent.withParameter(PERFORMATIVE, performative);
        }
        AclMessage answered = message.getInReplyTo() == null ? null : answerable.get(message.getInReplyTo());
        if (answered == null) {
            sent = sent.withInReplyTo(message.getInReplyTo());
        } else {
            sent = sent.withInReplyTo(answered.replyWith()).withConversationId(answered.conversationId())
                    .withProtocol(answered.protocol());
        }
        Object content = message.getPropCont();
        if (content instanceof Literal literal && literal.hasAnnot()) {
            Literal plain = (Literal) literal.clone();
            String protocol = takeAnnotation(plain, "protocol");
            String conversation = takeAnnotation(plain, "conversation");
            sent = protocol == null ? sent : sent.withProtocol(protocol);
            sent = conversation == null ? sent : sent.withConversationId(conversation);
            content = plain;
        }
        if (content instanceof StringTerm text) {
            return sent.withContent(text.getString());
        }
        return content == null ? sent : sent.withContent(content.toString()).withLanguage(LANGUAGE);
    }

    /** Removes an annotation such as {@code protocol("fipa-request")}, and returns its value; null if there is none. */
    private static String takeAnnotation(Literal content, String name) {
        Literal annotation = content.getAnnot(name);
        if (annotation == null || annotation.getArity() != 1) {
            return null;
        }
        content.delAnnot(annotation);
        Term value = annotation.getTerm(0);
        return value instanceof StringTerm text ? text.getString() : Literals.name(value.toString());
    }

    private Message toJason(AclMessage message) {
        String act = message.performative();
        String other = message.parameter(PERFORMATIVE);
        String performative = other != null ? other : IN_JASON.getOrDefault(act, act.replace('-', '_'));
        String id = message.replyWith() != null ? message.replyWith() : "acl" + ++lastNumber;
        answerable.put(id, message);
        Message heard = new Message(performative, Literals.functor(message.sender()), getAgName(), content(message), id);
        heard.setInReplyTo(message.inReplyTo());
        return heard;
    }

    /** Returns the content as a term; as a string if it is in another language, or no term. */
    private static Object content(AclMessage message) {
        String text = message.content() == null ? "" : message.content();
        if (message.language() == null || message.language().equals(LANGUAGE)) {
            try {
                return ASSyntax.parseTerm(text);
            } catch (ParseException | RuntimeException | Error e) {
                // Jason's reader of tokens throws errors.
                return new StringTermImpl(text);
            }
        }
        return new StringTermImpl(text);
    }
}
