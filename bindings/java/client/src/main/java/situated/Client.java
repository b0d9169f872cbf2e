package situated;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A session with a server, for one agent or for many. All threads can use it.
 *
 * <pre>{@code
 * try (Client client = Client.connect("tcp://localhost:7467")) {
 *     RemoteAgent agent = client.environment("find-goals").register("ada");
 *     agent.associate("red");
 *     agent.act("up");
 *     agent.perceive().forEach((entity, perception) ->
 *         System.out.println(entity + " perceives " + perception.add()));
 * }
 * }</pre>
 *
 * <p>The client reconnects when the connection is lost, at once and then with pauses of 50 ms to 3 s. The session
 * continues with its agents and subscriptions, and calls wait. Calls without an answer are repeated where this is safe:
 * calls that only read, those that unregister an agent, and the actions of agents, each of which has a number and runs
 * once. Other calls throw {@link SituatedException.Uncertain}, since they may have been done. If the server is silent,
 * the client sends a ping, and reconnects if it is not answered within 4 s.
 *
 * <p>When the session has ended meanwhile, or the client could not reconnect in time, all present and later calls throw
 * {@link SituatedException.Ended}. The client never opens a new session by itself.
 *
 * <p>Calls wait for their answers, and have no timeout: in lockstep, the answer to an action comes when the last agent
 * has acted. The methods whose names end in {@code Async} do not wait. Their futures complete on the thread that reads
 * from the connection, as listeners are called there, so what follows a future must not block: for calls that wait, use
 * {@code thenAcceptAsync} and its kin. A call that would wait on this thread throws {@link IllegalStateException}. The
 * thread is one of the client, or one that waits for the answer to its own call and reads meanwhile.
 */
public final class Client implements AutoCloseable {
    static final byte[] NOTHING = {};

    private final Link link;
    /** Guards the number of the last message. */
    private final ReentrantLock sending = new ReentrantLock();
    private long lastSent;

    Client(Link link) {
        this.link = link;
    }

    /**
     * Connects to a server as a platform with any number of agents.
     *
     * @param address its address, such as {@code tcp://localhost:7467}
     * @return the session
     * @throws SituatedException if the server cannot be reached, or does not accept this client
     */
    public static Client connect(String address) {
        return to(address).connect();
    }

    /**
     * Begins to connect to a server, with options.
     *
     * @param address its address: {@code tcp://HOST:PORT}, or {@code tls://HOST:PORT} if it is encrypted
     * @return the options
     * @throws SituatedException.InvalidAddress if the text is no address
     */
    public static Connect to(String address) {
        return new Connect(Address.parse(address));
    }

    /**
     * Returns the greeting of the server: the rights of this client, and the limits of the server.
     *
     * @return the greeting
     */
    public Greeting greeting() {
        return link.greeting();
    }

    /**
     * Calls any method of the protocol, and waits for the answer.
     *
     * @param method its name, such as {@code describe}
     * @param params its parameters, as the protocol writes them: maps, lists, texts, numbers, truth values and terms
     * @return the answer, as the protocol writes it
     * @throws SituatedException if the call fails
     */
    public Map<String, Object> call(String method, Map<String, ?> params) {
        return await(method, () -> callAsync(method, params));
    }

    /**
     * Calls any method of the protocol.
     *
     * @param method its name
     * @param params its parameters
     * @return the answer, or the {@link SituatedException} for which the call fails
     * @throws SituatedException if the call cannot be made
     */
    public CompletableFuture<Map<String, Object>> callAsync(String method, Map<String, ?> params) {
        CompletableFuture<Map<String, Object>> answer = add(NOTHING, method, params, json -> json);
        link.flush();
        return answer;
    }

    /**
     * Returns the status of each environment, as the protocol writes it.
     *
     * @return the environments
     */
    public List<Map<String, Object>> environments() {
        List<Map<String, Object>> environments = new ArrayList<>();
        Data.list(call("listEnvironments", Collections.emptyMap()).get("environments"))
                .forEach(one -> environments.add(Data.object(one)));
        return environments;
    }

    /**
     * Returns the environment with this name. Nothing is sent for that.
     *
     * @param name its name
     * @return the environment
     */
    public RemoteEnvironment environment(String name) {
        return new RemoteEnvironment(this, name);
    }

