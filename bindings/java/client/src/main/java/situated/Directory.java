package situated;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The directory of a server, which an agent asks: the agents that are registered with the server, and the services that
 * agents have registered.
 *
 * <pre>{@code
 * seller.directory().register(3600, Service.of("plums", "fruit"));
 * buyer.directory().search(Service.of(null, "fruit")).forEach((agent, services) -> System.out.println(agent));
 * }</pre>
 */
public final class Directory {
    private static final String AMS = "ams";
    private static final String DF = "df";
    private static final String ONTOLOGY = "FIPA-Agent-Management";
    private static final long LONGEST_LEASE_S = TimeUnit.DAYS.toSeconds(30);

    private final Client client;
    private final String agent;

    Directory(Client client, String agent) {
        this.client = client;
        this.agent = agent;
    }

    /** A request that the directory has not carried out. */
    public static final class Declined extends SituatedException {
        /** The reason in the words of FIPA agent management. */
        private final String reason;

        Declined(AclMessage answer, String reason) {
            super("the directory answers `" + answer.performative() + "`: " + reason);
            this.reason = reason;
        }

        /**
         * Returns the reason.
         *
         * @return in the words of FIPA agent management, such as {@code unauthorised}
         */
        public String reason() {
            return reason;
        }
    }

    /**
     * Registers services of the agent, until it leaves. They replace those that it has registered before.
     *
     * @param services the services
     */
    public void register(Service... services) {
        register(0, services);
    }

    /**
     * Registers services of the agent for a time, as {@link #register(Service...)} does.
     *
     * @param leaseS the time in seconds, up to 30 days; 0 until the agent leaves
     * @param services the services
     */
    public void register(long leaseS, Service... services) {
        if (leaseS < 0 || leaseS > LONGEST_LEASE_S) {
            throw new IllegalArgumentException("a lease has 0 to " + LONGEST_LEASE_S + " seconds, not " + leaseS
                    + "; register the services again before it ends");
        }
        List<Object> description = description(agent, services);
        if (leaseS > 0) {
            Collections.addAll(description, ":lease-time", String.format("+000000%02dT%02d%02d%02d000",
                    leaseS / 86_400, leaseS / 3600 % 24, leaseS / 60 % 60, leaseS % 60));
        }
        try {
            request(DF, Expressions.list("register", description));
        } catch (Declined e) {
            if (!e.reason().equals("already-registered")) {
                throw e;
            }
            request(DF, Expressions.list("modify", description));
        }
    }

    /** Removes the services of the agent, if it has any. */
    public void deregister() {
        try {
            request(DF, Expressions.list("deregister", description(agent)));
        } catch (Declined e) {
            if (!e.reason().equals("not-registered")) {
                throw e;
            }
        }
    }

    /**
     * Searches for agents that have services with everything that the templates have. The answer has at most 1,000
     * agents.
     *
     * @param templates the templates; an agent has services for all of them
     * @return the services by the names of their agents
     */
    public Map<String, List<Service>> search(Service... templates) {
        return search(0, templates);
    }

    /**
     * Searches as {@link #search(Service...)} does, also in the directories of other platforms with which the server
     * exchanges messages, and in those of their peers. The names of agents elsewhere end with {@code @PLATFORM}. A
     * directory that does not answer within 10 s is left out.
     *
     * @param maxDepth the number of directories one after another in which the search goes on; at least 0
     * @param templates the templates; an agent has services for all of them
     * @return the services by the names of their agents
     */
    public Map<String, List<Service>> search(int maxDepth, Service... templates) {
        return services(results(request(DF, search(description(null, templates), maxDepth))));
    }

    /**
     * Returns the agents that are registered with the server.
     *
     * @return their names, up to 1,000
     */
    public List<String> agents() {
        List<String> names = new ArrayList<>();
        for (Object one : results(request(AMS, search(Expressions.list("ams-agent-description"), 0)))) {
            String name = Expressions.agentName(
                    Expressions.slot(Expressions.arguments(one, "ams-agent-description"), "name"));
            if (name != null) {
                names.add(name);
            }
        }
        return names;
    }

