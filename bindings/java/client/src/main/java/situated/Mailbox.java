package situated;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The messages of an agent, which it exchanges with all other agents of the server by name. Each message arrives once,
 * and those of one sender arrive in order, also after a lost connection. Messages wait at the server until the agent
 * takes them.
 *
 * <pre>{@code
 * try (Mailbox ada = client.openMailbox("ada")) {
 *     ada.send(AclMessage.of("query-ref", "bert").withContent("price(plums)").withReplyWith("q1"));
 *     System.out.println(ada.receive().content());
 * }
 * }</pre>
 */
public final class Mailbox implements AutoCloseable {
    private final Client client;
    private final String agent;
    private final String address;
    /** Whether the agent has this mailbox without an environment, so that it ends when it is closed. */
    private final boolean isAlone;
    /** Guards the numbers of the last message received and of the last that was taken, and the subscription. */
    private final ReentrantLock receiving = new ReentrantLock();
    private long lastReceived;
    private long lastTaken;
    private volatile Inbox inbox;
    private volatile boolean isClosed;
    private final BlockingQueue<Received> waiting = new LinkedBlockingQueue<>();

    Mailbox(Client client, String agent, String address, boolean isAlone) {
        this.client = client;
        this.agent = agent;
        this.address = address;
        this.isAlone = isAlone;
    }

    /** A message that was received, or the reason why no more will come. */
    private static final class Received {
        final long number;
        final AclMessage message;
        final RuntimeException end;

        Received(long number, AclMessage message, RuntimeException end) {
            this.number = number;
            this.message = message;
            this.end = end;
        }
    }

    /** The subscription to the mail. */
    private final class Inbox implements Listener {
        private final Consumer<Received> receiver;
        /** Whether {@link Mailbox#receive} takes the messages. */
        private final boolean isAwaited;

        Inbox(Consumer<Received> receiver, boolean isAwaited) {
            this.receiver = receiver;
            this.isAwaited = isAwaited;
        }

        @Override
        public boolean receive(Map<String, Object> notification) {
            boolean hasNew = false;
            for (Object one : Data.list(notification.get("messages"))) {
                Map<String, Object> received = Data.object(one);
                long number = Data.whole(received.get("number"));
                if (isNew(number)) {
                    hasNew = true;
                    receiver.accept(new Received(number, new AclMessage(Data.object(received.get("message"))), null));
                }
            }
            if (!hasNew) {
                // The server has sent them again, since it did not get the acknowledgement.
                acknowledge();
            }
            return true;
        }

        private boolean isNew(long number) {
            receiving.lock();
            try {
                boolean isNew = inbox == this && number > lastReceived;
                lastReceived = isNew ? number : lastReceived;
                return isNew;
            } finally {
                receiving.unlock();
            }
        }

        @Override
        public void end(SituatedException reason) {
            receiver.accept(new Received(0, null, reason));
        }
    }

    /**
     * Returns the name of the agent.
     *
     * @return the name
     */
    public String name() {
        return agent;
    }

    /**
     * Returns the name by which all agents of the server reach the agent: its own, or with that of its environment, such as
     * {@code bob~game-2}, if an agent elsewhere has it.
     *
     * @return the address
     */
    public String address() {
        return address;
    }

    /**
     * Returns the directory of the server, asked by the agent.
     *
     * @return the directory
     */
    public Directory directory() {
        return new Directory(client, agent);
    }

    /**
     * Sends a message, and waits until it is in the mailboxes of all its receivers. For each receiver that does not
     * exist, a {@code failure} of the agent {@code ams} comes back.
     *
     * @param message the message; the server sets its sender
     * @throws SituatedException if it cannot be sent, for example because a mailbox is full
     */
    public void send(AclMessage message) {
        client.await("send", () -> sendAsync(message));
    }

