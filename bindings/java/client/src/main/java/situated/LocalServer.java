package situated;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
    private static final long PATIENCE_MS = 30_000;
    private static final Pattern ADDRESS = Pattern.compile("over (TCP|TLS) at (\\S+)");

    final Process process;
    private final String address;

    private LocalServer(Process process, String address) {
        this.process = process;
        this.address = address;
    }

    /**
     * Starts a server, and waits until it prints its address, for at most 30 s. It ends with this virtual machine at
     * the latest.
     *
     * @param command the program and its arguments, separated by blanks
     * @return the server
     * @throws IOException if the program cannot be started, or prints no address
     */
    public static LocalServer start(String command) throws IOException {
        return start(new ProcessBuilder(command.trim().split("\\s+")));
    }

    static LocalServer start(ProcessBuilder builder) throws IOException {
        return start(builder, PATIENCE_MS);
    }

    static LocalServer start(ProcessBuilder builder, long patienceMs) throws IOException {
        Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        CompletableFuture<String> address = new CompletableFuture<>();
        Threads.start("situated-server", () -> read(process, address));
        String problem;
        try {
            String found = address.get(patienceMs, TimeUnit.MILLISECONDS);
            if (found != null) {
                return new LocalServer(process, found);
            }
            problem = "has ended without the address of a server";
        } catch (TimeoutException e) {
            problem = "has not printed the address of a server within " + patienceMs / 1000.0 + " s, so it was ended";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            problem = "was ended before it printed the address of a server, since the thread was interrupted";
        } catch (ExecutionException e) {
            problem = "has printed what cannot be read (" + e.getCause().getMessage() + ")";
        }
        process.destroy();
        throw new IOException("`" + String.join(" ", builder.command()) + "` " + problem + "; use a command such as "
                + "`situated serve bw4t --port 0`, which prints a line with `over TCP at HOST:PORT`, or the address of a "
                + "server that is running");
    }

    /**
     * Reads until the process ends, so that it never waits for a reader. Its end without an address completes with
     * null.
     */
    private static void read(Process process, CompletableFuture<String> address) {
        try (BufferedReader said = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                Matcher matcher = ADDRESS.matcher(line);
                if (matcher.find()) {
                    address.complete((matcher.group(1).equals("TLS") ? "tls://" : "tcp://") + matcher.group(2));
                }
            }
            address.complete(null);
        } catch (IOException e) {
            address.completeExceptionally(e);
        }
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
