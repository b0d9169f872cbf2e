package situated.jason;

import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import situated.RemoteEnvironment;
import situated.SituatedException;
import situated.Subscription;

/**
 * The state of an environment, which its team follows: while the environment is paused, agents wait at the beginning of
 * their reasoning cycles; when a new episode begins, they begin again; when one loses its entity, it takes another;
 * when the environment or the session has ended, the team ends.
 */
final class Following implements AutoCloseable {
    private static final Logger LOGGER = Logger.getLogger(SituatedEnvironment.class.getName());
    /** Time for agents to react to the end of their session, whose actions fail. */
    private static final long FAREWELL_MS = 5000;

    /** The team, as far as it follows. These methods are called on one thread, which may wait. */
    interface Team {
        /** Begins again, since a new episode has begun. */
        void restart();

        /** Finds out which entities the agents still have, since some may have been freed or deleted. */
        void recount();

        /** Ends with an exit code. */
        void end(int exitCode);
    }

    private final Team team;
    private final Subscription<Map<String, Object>> happenings;
    /** Guards what follows. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition goesOn = lock.newCondition();
    private boolean isPaused;
    private boolean isClosed;
    private volatile boolean hasEnded;
    private long episode;

    /** Begins to follow an environment. */
    Following(RemoteEnvironment environment, Team team) {
        this.team = team;
        happenings = environment.happenings();
        take(happenings.receive());
        Thread thread = new Thread(this::follow, "situated-following");
        thread.setDaemon(true);
        thread.start();
    }

    private void follow() {
        try {
            while (!hasEnded) {
                Map<String, Object> notification = happenings.receive();
                if (take(notification)) {
                    team.restart();
                } else if (mayRelease(notification)) {
                    team.recount();
                }
            }
            LOGGER.info("the team ends, since its environment was killed");
            team.end(0);
        } catch (SituatedException.Refused e) {
            LOGGER.info("the team ends: " + e.getMessage());
            release();
            team.end(0);
        } catch (SituatedException e) {
            release();
            if (!(e instanceof SituatedException.Ended ended && ended.isClosedHere())) {
                endSoon(e);
            }
        } catch (IllegalStateException e) {
            // The team has ended.
            release();
        }
    }

    private void endSoon(SituatedException reason) {
        LOGGER.severe("the team ends with exit code 1 in " + FAREWELL_MS / 1000 + " s: " + reason.getMessage());
        try {
            Thread.sleep(FAREWELL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        team.end(1);
    }

    /** Takes a notification. Returns whether a new episode has begun. */
    private boolean take(Map<String, Object> notification) {
        Map<?, ?> status = (Map<?, ?>) notification.get("status");
        Object present = ((Map<?, ?>) status.get("moment")).get("episode");
        lock.lock();
        try {
            long last = episode;
            episode = (Long) present;
            hasEnded = "killed".equals(status.get("state"));
            isPaused = !isClosed && !hasEnded && !"running".equals(status.get("state"));
            goesOn.signalAll();
            return last > 0 && episode > last;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether agents may have lost entities. */
    private static boolean mayRelease(Map<String, Object> notification) {
        return Boolean.TRUE.equals(notification.get("resync"))
                || ((List<?>) notification.get("happenings")).stream().map(Map.class::cast)
                        .anyMatch(one -> one.containsKey("released") || one.containsKey("deleted"));
    }

    /** Waits while the environment is paused. */
    void awaitRunning() throws InterruptedException {
        lock.lock();
        try {
            while (isPaused) {
                goesOn.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void release() {
        lock.lock();
        try {
            isClosed = true;
            isPaused = false;
            goesOn.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Follows no longer, and lets agents that wait go on. */
    @Override
    public void close() {
        release();
        happenings.close();
    }
}