    /**
     * Creates an environment. Needs the right to manage.
     *
     * @param kind the kind of environment, such as {@code bw4t}
     * @param options other parameters of the method {@code createEnvironment}, such as {@code parameters} and
     * {@code start}
     * @return the environment
     */
    public RemoteEnvironment create(String kind, Map<String, ?> options) {
        Map<String, Object> params = new LinkedHashMap<>(options);
        params.put("kind", kind);
        Map<String, Object> status = Data.object(call("createEnvironment", params).get("status"));
        return environment(Data.text(status.get("environment")));
    }

    /**
     * Opens the mailbox of an agent that is in no environment. The mailbox of an agent in an environment is
     * {@link RemoteAgent#mailbox}.
     *
     * @param agent the name of the agent, which no other agent of the server has
     * @return its mailbox, which ends when it is closed
     */
    public Mailbox openMailbox(String agent) {
        Object address = call("openMailbox", Collections.singletonMap("agent", agent)).get("address");
        return new Mailbox(this, agent, address == null ? agent : Data.text(address), true);
    }

    /**
     * Subscribes to a topic of the protocol.
     *
     * @param topic the topic, such as {@code {"environments": {}}}
     * @return the notifications, as the protocol writes them
     */
    public Subscription<Map<String, Object>> subscribe(Map<String, ?> topic) {
        return new Subscription<>(this, topic, notification -> notification);
    }

    /** Ends the session; the server unregisters its agents. */
    @Override
    public void close() {
        link.close();
    }

    /** Subscribes a listener, after the notifications in {@code before}. */
    CompletableFuture<Map<String, Object>> listen(byte[] before, Map<String, ?> topic, Listener listener) {
        CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
        link.add(answer, "subscribe", Collections.singletonMap("to", topic), before, listener);
        link.flush();
        return answer;
    }

    /**
     * Adds a call, after the notifications in {@code before}; {@link #flush} sends it. The answer is read before later
     * messages of the server are. A wrong one is {@code Misunderstood}.
     */
    <T> CompletableFuture<T> add(
            byte[] before, String method, Map<String, ?> params, java.util.function.Function<Map<String, Object>, T> read) {
        CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
        CompletableFuture<T> result = answer.thenApply(json -> {
            try {
                return read.apply(json);
            } catch (IllegalArgumentException | ClassCastException e) {
                throw new SituatedException.Misunderstood(method, e.getMessage());
            }
        });
        link.add(answer, method, params, before, null);
        return result;
    }

    /**
     * Adds a message; {@link #flush} sends it. All messages of this client have numbers in order: the server takes one
     * with a number that is not higher than the last of the same agent for a repetition.
     */
    CompletableFuture<Void> addMessage(String agent, AclMessage message) {
        sending.lock();
        try {
            Map<String, Object> params = Json.of("agent", agent, "number", ++lastSent, "message", message.json());
            return add(NOTHING, "send", params, json -> null);
        } finally {
            sending.unlock();
        }
    }

    /** Sends what was added. */
    void flush() {
        link.flush();
    }

    void cancel(Listener listener) {
        link.cancel(listener);
    }

    void notify(byte[] lines) {
        link.notify(lines);
    }

    /** Makes a call and waits for its answer. Where this thread must not wait, the call is not made. */
    <T> T await(String method, Supplier<CompletableFuture<T>> call) {
        checkCanWait(method);
        CompletableFuture<T> answer = call.get();
        link.readFor(answer);
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SituatedException.Uncertain(method, "the thread was interrupted");
        } catch (ExecutionException e) {
            throw failure(method, e.getCause());
        }
    }

    /** Throws if this thread must not wait, since it has to read the answer. */
    void checkCanWait(String what) {
        if (link.isReader()) {
            throw new IllegalStateException("`" + what + "` would wait on the thread that reads the answer; call it on "
                    + "another thread, or use a method whose name ends in Async");
        }
    }

    private static RuntimeException failure(String method, Throwable cause) {
        Throwable root = cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
        if (root instanceof RuntimeException) {
            return (RuntimeException) root;
        }
        return new IllegalStateException("`" + method + "` has failed: " + root, root);
    }
}
