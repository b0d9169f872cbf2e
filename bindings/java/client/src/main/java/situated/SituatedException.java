package situated;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A call failed, or its result is unknown. The message says who, what, why, and what to do about it. The nested classes
 * are the cases:
 *
 * <pre>{@code
 * try {
 *     agent.act("pickUp", 7);
 * } catch (SituatedException.Refused refused) {
 *     if (refused.kind().equals("failure")) {
 *         agent.act("goToBlock", 7);     // it was too far away
 *     }
 * }
 * }</pre>
 */
public abstract class SituatedException extends RuntimeException {
    SituatedException(String message) {
        super(message);
    }

    /** The server has refused a call, which changed nothing. */
    public static class Refused extends SituatedException {
        /** The number of the error. */
        private final int code;
        /** The name of the code. */
        private final String kind;
        private final transient Object details;

        Refused(int code, String kind, String message, Object details) {
            super(message);
            this.code = code;
            this.kind = kind;
            this.details = details;
        }

        /** Reads an error as the protocol writes it. */
        static Refused read(Object json) {
            if (!(json instanceof Map) || !(((Map<?, ?>) json).get("code") instanceof Long)) {
                String error = Data.excerpt(Json.write(json));
                return new Refused(-32603, "internal", "the server has refused it without a valid error: " + error, null);
            }
            Map<?, ?> error = (Map<?, ?>) json;
            Map<?, ?> data = error.get("data") instanceof Map ? (Map<?, ?>) error.get("data") : new LinkedHashMap<>();
            String kind = data.get("kind") instanceof String ? (String) data.get("kind") : "unknown";
            int code = ((Long) error.get("code")).intValue();
            return new Refused(code, kind, String.valueOf(error.get("message")), data.get("details"));
        }

        /**
         * Returns the number of the error, which is the same in all versions.
         *
         * @return the code, such as 1003
         */
        public int code() {
            return code;
        }

        /**
         * Returns the name of the code.
         *
         * @return the name, such as {@code noEntities}
         */
        public String kind() {
            return kind;
        }

        /**
         * Returns the names and values of the message as data, if there are any.
         *
         * @return the details, as the protocol writes them, or null
         */
        public Object details() {
            return details;
        }
    }

    /** An action failed for at least one entity. This is the error of the first one. */
    public static final class NotDone extends Refused {
        private final transient Acted acted;

        NotDone(Refused first, Acted acted) {
            super(first.code(), first.kind(), first.getMessage(), first.details());
            this.acted = acted;
        }

        /**
         * Returns the result for each entity, with the percepts of a step.
         *
         * @return the results
         */
        public Acted acted() {
            return acted;
        }
    }

    /** A text is not the address of a server. */
    public static final class InvalidAddress extends SituatedException {
        InvalidAddress(String address, String why) {
            super("`" + address + "` is not an address of a server: " + why + "; write it as tcp://HOST:PORT");
        }
    }

    /** The client cannot connect. */
    public static final class CannotConnect extends SituatedException {
        /** The reason alone. */
        private final String reason;

        CannotConnect(Address address, String reason) {
            super("cannot connect to " + address + ": " + reason
                    + "; use an address that `situated serve` prints, and check that the server is running");
            this.reason = reason;
        }

        String reason() {
            return reason;
        }
    }

    /** The connection was lost, or the thread interrupted, before the answer, so the call may have been done or not. */
    public static final class Uncertain extends SituatedException {
        Uncertain(String method, String reason) {
            super("there is no answer to `" + method + "` (" + reason + "), so it may have been done or not; the session "
                    + "continues: check the state before you repeat the call");
        }
    }

    /** Too many calls are waiting, so this one was not made. */
    public static final class Busy extends SituatedException {
        Busy(String method, int limit) {
            super("`" + method + "` was not called: " + limit + " calls are already waiting; wait for some answers first");
        }
    }

    /** The message is longer than the server accepts, so it was not sent. */
    public static final class TooLong extends SituatedException {
        TooLong(String method, long length, long limit) {
            super("`" + method + "` was not called: it has " + length + " bytes, and this server accepts " + limit
                    + "; send less at once");
        }
    }

    /** The server has sent a message that this version of the protocol does not allow. */
    public static final class Misunderstood extends SituatedException {
        Misunderstood(String about, String reason) {
            super("the server has sent an invalid answer to `" + about + "`: " + reason
                    + "; check that client and server have the same version");
        }
    }

    /** The session has ended. */
    public static final class Ended extends SituatedException {
        private static final String AGAIN = "connect again and register the agents again";
        /** Whether this client has closed the session. */
        private final boolean closedHere;

        private Ended(String why, String advice, boolean closedHere) {
            super("the session has ended: " + why + "; " + advice);
            this.closedHere = closedHere;
        }

        static Ended closed() {
            return new Ended("you have closed it", "connect again to open another", true);
        }

        static Ended lost(long patienceMs, String reason) {
            String why = "the connection was lost and could not be restored within " + patienceMs / 1000.0 + " s: " + reason;
            String check = "check that the server is running and that this machine can reach it, then " + AGAIN;
            return new Ended(why, check + "; a client with more patience tries for longer", false);
        }

        static Ended refused(Refused refusal) {
            return new Ended(refusal.getMessage(), advice(refusal.kind()), false);
        }

        /** Returns a copy for another thread, so that each caller has a trace of its own. */
        Ended copy() {
            Ended copy = new Ended(this);
            copy.initCause(this);
            return copy;
        }

        private Ended(Ended other) {
            super(other.getMessage());
            this.closedHere = other.closedHere;
        }

        /**
         * Returns whether this client has closed the session.
         *
         * @return false if the server has ended it, or the connection was lost
         */
        public boolean isClosedHere() {
            return closedHere;
        }

        private static String advice(String kind) {
            switch (kind) {
                case "takenOver":
                    return "another program resumed it; let one program at a time use a resume token, and connect again for "
                            + "another session";
                case "shuttingDown":
                    return "when the server is running again, " + AGAIN;
                case "sessionEnded":
                    return "its agents are no longer registered: " + AGAIN + "; the server keeps sessions without a "
                            + "connection for longer with a larger --grace";
                case "unauthorized":
                case "forbidden":
                    return "the server no longer accepts the token: ask the person who runs it for another, and connect "
                            + "again with it";
                case "version":
                    return "use a client of the same version as the server, and connect again";
                default:
                    return AGAIN;
            }
        }
    }
}
