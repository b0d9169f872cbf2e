package situated;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/**
 * An agent on a server, until it is unregistered or the session ends.
 *
 * <p>It keeps its beliefs about each of its entities. It acknowledges the percepts that it has received, so that a lost
 * connection loses and repeats nothing: each perception has the changes since the previous one, and each event once.
 * That holds for all perceptions together, those of {@link #perceive}, {@link #step} and {@link #listen}.
 *
 * <pre>{@code
 * RemoteAgent robot = client.environment("bw4t").register("ada");
 * robot.associate("Bot1");
 * robot.listen(perceptions -> perceptions.values().forEach(news -> System.out.println(news.events())));
 * robot.act("goTo", "RoomA1");
 * }</pre>
 */
public final class RemoteAgent {
    private final Client client;
    private final String environment;
    private final String name;
    private final Memory memory = new Memory();
    /** Guards the memory. */
    private final ReentrantLock remembering = new ReentrantLock();
    /** Guards the number of the last action. */
    private final ReentrantLock sending = new ReentrantLock();
    private long lastNumber;
    private volatile Consumer<Map<String, Perception>> listener;
    private final Mailbox mailbox;

    RemoteAgent(Client client, String environment, String name, String address) {
        this.client = client;
        this.environment = environment;
        this.name = name;
        this.mailbox = new Mailbox(client, name, address, false);
    }

    /**
     * Returns the name of the agent.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns the mailbox of the agent, by which it exchanges messages with all agents of the server.
     *
     * @return the mailbox
     */
    public Mailbox mailbox() {
        return mailbox;
    }

    /**
     * Takes an entity. The agent has no beliefs about it yet.
     *
     * @param entity its name
     */
    public void associate(String entity) {
        client.checkCanWait("associate");
        // The percepts may come before the answer.
        forget(entity);
        call("associate", "entity", entity);
    }

    /**
     * Requests an entity of a type from the environment, and takes it.
     *
     * @param entityType the type, such as {@code bot}
     * @return the name of the entity
     */
    public String requestEntity(String entityType) {
        return client.await("requestEntity", () -> {
            CompletableFuture<String> answer =
                    client.add(Client.NOTHING, "requestEntity", params("entityType", entityType), json -> {
                        String entity = Data.text(json.get("entity"));
                        // Its percepts follow the answer, so this thread, which reads both, forgets what it knew.
                        forget(entity);
                        return entity;
                    });
            client.flush();
            return answer;
        });
    }

    /**
     * Frees an entity.
     *
     * @param entity its name, or null for all of the agent
     */
    public void free(String entity) {
        call("free", "entity", entity);
        forget(entity);
    }

    /** Unregisters the agent and frees its entities, even if the connection is lost. */
    public void unregister() {
        client.await("unregister", this::unregisterAsync);
    }

    /**
     * Unregisters the agent without waiting, as in {@link #unregister}.
     *
     * @return completes when the entities are free, or with the {@link SituatedException} for which the call failed
     * @throws SituatedException if the call cannot be made
     */
    public CompletableFuture<Void> unregisterAsync() {
        CompletableFuture<Void> answer = client.add(Client.NOTHING, "unregister", params(), json -> {
            forget(null);
            return null;
        });
        client.flush();
        return answer;
    }

    /**
     * Acts through all entities of the agent, and waits until the action is done: at once, in its turn, or at the end
     * of the step in lockstep. The action runs once, even if the connection is lost.
     *
     * @param action the name of the action
     * @param parameters its parameters, as {@link Parameter#of} takes them
     * @return the result
     * @throws SituatedException.NotDone if it failed for an entity
     * @throws SituatedException if the call fails
     */
    public Acted act(String action, Object... parameters) {
        return act(new Action(action, parameters));
    }

    /**
     * Acts through some of the entities of the agent, as in {@link #act(String, Object...)}.
     *
     * @param action the action
     * @param entities the entities; none means all
     * @return the result
     */
    public Acted act(Action action, String... entities) {
        return client.await("act", () -> actAsync(action, entities));
    }

    /**
     * Acts without waiting, as in {@link #act(String, Object...)}.
     *
     * @param action the action
     * @param entities the entities; none means all
     * @return the result, or the {@link SituatedException} for which it failed
     */
    public CompletableFuture<Acted> actAsync(Action action, String... entities) {
        return numbered(number -> {
            Map<String, Object> params = params("action", action, "entities", Arrays.asList(entities), "number", number);
            return client.add(Client.NOTHING, "act", params, answer ->
                    new Acted(new Moment(answer.get("moment")), answer.get("results"), Collections.emptyMap()).check());
        });
    }