    /**
     * Sends a message without waiting, as in {@link #send}.
     *
     * @param message the message
     * @return completes when the message is in the mailboxes of all its receivers, or with the
     * {@link SituatedException} for
     *     which it is not sent
     */
    public CompletableFuture<Void> sendAsync(AclMessage message) {
        CompletableFuture<Void> answer = client.addMessage(agent, message);
        client.flush();
        return answer;
    }

    /**
     * Waits for the next message, and takes it.
     *
     * @return the message
     * @throws SituatedException if the session has ended, or the agent is no longer registered
     */
    public AclMessage receive() {
        while (true) {
            AclMessage message = receive(1, TimeUnit.HOURS);
            if (message != null) {
                return message;
            }
        }
    }

    /**
     * Waits for the next message for a time, and takes it.
     *
     * @param time how long
     * @param unit the unit of the time
     * @return the message, or null if there is none yet
     * @throws SituatedException if the session has ended, or the agent is no longer registered
     * @throws IllegalStateException if this mailbox is closed, also while the caller waits
     */
    public AclMessage receive(long time, TimeUnit unit) {
        client.checkCanWait("receive");
        Inbox present = inbox;
        if (present == null || !present.isAwaited) {
            subscribe(new Inbox(waiting::add, true));
        }
        try {
            Received received = waiting.poll(time, unit);
            if (received != null && received.end != null) {
                waiting.add(received);
                throw received.end;
            }
            return received == null ? null : take(received);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SituatedException.Uncertain("receive", "the thread was interrupted");
        }
    }

    /**
     * Calls a listener with each message, instead of {@link #receive}. It is called on the thread that reads from the
     * connection, and must not block. If it throws, it is called no more.
     *
     * @param listener takes the messages
     */
    public void listen(Consumer<AclMessage> listener) {
        subscribe(new Inbox(received -> {
            if (received.end == null) {
                tell(listener, take(received));
            }
        }, false));
    }

    private void tell(Consumer<AclMessage> listener, AclMessage message) {
        try {
            listener.accept(message);
        } catch (RuntimeException e) {
            forget(inbox);
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }

    private void subscribe(Inbox fresh) {
        client.checkCanWait("subscribe");
        receiving.lock();
        try {
            if (isClosed) {
                throw closed();
            }
            if (inbox != null) {
                client.cancel(inbox);
            }
            inbox = fresh;
            // The server sends those again that were received and not taken.
            lastReceived = lastTaken;
            waiting.clear();
        } finally {
            receiving.unlock();
        }
        Map<String, Object> topic = Collections.singletonMap("mail", Collections.singletonMap("agent", agent));
        try {
            client.await("subscribe", () -> client.listen(Client.NOTHING, topic, fresh));
        } catch (RuntimeException e) {
            forget(fresh);
            throw e;
        }
        if (isClosed) {
            client.cancel(fresh);
        }
    }

    /** Ends a subscription, so that the next wait for a message begins another. */
    private void forget(Inbox one) {
        client.cancel(one);
        receiving.lock();
        try {
            if (inbox == one) {
                inbox = null;
            }
        } finally {
            receiving.unlock();
        }
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("you have closed this mailbox");
    }

    private AclMessage take(Received received) {
        receiving.lock();
        try {
            lastTaken = received.number;
        } finally {
            receiving.unlock();
        }
        acknowledge();
        return received.message;
    }

    private void acknowledge() {
        client.notify(Link.line(null, "acknowledgeMail", Json.of("agent", agent, "number", lastTaken)));
    }

    /**
     * Receives no more messages; callers that wait for one get an exception. A mailbox without an environment ends, and
     * senders of messages to it get failures.
     */
    @Override
    public void close() {
        if (isAlone) {
            client.checkCanWait("close");
        }
        receiving.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            if (inbox != null) {
                client.cancel(inbox);
            }
            waiting.add(new Received(0, null, closed()));
        } finally {
            receiving.unlock();
        }
        if (isAlone) {
            try {
                client.call("closeMailbox", Collections.singletonMap("agent", agent));
            } catch (SituatedException.Ended e) {
                // The mailbox has ended with the session.
            }
        }
    }
}
