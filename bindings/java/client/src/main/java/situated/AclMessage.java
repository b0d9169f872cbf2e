package situated;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A FIPA ACL message. It never changes: the methods whose names begin with {@code with} return a copy.
 *
 * <pre>{@code
 * AclMessage.of("request", "bert").withContent("open(door)").withProtocol("fipa-request").withConversationId("c1")
 * }</pre>
 */
public final class AclMessage {
    private final Map<String, Object> json;

    /** Creates a message from what the protocol writes. */
    AclMessage(Map<String, Object> json) {
        this.json = Collections.unmodifiableMap(new LinkedHashMap<>(json));
    }

    /**
     * Returns a message without content.
     *
     * @param performative the communicative act, one of the 22 of FIPA, such as {@code inform}
     * @param receivers the names of the receivers
     * @return the message
     */
    public static AclMessage of(String performative, String... receivers) {
        return new AclMessage(Json.of("performative", performative, "receivers", Arrays.asList(receivers)));
    }

    /**
     * Returns the communicative act.
     *
     * @return one of the 22 of FIPA, such as {@code inform}
     */
    public String performative() {
        return Data.text(json.get("performative"));
    }

    /**
     * Returns the sender, which the server has checked.
     *
     * @return its name; null in a message that was not sent
     */
    public String sender() {
        return json.get("sender") == null ? null : name(json.get("sender"));
    }

    /**
     * Returns the receivers.
     *
     * @return their names
     */
    public List<String> receivers() {
        return names("receivers");
    }

    /**
     * Returns the agents that get the answer, if that is not the sender.
     *
     * @return their names; empty for the sender
     */
    public List<String> replyTo() {
        return names("replyTo");
    }

    /**
     * Returns the content.
     *
     * @return the text; null if there is none, or if it is bytes
     */
    public String content() {
        return text("content");
    }

    /**
     * Returns the language of the content.
     *
     * @return such as {@code fipa-sl0}, or null
     */
    public String language() {
        return text("language");
    }

    /**
     * Returns the ontology, which gives the symbols in the content their meaning.
     *
     * @return its name, or null
     */
    public String ontology() {
        return text("ontology");
    }

    /**
     * Returns the interaction protocol.
     *
     * @return such as {@code fipa-contract-net}, or null
     */
    public String protocol() {
        return text("protocol");
    }

    /**
     * Returns the conversation.
     *
     * @return its identifier, or null
     */
    public String conversationId() {
        return text("conversationId");
    }

    /**
     * Returns the token that answers repeat.
     *
     * @return the token, or null
     */
    public String replyWith() {
        return text("replyWith");
    }

    /**
     * Returns the token of the message that this one answers.
     *
     * @return the token, or null
     */
    public String inReplyTo() {
        return text("inReplyTo");
    }

    /**
     * Returns a parameter that is not in the standard.
     *
     * @param name its name, which begins with {@code X-}
     * @return the text of its value, or null
     */
    public String parameter(String name) {
        for (Object one : Data.list(json.get("parameters"))) {
            Map<String, Object> parameter = Data.object(one);
            if (name.equals(parameter.get("name"))) {
                return value(parameter.get("value"));
            }
        }
        return null;
    }

    /**
     * Returns a copy with another content.
     *
     * @param content the text
     * @return the copy
     */
    public AclMessage withContent(String content) {
        return with("content", content);
    }

    /**
     * Returns a copy with another language of the content.
     *
     * @param language such as {@code fipa-sl0}
     * @return the copy
     */
    public AclMessage withLanguage(String language) {
        return with("language", language);
    }

    /**
     * Returns a copy with another interaction protocol.
     *
     * @param protocol such as {@code fipa-request}
     * @return the copy
     */
    public AclMessage withProtocol(String protocol) {
        return with("protocol", protocol);
    }

    /**
     * Returns a copy of another conversation.
     *
     * @param conversationId its identifier
     * @return the copy
     */
    public AclMessage withConversationId(String conversationId) {
        return with("conversationId", conversationId);
    }

    /**
     * Returns a copy with another token that answers repeat.
     *
     * @param replyWith the token
     * @return the copy
     */
    public AclMessage withReplyWith(String replyWith) {
        return with("replyWith", replyWith);
    }

    /**
     * Returns a copy that answers another message.
     *
     * @param inReplyTo the token of that message
     * @return the copy
     */
    public AclMessage withInReplyTo(String inReplyTo) {
        return with("inReplyTo", inReplyTo);
    }

    /**
     * Returns a copy with one more parameter that is not in the standard.
     *
     * @param name its name, which begins with {@code X-}
     * @param value its value
     * @return the copy
     */
    public AclMessage withParameter(String name, String value) {
        List<Object> parameters = new ArrayList<>(Data.list(json.get("parameters")));
        parameters.add(Json.of("name", name, "value", value));
        return with("parameters", parameters);
    }

    /**
     * Returns a copy with another value of any field of the type {@code AclMessage} of the protocol.
     *
     * @param field its name, such as {@code replyBy}
     * @param value its value, as the protocol writes it; null for none
     * @return the copy
     */
    public AclMessage with(String field, Object value) {
        Map<String, Object> changed = new LinkedHashMap<>(json);
        changed.put(field, value);
        changed.values().removeIf(one -> one == null);
        return new AclMessage(changed);
    }

    /**
     * Returns an answer to this message: to its sender or those that it names, in the same conversation, with the same
     * protocol, language and ontology, and without content.
     *
     * @param performative the communicative act of the answer
     * @return the answer
     */
    public AclMessage reply(String performative) {
        Object receivers = json.containsKey("replyTo") ? json.get("replyTo") : Collections.singletonList(json.get("sender"));
        AclMessage answer = of(performative).with("receivers", receivers).with("inReplyTo", json.get("replyWith"));
        for (String field : Arrays.asList("conversationId", "protocol", "language", "ontology")) {
            answer = answer.with(field, json.get(field));
        }
        return answer;
    }

    /** Returns the message as the protocol writes it. */
    Map<String, Object> json() {
        return json;
    }

    private String text(String field) {
        return value(json.get(field));
    }

    /** Returns a value that is a text, or can be written as one. */
    private static String value(Object value) {
        if (!(value instanceof Map)) {
            return (String) value;
        }
        Object only = Data.object(value).values().iterator().next();
        return only instanceof String && !Data.object(value).containsKey("bytes") ? (String) only : null;
    }

    private List<String> names(String field) {
        List<String> names = new ArrayList<>();
        Data.list(json.get(field)).forEach(agent -> names.add(name(agent)));
        return names;
    }

    private static String name(Object agent) {
        return Data.text(agent instanceof Map ? Data.object(agent).get("name") : agent);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AclMessage && json.equals(((AclMessage) other).json);
    }

    @Override
    public int hashCode() {
        return json.hashCode();
    }

    @Override
    public String toString() {
        return Json.write(json);
    }
}
