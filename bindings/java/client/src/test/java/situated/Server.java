package situated;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server in a process of its own: the command {@code situated}, from SITUATED_BINARY or target/debug. */
public final class Server implements AutoCloseable {
    private final LocalServer server;

    private Server(LocalServer server) {
        this.server = server;
    }

    /** Runs {@code situated serve} with these arguments, at a free port. */
    public static Server serve(String... arguments) throws IOException {
        return serveWith(Collections.emptyMap(), arguments);
    }

    /** Runs {@code situated serve} with these arguments, at a port. */
    public static Server serveAt(int port, String... arguments) throws IOException {
        return serve(Collections.emptyMap(), port, arguments);
    }

    /** Runs {@code situated serve} with these variables of the system and arguments, at a free port. */
    public static Server serveWith(Map<String, String> variables, String... arguments) throws IOException {
        return serve(variables, 0, arguments);
    }

    private static Server serve(Map<String, String> variables, int port, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(binary());
        command.addAll(Arrays.asList("serve", "--port", String.valueOf(port), "--log-level", "error"));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(variables);
        return new Server(LocalServer.start(builder));
    }

    /** Returns the path of the command. */
    public static String binary() {
        String binary = System.getenv("SITUATED_BINARY");
        return binary == null ? root() + "/target/debug/situated" : binary;
    }

    /** Returns the folder of the repository. */
    public static String root() {
        File folder = new File("").getAbsoluteFile();
        while (folder != null && !new File(folder, "ARCHITECTURE.md").exists()) {
            folder = folder.getParentFile();
        }
        return String.valueOf(folder);
    }

    /** Returns its address. */
    public String address() {
        return server.address();
    }

    /** Ends it at once, without a word to its clients. */
    public void kill() throws InterruptedException {
        server.process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }

    /** Asks it to end, and waits until it has, so that its recordings are complete. */
    public void stop() throws InterruptedException {
        server.end();
        server.process.waitFor(10, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