    /**
     * Subscribes to changes of services. They come as mail in this conversation, and {@link #changes} reads them. The
     * first has the agents that match already, if there are any.
     *
     * @param conversationId the conversation; a later subscription in it replaces this one
     * @param templates the templates, as for {@link #search(Service...)}
     */
    public void subscribe(String conversationId, Service... templates) {
        List<Object> action = Expressions.list("action", Expressions.agent(DF), search(description(null, templates), 0));
        Object iota = Expressions.list("iota", "?x", Expressions.list("result", action, "?x"));
        ask(AclMessage.of("subscribe", DF).withLanguage("fipa-sl").with("ontology", ONTOLOGY)
                .withConversationId(conversationId).withContent(Expressions.write(Expressions.list(iota))));
    }

    /**
     * Ends a subscription.
     *
     * @param conversationId its conversation
     */
    public void cancel(String conversationId) {
        ask(AclMessage.of("cancel", DF).with("ontology", ONTOLOGY).withConversationId(conversationId));
    }

    /**
     * Reads a notification about changes.
     *
     * @param message a message that the agent has received
     * @return the services that match now, by the names of their agents, where an agent without services no longer
     * matches;
     *     null if the message is something else
     */
    public static Map<String, List<Service>> changes(AclMessage message) {
        if (!DF.equals(message.sender()) || message.content() == null) {
            return null;
        }
        try {
            List<?> both = Expressions.arguments(((List<?>) Expressions.read(message.content())).get(0), "=");
            List<?> listed = both == null ? null : Expressions.arguments(both.get(1), "sequence");
            return listed == null ? null : services(listed);
        } catch (IllegalArgumentException | ClassCastException | IndexOutOfBoundsException e) {
            return null;
        }
    }

    private static List<Object> description(String agent, Service... services) {
        List<Object> description = Expressions.list("df-agent-description");
        if (agent != null) {
            Collections.addAll(description, ":name", Expressions.agent(agent));
        }
        if (services.length > 0) {
            List<Object> set = Expressions.list("set");
            Arrays.asList(services).forEach(service -> set.add(service.write()));
            Collections.addAll(description, ":services", set);
        }
        return description;
    }

    private static List<Object> search(Object template, int maxDepth) {
        return Expressions.list("search", template,
                Expressions.list("search-constraints", ":max-results", -1, ":max-depth", maxDepth));
    }

    private AclMessage request(String service, List<Object> function) {
        Object action = Expressions.list("action", Expressions.agent(service), function);
        return ask(AclMessage.of("request", service).withLanguage("fipa-sl0").with("ontology", ONTOLOGY)
                .withContent(Expressions.write(Expressions.list(action))));
    }

    /** Returns the answer of the directory; throws {@link Declined} if it has not done it. */
    private AclMessage ask(AclMessage message) {
        Map<String, Object> answered = client.call("askDirectory", Json.of("agent", agent, "message", message.json()));
        AclMessage answer = new AclMessage(Data.object(answered.get("message")));
        if (answer.performative().equals("inform") || answer.performative().equals("agree")) {
            return answer;
        }
        List<?> content = answer.content() == null ? Collections.emptyList() : (List<?>) Expressions.read(answer.content());
        String reason = content.isEmpty() ? "without a reason" : Expressions.write(content.get(content.size() - 1));
        throw new Declined(answer, reason);
    }

    /** Returns the values in {@code ((result (action …) (sequence …)))}. */
    private static List<?> results(AclMessage answer) {
        List<?> result = Expressions.arguments(((List<?>) Expressions.read(answer.content())).get(0), "result");
        List<?> values = result == null ? null : Expressions.arguments(result.get(result.size() - 1), "sequence");
        if (values == null) {
            throw new SituatedException.Misunderstood("askDirectory", "it has no list of results");
        }
        return values;
    }

    private static Map<String, List<Service>> services(List<?> descriptions) {
        Map<String, List<Service>> found = new LinkedHashMap<>();
        for (Object one : descriptions) {
            List<?> description = Expressions.arguments(one, "df-agent-description");
            String name = Expressions.agentName(Expressions.slot(description, "name"));
            List<?> set = Expressions.arguments(Expressions.slot(description, "services"), "set");
            if (name != null) {
                List<Service> services = new ArrayList<>();
                (set == null ? Collections.emptyList() : set).forEach(service -> services.add(Service.read(service)));
                found.put(name, services);
            }
        }
        return found;
    }
}
