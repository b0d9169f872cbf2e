package situated;

import java.io.IOException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The threads of a link that take turns to read. As a rule, the thread of the link reads. While calls follow one
 * another alone, each caller reads its answer itself, since it costs more to wake a thread than to answer a call. The
 * thread of the link then only looks from time to time whether they still do.
 */
final class Turns {
    /** Maximum time for which a caller reads, who does not notice meanwhile that it is interrupted. */
    private static final int CALLER_READS_MS = 5;

    /** Time without callers that read, after which the thread of the link reads again. */
    private static final long REST_NS = 1_000_000;

    /** Number of calls, each alone, after which callers read. */
    private static final int CALLS_ALONE = 16;

    /**
     * Maximum time for which a reader watches for a quick answer before it sleeps. With one processor, nobody answers
     * then.
     */
    private static final long WATCH_NS = Runtime.getRuntime().availableProcessors() > 1 ? 50_000 : 0;

    /** Maximum time for an answer after which the next one is expected to be quick. */
    private static final long QUICK_NS = 200_000;

    /** How often a caller lets other threads run before it sleeps. They may bring its answer. */
    private static final int YIELDS = 2;

    private final Link link;
    private final long pingMs;
    private volatile Thread thread;
    /** Held by the thread that reads. */
    private final ReentrantLock turn = new ReentrantLock();
    /** When the last frame arrived. */
    private volatile long heard;
    /** Whether the last frame came soon after it was waited for. Guarded by the turn. */
    private boolean isQuick;
    /** Why a caller could not read on. */
    private volatile Failure failure;
    /** Whether a caller has read, and no other calls waited when it was done. */
    private volatile boolean callersRead;
    /** About how many calls, each alone, have waited for the thread of the link since it took its turn. */
    private volatile int alone;

    /** Why a connection was lost. */
    private static final class Failure {
        final Connection connection;
        final Throwable reason;

        Failure(Connection connection, Throwable reason) {
            this.connection = connection;
            this.reason = reason;
        }
    }

    Turns(Link link, long pingMs) {
        this.link = link;
        this.pingMs = pingMs;
    }

    /** Returns whether this thread reads, or is that of the link. */
    boolean isReader() {
        return Thread.currentThread() == thread || turn.isHeldByCurrentThread();
    }

    /** Serves a connection on this thread, which is that of the link, until it is lost. */
    void serve(Connection connection) throws IOException {
        thread = Thread.currentThread();
        heard = System.nanoTime();
        long pinged = heard;
        while (true) {
            boolean isMine = !callersRead && turn.tryLock();
            if (isMine) {
                try {
                    check(connection);
                    alone = 0;
                    do {
                        receive(connection, (int) pingMs);
                        pinged = keepAlive(pinged);
                    } while (!isLeftToCallers());
                } finally {
                    turn.unlock();
                }
            }
            callersRead = false;
            LockSupport.parkNanos(this, REST_NS);
            check(connection);
            pinged = keepAlive(pinged);
        }
    }

    /** Receives a frame. Returns whether one came in time. */
    private boolean receive(Connection connection, int timeoutMs) throws IOException {
        String frame = connection.receive(0);
        if (frame == null && timeoutMs > 0) {
            long begin = System.nanoTime();
            if (isQuick && link.isAwaited() && connection.canBeReadInTurns()) {
                watch(connection, begin + WATCH_NS);
            }
            frame = connection.receive(timeoutMs);
            long now = System.nanoTime();
            isQuick = frame != null && now - begin < QUICK_NS;
            heard = frame == null ? heard : now;
        }
        if (frame != null) {
            link.receive(frame);
        }
        return frame != null;
    }

    /**
     * Waits for bytes while other threads run, since a sleeping thread would take longer to wake than to be answered.
     */
    private static void watch(Connection connection, long end) throws IOException {
        while (!connection.hasArrived() && System.nanoTime() - end < 0) {
            Thread.yield();
        }
    }

    private boolean isLeftToCallers() {
        boolean isBusy = link.isAwaited();
        if (isBusy) {
            alone = 0;
        }
        return !isBusy && alone >= CALLS_ALONE;
    }

    /** Throws the reason for which a caller could not read on from a connection. */
    private void check(Connection connection) throws IOException {
        Failure met = failure;
        if (met == null || met.connection != connection) {
            return;
        } else if (met.reason instanceof IOException) {
            throw (IOException) met.reason;
        } else if (met.reason instanceof RuntimeException) {
            throw (RuntimeException) met.reason;
        }
        throw (Error) met.reason;
    }

    /** Sends a ping if none was sent for a while; returns when the last one was sent. */
    private long keepAlive(long pinged) throws IOException {
        long now = System.nanoTime();
        if (now - heard > TimeUnit.MILLISECONDS.toNanos(pingMs + Endpoint.SILENCE_MS)) {
            throw new Link.Lost("the server has not answered for " + Endpoint.SILENCE_MS / 1000 + " s");
        }
        if (now - pinged < TimeUnit.MILLISECONDS.toNanos(pingMs)) {
            return pinged;
        }
        link.ping();
        return now;
    }

    /**
     * Reads on this thread, which waits for an answer, unless another thread reads. The answer may still not be there
     * then.
     */
    void readFor(Future<?> answer) {
        if (Threads.isVirtual()) {
            // An interrupted virtual thread would close the connection from which it reads.
            return;
        }
        if (!turn.tryLock()) {
            alone++;
            for (int i = 0; i < YIELDS && !answer.isDone(); i++) {
                Thread.yield();
            }
            return;
        }
        boolean isAlone = false;
        Connection connection = link.connection();
        try {
            if (connection != null && connection.canBeReadInTurns()) {
                isAlone = readFor(answer, connection);
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = new Failure(connection, e);
        } finally {
            callersRead = isAlone;
            turn.unlock();
        }
        if (!isAlone) {
            LockSupport.unpark(thread);
        }
    }

    /** Reads until an answer and all that came with it is read; returns whether no other calls wait then. */
    private boolean readFor(Future<?> answer, Connection connection) throws IOException {
        check(connection);
        boolean isInTime = true;
        while (isInTime && !answer.isDone()) {
            isInTime = receive(connection, CALLER_READS_MS);
        }
        while (receive(connection, 0)) {
            // It has been taken.
        }
        return answer.isDone() && !link.isAwaited();
    }
}
