package situated;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Notifications about a topic, in order, until it is closed.
 *
 * <pre>{@code
 * try (Subscription<Map<String, Object>> happenings = environment.happenings()) {
 *     System.out.println(happenings.receive());
 * }
 * }</pre>
 *
 * <p>A subscription survives a lost connection. The next notification then describes the present state, as it does
 * after more than 256 notifications have waited.
 *
 * @param <T> the type of the notifications
 */
public final class Subscription<T> implements AutoCloseable {
    private static final int NOTIFICATIONS_WAITING = 256;

    private final Client client;
    private final Map<String, ?> topic;
    private final java.util.function.Function<Map<String, Object>, T> read;
    /** Guards the exchange of the inbox for a fresh one. */
    private final ReentrantLock subscribing = new ReentrantLock();
    private volatile Inbox inbox;
    private volatile boolean isClosed;

    Subscription(Client client, Map<String, ?> topic, java.util.function.Function<Map<String, Object>, T> read) {
        this.client = client;
        this.topic = topic;
        this.read = read;
        subscribe(null);
    }

    /** The notifications that wait. */
    private static final class Inbox implements Listener {
        /** The last one, after which nothing comes. */
        private static final Map<String, Object> LAST = Collections.singletonMap("last", true);

        private final BlockingQueue<Map<String, Object>> waiting = new LinkedBlockingQueue<>();
        /** Why nothing comes after the last one; null if there were too many. */
        private volatile RuntimeException end;

        @Override
        public boolean receive(Map<String, Object> notification) {
            boolean hasRoom = waiting.size() < NOTIFICATIONS_WAITING;
            waiting.add(hasRoom ? notification : LAST);
            return hasRoom;
        }

        @Override
        public void end(SituatedException reason) {
            stop(reason);
        }

        void stop(RuntimeException reason) {
            end = reason;
            waiting.add(LAST);
        }
    }

    /**
     * Waits for the next notification.
     *
     * @return the notification
     * @throws SituatedException if the session has ended, or the topic no longer exists
     */
    public T receive() {
        while (true) {
            T notification = receive(1, TimeUnit.HOURS);
            if (notification != null) {
                return notification;
            }
        }
    }

    /**
     * Waits for the next notification for a time.
     *
     * @param time how long
     * @param unit the unit of the time
     * @return the notification, or null if there is none yet
     * @throws SituatedException if the session has ended, or the topic no longer exists
     */
    public T receive(long time, TimeUnit unit) {
        client.checkCanWait("receive");
        long deadline = System.nanoTime() + unit.toNanos(time);
        while (true) {
            Inbox present = inbox;
            Map<String, Object> notification = poll(present, deadline - System.nanoTime());
            if (notification != Inbox.LAST) {
                return notification == null ? null : read.apply(notification);
            }
            // For other threads that wait here, and for the next call if this one fails.
            present.waiting.add(Inbox.LAST);
            RuntimeException end = present.end;
            if (end != null) {
                throw end;
            }
            subscribe(present);
        }
    }

    private static Map<String, Object> poll(Inbox inbox, long nanos) {
        try {
            return inbox.waiting.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SituatedException.Uncertain("receive", "the thread was interrupted");
        }
    }

    /** Subscribes, unless another thread has done so after this inbox. */
    private void subscribe(Inbox former) {
        subscribing.lock();
        try {
            if (inbox != former) {
                return;
            }
            Inbox fresh = new Inbox();
            client.await("subscribe", () -> client.listen(Client.NOTHING, topic, fresh));
            inbox = fresh;
        } finally {
            subscribing.unlock();
        }
        if (isClosed) {
            end(inbox);
        }
    }

    private void end(Inbox present) {
        client.cancel(present);
        present.stop(new IllegalStateException("you have closed this subscription"));
    }

    /** Ends the subscription; callers that wait for a notification get an {@link IllegalStateException}. */
    @Override
    public void close() {
        isClosed = true;
        end(inbox);
    }
}
