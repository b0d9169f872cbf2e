package situated.eis;

import eis.EnvironmentListener;
import eis.exceptions.ManagementException;
import eis.exceptions.NoEnvironmentException;
import eis.iilang.EnvironmentState;
import eis.iilang.Parameter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;

/** The life of an environment: init, start, pause, reset and kill, its state, and the listeners that follow it. */
abstract class Managed {
    private static final String GONE = "the environment has ended: ";

    private final Set<EnvironmentListener> listeners = new CopyOnWriteArraySet<>();
    /** Held by all management but kill, which does not wait for the rest. */
    private final Object managing = new Object();
    /** Guards the beginning and the end of the session. */
    private final Object living = new Object();
    private volatile Session session;
    private volatile Dispatcher dispatcher;
    private volatile boolean isKilled;
    /** Why the environment ended by itself, or null. */
    private volatile String lost;

    /** Adds a listener. If the environment is there already, the listener gets its state and its free entities. */
    public void attachEnvironmentListener(EnvironmentListener listener) {
        Session present = session;
        if (listeners.add(listener) && present != null) {
            present.mirror.present().forEach(news -> dispatcher.offer(() -> news.accept(listener)));
        }
    }

    /** Removes a listener. */
    public void detachEnvironmentListener(EnvironmentListener listener) {
        listeners.remove(listener);
    }

    /** Connects, begins the first episode where necessary, and waits for the entities. */
    public void init(Map<String, Parameter> parameters) throws ManagementException {
        synchronized (managing) {
            if (isKilled || session != null) {
                throw new ManagementException(isKilled ? "the environment was killed; load it again"
                        : "the environment is initialized already; use reset for a new episode");
            }
            Session opened = null;
            try {
                opened = Session.open(new Options(parameters), this::forget);
                begin(opened);
                opened.follow(this::publish, this::lose);
            } catch (InterruptedException | IOException | RuntimeException e) {
                session = null;
                if (opened != null) {
                    opened.close();
                }
                if (dispatcher != null) {
                    end(dispatcher);
                }
                throw failure("initialize", e);
            }
        }
    }

    private void begin(Session opened) {
        synchronized (living) {
            if (isKilled) {
                throw new IllegalStateException("it was killed meanwhile");
            }
            dispatcher = new Dispatcher();
            session = opened;
        }
    }

    /** Begins a new episode. Parameters that are not given are those of the last one. */
    public void reset(Map<String, Parameter> parameters) throws ManagementException {
        Map<String, situated.Parameter> read = new LinkedHashMap<>();
        manage("reset", present -> {
            if (parameters != null) {
                parameters.forEach((name, value) -> read.put(name, Iil.read(value)));
            }
            present.reset(read);
            perceiveAgain();
        });
    }

    /** Lets time run. */
    public void start() throws ManagementException {
        manage("start", present -> present.become("start", EnvironmentState.RUNNING));
    }

    /** Stops time. */
    public void pause() throws ManagementException {
        manage("pause", present -> present.become("pause", EnvironmentState.PAUSED));
    }

    /**
     * Leaves the environment. It ends if this has created it, or has started its server; otherwise it goes on for
     * others. All threads of this end, also if the server does not answer. Other calls that wait for the server fail.
     * An {@link #init} that has not connected yet fails when it has; this does not wait for it.
     */
    public void kill() throws ManagementException {
        Session present;
        synchronized (living) {
            if (isKilled) {
                throw new ManagementException("the environment was killed already");
            }
            isKilled = true;
            present = session;
        }
        if (present != null) {
            end(present);
        }
    }

    /** Ends a session, and tells the listeners. */
    private void end(Session ended) {
        ended.close();
        try {
            publish(ended.mirror.end());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end(dispatcher);
    }

    private static void end(Dispatcher dispatcher) {
        try {
            dispatcher.end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the session since the environment has ended, or the server is gone. */
    private void lose(String reason) {
        lost = reason;
        end(session);
    }

    private void publish(List<Consumer<EnvironmentListener>> news) throws InterruptedException {
        for (Consumer<EnvironmentListener> one : news) {
            dispatcher.put(() -> listeners.forEach(one));
        }
    }

    /** Something to do to a session. */
    private interface Management {
        void manage(Session session) throws InterruptedException;
    }

    private void manage(String what, Management management) throws ManagementException {
        synchronized (managing) {
            try {
                management.manage(present());
            } catch (InterruptedException | RuntimeException e) {
                throw failure(what, e);
            }
        }
    }

    private static ManagementException failure(String what, Exception e) {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new ManagementException("cannot " + what + " the environment: " + e.getMessage(), e);
    }

    /** Returns the session, or throws {@link NoEnvironmentException} with a reason. */
    final Session present() {
        Session present = session;
        if (isKilled || lost != null) {
            throw new NoEnvironmentException(GONE + (isKilled ? "it was killed" : lost));
        } else if (present == null) {
            throw new NoEnvironmentException("the environment is not initialized; call init first");
        }
        return present;
    }

    /** Returns the session, also if it has ended; null before init. */
    final Session session() {
        return session;
    }

    /** Calls a listener soon, unless too many calls wait. */
    final void call(Runnable listener) {
        dispatcher.offer(listener);
    }

    /** Forgets what an agent has perceived through an entity that it no longer controls. */
    abstract void forget(String agent, String entity);

    /** Waits for what all agents perceive in a new episode, as far as they can. */
    abstract void perceiveAgain();

    /** Returns the state of the environment. */
    public EnvironmentState getState() {
        Session present = session;
        if (isKilled) {
            return EnvironmentState.KILLED;
        }
        return present == null ? EnvironmentState.INITIALIZING : present.mirror.state();
    }

    /**
     * Returns whether the environment can change from one state to another. Only its end is final: a reset initializes
     * it again, and listeners hear only of its present state if it has changed several times meanwhile.
     */
    public boolean isStateTransitionValid(EnvironmentState from, EnvironmentState to) {
        return from != EnvironmentState.KILLED;
    }

    /** Returns true. */
    public boolean isInitSupported() {
        return true;
    }

    /** Returns true. */
    public boolean isStartSupported() {
        return true;
    }

    /** Returns true. */
    public boolean isPauseSupported() {
        return true;
    }

    /** Returns true. */
    public boolean isKillSupported() {
        return true;
    }
}
