package situated;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The greeting of a server. */
public final class Greeting {
    private final String server;
    private final List<String> rights;
    private final long graceMs;
    private final Map<String, Object> limits;
    final String resume;
    final long frameBytes;
    /** The time within which the server expects something; 0 if it does not. */
    final long heartbeatMs;

    Greeting(Map<String, Object> json) {
        server = Data.text(json.get("server"));
        resume = Data.text(json.get("resume"));
        graceMs = Data.whole(json.get("graceMs"));
        heartbeatMs = Data.whole(json.get("heartbeatMs"));
        limits = Collections.unmodifiableMap(Data.object(json.get("limits")));
        frameBytes = Data.whole(limits.get("frameBytes"));
        List<String> names = new ArrayList<>();
        Data.list(json.get("rights")).forEach(right -> names.add(Data.text(right)));
        rights = Collections.unmodifiableList(names);
    }

    /**
     * Returns the name and version of the server.
     *
     * @return such as {@code situated 0.1.0}
     */
    public String server() {
        return server;
    }

    /**
     * Returns the rights of the session.
     *
     * @return some of {@code act}, {@code observe}, {@code host} and {@code manage}
     */
    public List<String> rights() {
        return rights;
    }

    /**
     * Returns the time for which the server keeps the session when its connection is lost.
     *
     * @return the time in milliseconds
     */
    public long graceMs() {
        return graceMs;
    }

    /**
     * Returns the limits of the server.
     *
     * @return the limits, as the protocol writes them
     */
    public Map<String, Object> limits() {
        return limits;
    }
}
