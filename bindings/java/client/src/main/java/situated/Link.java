package situated;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A session and its connection. One thread at a time reads ({@link Turns}): it completes calls and passes notifications
 * on. It never writes, so that a server which reads nothing cannot block it: what it has to send, a second thread
 * writes. Calls are written by the threads that make them. The first thread reconnects.
 */
final class Link {
    /** Maximum number of calls that wait for their answers. */
    static final int CALLS_WAITING = 1024;

    private static final long SHORTEST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 2000;
    private static final int FAREWELL_MS = 1000;
    /** Number of characters for which a line has room at first. */
    private static final int USUAL_LINE = 256;

    private final Endpoint endpoint;
    private final Greeting greeting;
    private final long patienceMs;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch leaving = new CountDownLatch(1);
    private final Turns turns;
    private final Thread writer;

    /** Guards what follows. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, Call> calls = new LinkedHashMap<>();
    private final Map<Long, Listener> listeners = new LinkedHashMap<>();
    /** Number of the calls. It is also read without the lock. */
    private volatile int callsWaiting;
    private long lastNumber;
    /** Null while there is none. */
    private volatile Connection connection;
    /** Null as long as the session continues. */
    private volatile SituatedException.Ended end;

    /** A lost connection. The session may continue on another. */
    static final class Lost extends IOException {
        Lost(String reason) {
            super(reason);
        }
    }

    Link(Endpoint endpoint, Endpoint.Greeted greeted, long patienceMs) {
        this.endpoint = endpoint;
        this.greeting = greeted.greeting;
        this.connection = greeted.connection;
        this.patienceMs = patienceMs;
        long expected = greeting.heartbeatMs == 0 ? Long.MAX_VALUE : greeting.heartbeatMs / 3;
        this.turns = new Turns(this, Math.max(1, Math.min(expected, Endpoint.SILENCE_MS)));
        writer = Threads.start("situated-writer", this::write);
        Threads.start("situated-reader", this::run);
    }

    Greeting greeting() {
        return greeting;
    }

    /** Returns whether this is the thread that reads, which must not wait for an answer. */
    boolean isReader() {
        return turns.isReader();
    }

    /** Reads on this thread for an answer if that is quicker. It may still have to wait for the answer then. */
    void readFor(Future<?> answer) {
        turns.readFor(answer);
    }

    /** Returns the present connection, or null. */
    Connection connection() {
        return connection;
    }

    /** Returns whether calls wait for their answers. */
    boolean isAwaited() {
        return callsWaiting > 0;
    }

    void ping() {
        notify(line(0L, "ping", Collections.emptyMap()));
    }

    /** Returns the line of a call; without a number, that of a notification. */
    static byte[] line(Long number, String method, Map<String, ?> params) {
        return join(beginning(number), rest(method, params));
    }

