package situated;

import java.util.Map;

/** Receives the notifications of a subscription, on the thread that reads from the connection. It must not block. */
interface Listener {
    /** Receives a notification. Returns false to cancel the subscription. */
    boolean receive(Map<String, Object> notification);

    /** Receives the reason for the end of the subscription or of the session. */
    void end(SituatedException reason);
}
