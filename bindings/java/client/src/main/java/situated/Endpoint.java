package situated;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** A server, with the parameters of {@code hello} there. */
final class Endpoint {
    /** Time after which a silent client sends a ping, and for the answer, before the connection counts as lost. */
    static final int SILENCE_MS = 4000;

    private static final int PROTOCOL = 2;
    private static final int GREETING_MS = 10_000;

    final Address address;
    private final Map<String, Object> hello;

    Endpoint(Address address, String role, String client, String token) {
        this.address = address;
        hello = Json.of("protocol", PROTOCOL, "role", role, "client", client, "heartbeatMs", 3 * SILENCE_MS);
        if (token != null) {
            hello.put("token", token);
        }
    }

    /** A connection with the greeting of the server. */
    static final class Greeted {
        final Connection connection;
        final Greeting greeting;

        Greeted(Connection connection, Greeting greeting) {
            this.connection = connection;
            this.greeting = greeting;
        }
    }

    /**
     * Connects and begins a session, or resumes that of a token. Throws {@code Refused} if the server does not want
     * this client, and {@code CannotConnect} or {@code Misunderstood} otherwise.
     */
    Greeted connect(String resume) {
        Connection connection = null;
        try {
            connection = Connection.open(address, GREETING_MS);
            Map<String, Object> params = new LinkedHashMap<>(hello);
            if (resume != null) {
                params.put("resume", resume);
            }
            connection.outbox().add(Link.line(0L, "hello", params));
            connection.outbox().flush();
            String frame = connection.receive(GREETING_MS);
            if (frame == null) {
                throw new IOException("no greeting within " + GREETING_MS / 1000 + " s");
            }
            return new Greeted(connection, greeting(frame));
        } catch (IOException e) {
            close(connection);
            String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            throw new SituatedException.CannotConnect(address, reason);
        } catch (RuntimeException e) {
            close(connection);
            throw e;
        }
    }

    private static void close(Connection connection) {
        if (connection != null) {
            connection.close();
        }
    }

    private static Greeting greeting(String frame) {
        try {
            Map<String, Object> message = Data.object(Json.read(frame));
            if (message.get("error") != null) {
                throw SituatedException.Refused.read(message.get("error"));
            }
            if ("closing".equals(message.get("method"))) {
                throw SituatedException.Refused.read(Data.object(message.get("params")).get("reason"));
            }
            Map<String, Object> result = Data.object(message.get("result"));
            if (Data.whole(result.get("protocol")) != PROTOCOL) {
                throw new IllegalArgumentException("it speaks version " + result.get("protocol")
                        + " of the protocol, and this client version " + PROTOCOL);
            }
            return new Greeting(result);
        } catch (IllegalArgumentException e) {
            throw new SituatedException.Misunderstood("hello", e.getMessage());
        }
    }
}
