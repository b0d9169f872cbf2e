package situated;

/** The address of a server: {@code tcp://localhost:7467}, or with encryption {@code tls://example.org:7467}. */
final class Address {
    private static final int PORT = 7467;

    final boolean encrypted;
    final String host;
    final int port;

    private Address(boolean encrypted, String host, int port) {
        this.encrypted = encrypted;
        this.host = host;
        this.port = port;
    }

    static Address parse(String text) {
        int end = text.indexOf("://");
        if (end < 0) {
            throw new SituatedException.InvalidAddress(text, "the scheme is missing");
        }
        String scheme = text.substring(0, end);
        if (scheme.equals("ws") || scheme.equals("wss")) {
            String same = scheme.equals("ws") ? "tcp" : "tls";
            throw new SituatedException.InvalidAddress(
                    text, "this client does not use WebSocket, but the server answers " + same + ":// at the same port");
        }
        if (!scheme.equals("tcp") && !scheme.equals("tls")) {
            throw new SituatedException.InvalidAddress(text, "its scheme is neither tcp nor tls");
        }
        String rest = text.substring(end + 3);
        int hostEnd = rest.startsWith("[") ? rest.indexOf(']') + 1 : rest.indexOf(':');
        String host = hostEnd < 0 ? rest : rest.substring(0, hostEnd);
        String port = hostEnd < 0 ? "" : rest.substring(hostEnd);
        if (host.isEmpty() || host.contains("@") || host.contains("/") || !port.matches("(:[0-9]{1,5})?")) {
            throw new SituatedException.InvalidAddress(text, "host and port are invalid");
        }
        int number = port.isEmpty() ? PORT : Integer.parseInt(port.substring(1));
        if (number > 65535) {
            throw new SituatedException.InvalidAddress(text, "a port is at most 65535");
        }
        return new Address(scheme.equals("tls"), host, number);
    }

    @Override
    public String toString() {
        return (encrypted ? "tls://" : "tcp://") + host + ":" + port;
    }
}
