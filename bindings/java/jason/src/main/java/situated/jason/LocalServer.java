package situated.jason;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server that a command has started, which ends with the team. */
final class LocalServer {
    private static final Pattern ADDRESS = Pattern.compile("over (TCP|TLS) at (\\S+)");

    private final Process process;
    private final String address;

    private LocalServer(Process process, String address) {
        this.process = process;
        this.address = address;
    }

    /** Starts a server, and waits until it prints its address. */
    static LocalServer start(String command) throws IOException {
        Process process = new ProcessBuilder(command.trim().split("\\s+"))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            Matcher matcher = ADDRESS.matcher(line);
            if (matcher.find()) {
                Thread rest = new Thread(() -> said.lines().forEach(ignored -> { }), "situated-server");
                rest.setDaemon(true);
                rest.start();
                String scheme = matcher.group(1).equals("TLS") ? "tls://" : "tcp://";
                return new LocalServer(process, scheme + matcher.group(2));
            }
        }
        process.destroy();
        throw new IOException("`" + command + "` has ended without the address of a server; use a command such as "
                + "`situated serve bw4t --port 0`, or the address of a server that is running");
    }

    String address() {
        return address;
    }

    void end() {
        process.destroy();
    }
}
