package situated;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bytes that wait to be sent. Threads add lines and then flush: one of them writes what all have added, and the others
 * do not wait for it.
 */
final class Outbox {
    private final OutputStream out;
    private final Runnable onFailure;
    private final ReentrantLock lock = new ReentrantLock();
    private byte[] pending = new byte[1024];
    private byte[] spare = new byte[1024];
    private int length;
    private boolean writing;

    /** {@code onFailure} is called when a write has failed. */
    Outbox(OutputStream out, Runnable onFailure) {
        this.out = out;
        this.onFailure = onFailure;
    }

    void add(byte[] line) {
        lock.lock();
        try {
            if (pending.length - length < line.length) {
                byte[] larger = new byte[Math.max(2 * pending.length, length + line.length)];
                System.arraycopy(pending, 0, larger, 0, length);
                pending = larger;
            }
            System.arraycopy(line, 0, pending, length, line.length);
            length += line.length;
        } finally {
            lock.unlock();
        }
    }

    /** Writes what waits, unless another thread does so. */
    void flush() {
        try {
            for (int size = take(false); size > 0; size = take(true)) {
                out.write(spare, 0, size);
            }
        } catch (IOException e) {
            // Nothing is written any more, since the flag stays.
            onFailure.run();
        }
    }

    /** Makes the pending bytes the spare ones; returns their number. */
    private int take(boolean isWriter) {
        lock.lock();
        try {
            if (writing && !isWriter) {
                return 0;
            }
            byte[] full = pending;
            int size = length;
            pending = spare;
            spare = full;
            length = 0;
            writing = size > 0;
            return size;
        } finally {
            lock.unlock();
        }
    }
}