    /**
     * Does nothing in this step of lockstep, so that no other agent waits. Waits until the step is over.
     *
     * @return the moment after the step
     * @throws SituatedException.Uncertain if the connection is lost before the answer
     */
    public Moment pass() {
        return new Moment(call("pass").get("moment"));
    }

    /**
     * Perceives through all entities of the agent: changes and events since they were last perceived. The first time,
     * all percepts that hold are new.
     *
     * @return the perceptions, by entity
     */
    public Map<String, Perception> perceive() {
        Map<String, Perception> told = new LinkedHashMap<>();
        client.await("perceive", () -> perceiveAsync(Collections.emptyList(), told));
        return told;
    }

    private CompletableFuture<Void> perceiveAsync(List<String> entities, Map<String, Perception> told) {
        CompletableFuture<CompletableFuture<Void>> answer = client.add(Client.NOTHING, "perceive",
                params("entities", entities, "since", "acknowledged", "known", known()),
                json -> remember(json.get("perceptions"), new Moment(json.get("moment")), told));
        client.flush();
        return answer.thenCompose(remembered -> remembered);
    }

    /**
     * Acts as in {@link #act(String, Object...)} and then perceives, in one message in each direction.
     *
     * @param action the name of the action
     * @param parameters its parameters
     * @return the result, with the perceptions
     */
    public Acted step(String action, Object... parameters) {
        return step(new Action(action, parameters));
    }

    /**
     * Acts through some of the entities of the agent and then perceives, as in {@link #step(String, Object...)}.
     *
     * @param action the action; null to pass
     * @param entities the entities; none means all
     * @return the result, with the perceptions
     */
    public Acted step(Action action, String... entities) {
        return client.await("step", () -> stepAsync(action, entities));
    }

    /**
     * Passes (lockstep), and then perceives. After a lost connection, this is not repeated.
     *
     * @return the result, with the perceptions
     */
    public Acted step() {
        return client.await("step", () -> stepAsync(null));
    }

    /**
     * Acts and then perceives, without waiting.
     *
     * @param action the action; null to pass
     * @param entities the entities; none means all
     * @return the result, or the {@link SituatedException} for which it failed
     */
    public CompletableFuture<Acted> stepAsync(Action action, String... entities) {
        return numbered(number -> {
            Map<String, Object> turn = Json.of("agent", name, "action", action, "entities", Arrays.asList(entities),
                    "number", action == null ? null : number, "known", known());
            Map<String, Object> params = Json.of("environment", environment, "agents", Collections.singletonList(turn),
                    "since", "acknowledged");
            return client.add(Client.NOTHING, "step", params, this::stepped).thenCompose(stepped -> stepped);
        });
    }

    private CompletableFuture<Acted> stepped(Map<String, Object> answer) {
        List<?> agents = Data.list(answer.get("agents"));
        if (agents.size() != 1) {
            throw new IllegalArgumentException("it has no result for the agent");
        }
        Map<String, Object> turn = Data.object(agents.get(0));
        if (turn.get("error") != null) {
            throw SituatedException.Refused.read(turn.get("error"));
        }
        Moment moment = new Moment(answer.get("moment"));
        Map<String, Perception> told = new LinkedHashMap<>();
        Acted acted = new Acted(moment, turn.get("results"), told);
        return remember(turn.get("perceptions"), moment, told).thenApply(remembered -> acted.check());
    }

    /**
     * Calls a listener with the perceptions of the agent whenever its percepts have changed or something has happened,
     * instead of the last listener. It gets all perceptions of the agent in order, also those that {@link #perceive}
     * and {@link #step} return. It is called on the thread that reads from the connection, and must not block. If it
     * throws, it is called no more.
     *
     * @param listener gets the perceptions that are not empty, by entity
     * @return ends this when it is closed
     */
    public Listening listen(Consumer<Map<String, Perception>> listener) {
        return listen(Collections.emptySet(), 0, listener);
    }

