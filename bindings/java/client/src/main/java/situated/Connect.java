package situated;

/**
 * Options of a client that has not connected yet.
 *
 * <pre>{@code
 * Client client = Client.to("tls://example.org").token(token).program("ada").connect();
 * }</pre>
 */
public final class Connect {
    /** Default time during which the client tries to reconnect, in milliseconds. */
    public static final long PATIENCE_MS = 60_000;

    private final Address address;
    private String role = "platform";
    private String program = "situated-client for Java";
    private String token;
    private long patienceMs = PATIENCE_MS;

    Connect(Address address) {
        this.address = address;
    }

    /**
     * Sets the role.
     *
     * @param role {@code agent}, {@code platform} (the default) or {@code observer}
     * @return this
     */
    public Connect role(String role) {
        this.role = role;
        return this;
    }

    /**
     * Sets the token.
     *
     * @param token a token that the server has, or null for none
     * @return this
     */
    public Connect token(String token) {
        this.token = token;
        return this;
    }

    /**
     * Sets the name of the program for the logs of the server.
     *
     * @param program the name
     * @return this
     */
    public Connect program(String program) {
        this.program = program;
        return this;
    }

    /**
     * Sets the time during which the client tries to reconnect.
     *
     * @param patienceMs the time in milliseconds
     * @return this
     */
    public Connect patienceMs(long patienceMs) {
        this.patienceMs = patienceMs;
        return this;
    }

    /**
     * Connects, and waits for the greeting of the server, at most 10 s.
     *
     * @return the session
     * @throws SituatedException if the server cannot be reached, or does not accept this client
     */
    public Client connect() {
        Endpoint endpoint = new Endpoint(address, role, program, token);
        return new Client(new Link(endpoint, endpoint.connect(null), patienceMs));
    }
}
