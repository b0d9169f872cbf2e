package situated;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server on this machine, which a command has started.
 *
 * <pre>{@code
 * LocalServer server = LocalServer.start("situated serve bw4t --port 0");
 * Client client = Client.connect(server.address());
 * }</pre>
 */
public final class LocalServer {
    private static final Pattern ADDRESS = Pattern.compile("over (TCP|TLS) at (\\S+)");

    final Process process;
    private final String address;

    private LocalServer(Process process, String address) {
        this.process = process;
        this.address = address;
    }

    /**
     * Starts a server, and waits until it prints its address. It ends with this virtual machine at the latest.
     *
     * @param command the program and its arguments, separated by blanks
     * @return the server
     * @throws IOException if the program cannot be started, or ends without an address
     */
    public static LocalServer start(String command) throws IOException {
        return start(new ProcessBuilder(command.trim().split("\\s+")));
    }

    static LocalServer start(ProcessBuilder builder) throws IOException {
        Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            Matcher matcher = ADDRESS.matcher(line);
            if (matcher.find()) {
                Threads.start("situated-server", () -> said.lines().forEach(ignored -> { }));
                String scheme = matcher.group(1).equals("TLS") ? "tls://" : "tcp://";
                return new LocalServer(process, scheme + matcher.group(2));
            }
        }
        process.destroy();
        throw new IOException("`" + String.join(" ", builder.command()) + "` has ended without the address of a server; use a command such as "
                + "`situated serve bw4t --port 0`, or the address of a server that is running");
    }

    /**
     * Returns the address of the server.
     *
     * @return such as {@code tcp://127.0.0.1:7467}
     */
    public String address() {
        return address;
    }

    /** Ends the server. */
    public void end() {
        process.destroy();
    }
}
