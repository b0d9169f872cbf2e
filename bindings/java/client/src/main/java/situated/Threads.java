package situated;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Threads that do not keep the virtual machine running. They are virtual where Java has such threads (21 and later).
 */
final class Threads {
    private static final Method VIRTUAL = virtual();
    private static final Class<?> VIRTUAL_THREAD = virtualThread();

    private Threads() {}

    static Thread start(String name, Runnable task) {
        if (VIRTUAL != null) {
            try {
                return (Thread) VIRTUAL.invoke(null, task);
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException("cannot start the thread " + name, e);
            }
        }
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Returns whether this thread is virtual. */
    static boolean isVirtual() {
        return VIRTUAL_THREAD != null && VIRTUAL_THREAD.isInstance(Thread.currentThread());
    }

    private static Class<?> virtualThread() {
        try {
            return Class.forName("java.lang.BaseVirtualThread");
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static Method virtual() {
        try {
            return Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
