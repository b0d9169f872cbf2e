package situated.eis;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Calls the listeners of a platform, in order, on a thread of its own, so that a slow listener delays no other work.
 */
final class Dispatcher {
    private static final int MOST_WAITING = 4096;
    private static final int FAREWELL_MS = 2000;
    private static final Runnable END = () -> { };

    private final BlockingQueue<Runnable> calls = new LinkedBlockingQueue<>(MOST_WAITING);
    private final Thread thread = new Thread(this::run, "situated-eis-listeners");

    Dispatcher() {
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            for (Runnable call = calls.take(); call != END; call = calls.take()) {
                try {
                    call.run();
                } catch (RuntimeException | LinkageError e) {
                    thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                }
            }
        } catch (InterruptedException e) {
            // It was told to end.
        }
    }

    /** Adds a call; waits while too many wait. */
    void put(Runnable call) throws InterruptedException {
        calls.put(call);
    }

    /** Adds a call, unless too many wait. */
    void offer(Runnable call) {
        calls.offer(call);
    }

    /** Ends the thread after the calls that wait, within two seconds if no call hangs. */
    void end() throws InterruptedException {
        boolean isLast = calls.offer(END);
        if (Thread.currentThread() == thread) {
            return;
        }
        if (isLast) {
            thread.join(FAREWELL_MS);
        }
        thread.interrupt();
    }
}