    /**
     * Calls a listener as in {@link #listen(Consumer)}, but lets the server notify this client only after changes of
     * some percepts, and not too often. A notification has all changes since the last one.
     *
     * <pre>{@code
     * robot.listen(Arrays.asList("in", "message"), 100, perceptions -> wakeUp());
     * }</pre>
     *
     * @param changesOf the names of percepts and events; none means all
     * @param intervalMs the minimum time between two notifications, in milliseconds
     * @param listener gets the perceptions that are not empty, by entity
     * @return ends this when it is closed
     */
    public Listening listen(
            Collection<String> changesOf, int intervalMs, Consumer<Map<String, Perception>> listener) {
        Listener notified = new Listener() {
            @Override
            public boolean receive(Map<String, Object> notification) {
                Map<String, Perception> told = new LinkedHashMap<>();
                remember(notification.get("perceptions"), new Moment(notification.get("moment")), told)
                        .thenRun(() -> client.notify(acknowledgements(told::containsKey)));
                return RemoteAgent.this.listener == listener;
            }

            @Override
            public void end(SituatedException reason) {
                // Calls of the agent report the same.
            }
        };
        client.checkCanWait("subscribe");
        this.listener = listener;
        Map<String, Object> topic = params("since", "acknowledged", "changesOf", new ArrayList<>(changesOf),
                "intervalMs", intervalMs);
        byte[] before = acknowledgements(entity -> true);
        client.await("subscribe", () -> client.listen(before, Collections.singletonMap("percepts", topic), notified));
        return () -> {
            if (this.listener == listener) {
                this.listener = null;
            }
            client.cancel(notified);
        };
    }

    /** A listener that is called until this is closed. */
    public interface Listening extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Returns the percepts of an entity that held when it was last perceived.
     *
     * @param entity its name
     * @return a copy of the beliefs
     */
    public Set<Percept> beliefs(String entity) {
        remembering.lock();
        try {
            return memory.beliefs(entity);
        } finally {
            remembering.unlock();
        }
    }

    /** Sends an action with the next number. Actions are sent in the order of their numbers. */
    private CompletableFuture<Acted> numbered(LongFunction<CompletableFuture<Acted>> send) {
        CompletableFuture<Acted> answer;
        sending.lock();
        try {
            answer = send.apply(++lastNumber);
        } finally {
            sending.unlock();
        }
        client.flush();
        return answer;
    }

    /** Remembers perceptions, and perceives again what does not fit. Completes when all are in {@code told}. */
    private CompletableFuture<Void> remember(Object perceptions, Moment moment, Map<String, Perception> told) {
        Map<String, Perception> remembered = new LinkedHashMap<>();
        List<String> unfit = new ArrayList<>();
        remembering.lock();
        try {
            for (Object one : Data.list(perceptions)) {
                Map<String, Object> perceived = Data.object(one);
                String entity = Data.text(perceived.get("entity"));
                Perception perception = memory.take(perceived, moment);
                if (perception == null) {
                    unfit.add(entity);
                } else {
                    remembered.put(entity, perception);
                }
            }
        } finally {
            remembering.unlock();
        }
        told.putAll(remembered);
        tell(remembered);
        if (unfit.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        // If this fails, the next call has what is missing.
        return perceiveAsync(unfit, told).exceptionally(error -> null);
    }

    /** Tells the listener what is new. */
    private void tell(Map<String, Perception> perceptions) {
        Consumer<Map<String, Perception>> told = listener;
        if (told == null) {
            return;
        }
        Map<String, Perception> news = new LinkedHashMap<>(perceptions);
        news.values().removeIf(Perception::isEmpty);
        try {
            if (!news.isEmpty()) {
                told.accept(news);
            }
        } catch (RuntimeException e) {
            listener = null;
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }

    private List<Map<String, Object>> known() {
        remembering.lock();
        try {
            return memory.known();
        } finally {
            remembering.unlock();
        }
    }

    /**
     * Returns one acknowledgement for each of these entities, so that an entity which it has lost does not invalidate
     * the others.
     */
    private byte[] acknowledgements(Predicate<Object> entities) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (Map<String, Object> known : known()) {
            if (entities.test(known.get("entity"))) {
                byte[] line = Link.line(null, "acknowledge", params("versions", Collections.singletonList(known)));
                lines.write(line, 0, line.length);
            }
        }
        return lines.toByteArray();
    }

    private void forget(String entity) {
        remembering.lock();
        try {
            memory.forget(entity);
        } finally {
            remembering.unlock();
        }
    }

    private Map<String, Object> call(String method, Object... named) {
        return client.call(method, params(named));
    }

    /** Returns the parameters of a call of this agent: names and values in turn. */
    private Map<String, Object> params(Object... named) {
        return Json.put(Json.of("environment", environment, "agent", name), named);
    }

    @Override
    public String toString() {
        return "agent " + name + " in " + environment;
    }
}
