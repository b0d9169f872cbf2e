package situated;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A call that waits for its answer. */
final class Call {
    private static final String UNREGISTER = "unregister";
    /** Number of times that a call is sent, if the connection is lost each time. */
    private static final int MOST_SENT = 10;

    /**
     * Methods that can be repeated without harm. A duplicate subscription is cancelled at its first notification, and
     * {@link #isDone} recognizes an agent that is already unregistered.
     */
    private static final Set<String> HARMLESS = new HashSet<>(Arrays.asList(
            "acknowledge", "askDirectory", "menu", "outcome", "describe", "describeKind", "examine", "listEntities", "listEnvironments", "scene",
            "ping", "query", "status", "subscribe", UNREGISTER, "wait"));

    final String method;
    final CompletableFuture<Map<String, Object>> answer;
    /** The receiver of the notifications, if this is a subscription. */
    final Listener listener;
    /** The line of the call, and the lines before it. */
    final byte[] lines;
    private final boolean repeatable;
    private int sent;

    Call(CompletableFuture<Map<String, Object>> answer, String method, Map<String, ?> params, byte[] lines,
            Listener listener) {
        this.answer = answer;
        this.method = method;
        this.lines = lines;
        this.listener = listener;
        this.repeatable = isRepeatable(method, params);
    }

    void countSent() {
        sent++;
    }

    /** Returns whether the call can be sent on the next connection, since it was not sent yet or can be repeated. */
    boolean canBeSentAgain() {
        return sent == 0 || repeatable && sent < MOST_SENT && !answer.isDone();
    }

    /** Returns whether the server refuses this repeated call because it has already done it. */
    boolean isDone(SituatedException.Refused refusal) {
        return sent > 1 && method.equals(UNREGISTER) && refusal.kind().equals("notRegistered");
    }

    /**
     * Returns whether a call can be repeated after a lost connection: it makes no difference whether it was done
     * before.
     */
    static boolean isRepeatable(String method, Map<String, ?> params) {
        switch (method) {
            case "act":
            case "send":
                return params.get("number") != null;
            case "perceive":
                return "acknowledged".equals(params.get("since"));
            case "step":
                boolean noneMissed = Boolean.FALSE.equals(params.get("perceive"))
                        || "acknowledged".equals(params.get("since"));
                // A repeated pass would be one for the next step.
                return noneMissed && Data.list(params.get("agents")).stream().allMatch(turn -> {
                    Map<String, Object> fields = Data.object(turn);
                    return fields.get("action") != null && fields.get("number") != null;
                });
            default:
                return HARMLESS.contains(method);
        }
    }
}