    /** Returns the line of a call up to its number. */
    private static byte[] beginning(Long number) {
        String id = number == null ? "" : ",\"id\":" + number;
        return ("{\"jsonrpc\":\"2.0\"" + id).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] rest(String method, Map<String, ?> params) {
        StringBuilder out = new StringBuilder(USUAL_LINE);
        out.append(",\"method\":\"").append(method).append("\",\"params\":");
        Json.write(out, params);
        return out.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] join(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        byte[] all = new byte[length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }

    /**
     * Adds a call, after the notifications in {@code before}. Calls are sent in the order in which they are added, by
     * {@link #flush}.
     */
    void add(CompletableFuture<Map<String, Object>> answer, String method, Map<String, ?> params, byte[] before,
            Listener listener) {
        // Other threads do not wait while this one writes the parameters.
        byte[] rest = rest(method, params);
        lock.lock();
        try {
            if (end != null) {
                throw end.copy();
            }
            if (isLeaving()) {
                throw SituatedException.Ended.closed();
            }
            byte[] beginning = beginning(lastNumber + 1);
            int length = beginning.length + rest.length;
            if (length > greeting.frameBytes) {
                throw new SituatedException.TooLong(method, length, greeting.frameBytes);
            }
            if (calls.size() >= CALLS_WAITING) {
                throw new SituatedException.Busy(method, CALLS_WAITING);
            }
            byte[] lines = join(before, beginning, rest);
            Call call = new Call(answer, method, params, lines, listener);
            calls.put(++lastNumber, call);
            callsWaiting = calls.size();
            if (connection != null) {
                call.countSent();
                connection.outbox().add(lines);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends notifications, unless the connection is lost at the moment. */
    void notify(byte[] lines) {
        Connection present = connection;
        if (present != null && lines.length > 0) {
            present.outbox().add(lines);
            flush();
        }
    }

    /** Sends what was added. The reader leaves that to the other thread. */
    void flush() {
        Connection present = connection;
        if (isReader()) {
            LockSupport.unpark(writer);
        } else if (present != null) {
            if (callsWaiting > 1) {
                // Other callers that are about to call do so first, and one write sends all calls.
                Thread.yield();
            }
            present.outbox().flush();
        }
    }

    /** Cancels the subscriptions of a listener. */
    void cancel(Listener listener) {
        List<Long> cancelled = new ArrayList<>();
        lock.lock();
        try {
            listeners.forEach((number, one) -> {
                if (one == listener) {
                    cancelled.add(number);
                }
            });
            listeners.keySet().removeAll(cancelled);
        } finally {
            lock.unlock();
        }
        cancelled.forEach(this::unsubscribe);
    }

    private void unsubscribe(Long subscription) {
        notify(line(null, "unsubscribe", Collections.singletonMap("subscription", subscription)));
    }

    /** Ends the session. Waits until that is done, at most for a second, unless the reader itself calls it. */
    void close() {
        leaving.countDown();
        Connection present;
        lock.lock();
        try {
            // A connection that comes later says goodbye itself.
            present = connection;
        } finally {
            lock.unlock();
        }
        if (end == null && present != null) {
            sayGoodbye(present);
            flush();
        }
        if (isReader()) {
            return;
        }
        try {
            if (!ended.await(FAREWELL_MS, TimeUnit.MILLISECONDS) && present != null) {
                present.close();
                ended.await(FAREWELL_MS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void sayGoodbye(Connection connection) {
        connection.outbox().add(line(0L, "bye", Collections.emptyMap()));
    }

    private boolean isLeaving() {
        return leaving.getCount() == 0;
    }

    /** Writes what the reader has to send. */
    private void write() {
        while (end == null) {
            LockSupport.park(this);
            Connection present = connection;
            if (present != null) {
                present.outbox().flush();
            }
        }
    }

    /** Serves connections until the session ends. */
    private void run() {
        SituatedException.Ended reason = null;
        try {
            while (reason == null) {
                String lost = "";
                try {
                    turns.serve(connection);
                } catch (IOException e) {
                    lost = e.getMessage();
                } catch (SituatedException.Ended e) {
                    reason = e;
                }
                connection.close();
                if (isLeaving()) {
                    reason = SituatedException.Ended.closed();
                } else if (reason == null) {
                    interrupt(lost);
                    reason = restore();
                }
            }
        } catch (RuntimeException | Error e) {
            reason = SituatedException.Ended.lost(0, "the client has failed: " + e);
            throw e;
        } finally {
            finish(reason);
        }
    }

    /** Takes a frame that the server has sent. */
    void receive(String frame) throws Lost {
        try {
            Object json = Json.read(frame);
            List<?> messages = json instanceof List ? (List<?>) json : Collections.singletonList(json);
            for (Object message : messages) {
                receive(Data.object(message));
            }
        } catch (IllegalArgumentException e) {
            throw new Lost("the server has sent an invalid message: " + e.getMessage());
        }
    }

    private void receive(Map<String, Object> message) throws Lost {
        Object id = message.get("id");
        Object method = message.get("method");
        if (method == null) {
            answer(id, message);
        } else if (id != null) {
            throw new Lost("the server has called `" + method + "`, and this client hosts no environment");
        } else {
            Map<String, Object> params = Data.object(message.get("params"));
            if (method.equals("closing")) {
                leave(SituatedException.Refused.read(params.get("reason")));
            }
            boolean isOver = method.equals("ended");
            tell(Data.whole(params.get("subscription")), params, isOver);
        }
    }

    /** Handles the reason for which the server closes the connection. */
    private static void leave(SituatedException.Refused reason) throws Lost {
        switch (reason.kind()) {
            case "takenOver":
            case "sessionEnded":
            case "shuttingDown":
                throw SituatedException.Ended.refused(reason);
            default:
                throw new Lost(reason.getMessage());
        }
    }

    private void answer(Object id, Map<String, Object> message) throws Lost {
        Object error = message.get("error");
        if (id == null) {
            // A message of this client was not understood, so an answer will never come.
            throw new Lost(SituatedException.Refused.read(error).getMessage());
        }
        Call call;
        lock.lock();
        try {
            call = calls.remove(id);
            callsWaiting = calls.size();
            if (call != null && error == null && call.listener != null) {
                listeners.put(Data.whole(Data.object(message.get("result")).get("subscription")), call.listener);
            }
        } finally {
            lock.unlock();
        }
        if (call == null) {
            return;
        }
        if (error != null) {
            SituatedException.Refused refusal = SituatedException.Refused.read(error);
            if (call.isDone(refusal)) {
                call.answer.complete(Collections.emptyMap());
            } else {
                call.answer.completeExceptionally(refusal);
            }
        } else if (message.get("result") instanceof Map) {
            call.answer.complete(Data.object(message.get("result")));
        } else {
            call.answer.completeExceptionally(new SituatedException.Misunderstood(call.method, "it has no result"));
        }
    }

    private void tell(long subscription, Map<String, Object> params, boolean isOver) {
        Listener listener;
        lock.lock();
        try {
            listener = isOver ? listeners.remove(subscription) : listeners.get(subscription);
        } finally {
            lock.unlock();
        }
        if (isOver) {
            if (listener != null) {
                listener.end(SituatedException.Refused.read(params.get("reason")));
            }
        } else if (listener == null || !listener.receive(params)) {
            lock.lock();
            try {
                listeners.remove(subscription);
            } finally {
                lock.unlock();
            }
            unsubscribe(subscription);
        }
    }

    /** Fails the calls that cannot be sent again. */
    private void interrupt(String reason) {
        List<Call> failed = new ArrayList<>();
        lock.lock();
        try {
            connection = null;
            for (Iterator<Call> all = calls.values().iterator(); all.hasNext();) {
                Call call = all.next();
                if (!call.canBeSentAgain()) {
                    failed.add(call);
                    all.remove();
                }
            }
            callsWaiting = calls.size();
        } finally {
            lock.unlock();
        }
        failed.forEach(call -> call.answer.completeExceptionally(new SituatedException.Uncertain(call.method, reason)));
    }

    /** Reconnects, resumes the session and sends calls again. Returns the reason if this is not possible. */
    private SituatedException.Ended restore() {
        long begin = System.nanoTime();
        long pauseMs = 0;
        while (true) {
            try {
                // A random part, so that clients do not all reconnect at once.
                long wait = pauseMs + ThreadLocalRandom.current().nextLong(pauseMs / 2 + 1);
                if (leaving.await(wait, TimeUnit.MILLISECONDS)) {
                    return SituatedException.Ended.closed();
                }
                Connection restored = endpoint.connect(greeting.resume).connection;
                lock.lock();
                try {
                    if (isLeaving()) {
                        sayGoodbye(restored);
                    } else {
                        for (Call call : calls.values()) {
                            call.countSent();
                            restored.outbox().add(call.lines);
                        }
                    }
                    connection = restored;
                } finally {
                    lock.unlock();
                }
                LockSupport.unpark(writer);
                return null;
            } catch (SituatedException e) {
                // A server that has no room now may have some later.
                if (e instanceof SituatedException.Refused && !((SituatedException.Refused) e).kind().equals("limit")) {
                    return SituatedException.Ended.refused((SituatedException.Refused) e);
                }
                if (System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(patienceMs)) {
                    return SituatedException.Ended.lost(patienceMs, reason(e));
                }
            } catch (InterruptedException e) {
                return SituatedException.Ended.lost(patienceMs, "the thread of the client was interrupted");
            }
            pauseMs = Math.min(Math.max(2 * pauseMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
        }
    }

    private static String reason(SituatedException e) {
        return e instanceof SituatedException.CannotConnect ? ((SituatedException.CannotConnect) e).reason() : e.getMessage();
    }

    /** Fails all calls, and ends all subscriptions. */
    private void finish(SituatedException.Ended reason) {
        List<Call> failed;
        List<Listener> told;
        lock.lock();
        try {
            end = reason;
            failed = new ArrayList<>(calls.values());
            told = new ArrayList<>(listeners.values());
            calls.clear();
            callsWaiting = 0;
            listeners.clear();
            if (connection != null) {
                connection.close();
            }
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(writer);
        failed.forEach(call -> call.answer.completeExceptionally(reason.copy()));
        told.forEach(listener -> listener.end(reason.copy()));
        ended.countDown();
    }
}
