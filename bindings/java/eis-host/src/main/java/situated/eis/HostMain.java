package situated.eis;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import situated.Json;

/**
 * Runs the environment of a jar for {@code situated serve --eis}, which starts this with the jar, the library of EIS
 * and this host on the class path. Tasks come as lines of JSON on the standard input, and reports go to the standard
 * output.
 */
public final class HostMain {
    private HostMain() {}

    /**
     * Runs until the input ends.
     *
     * @param arguments the path of the jar, and that of the file with its ontology if there is one
     * @throws IOException if the input cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        InputStream input = System.in;
        PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        // Output of the environment must not come between the reports.
        System.setOut(System.err);
        System.setIn(new ByteArrayInputStream(new byte[0]));
        Consumer<Map<String, Object>> reports = report -> {
            synchronized (output) {
                output.print(Json.write(report) + "\n");
                output.flush();
            }
        };
        BufferedReader tasks = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        if (hasLibrary()) {
            Host host = new Host(arguments[0], arguments.length > 1 ? arguments[1] : null, reports);
            for (String task = tasks.readLine(); task != null; task = tasks.readLine()) {
                host.accept((Map<?, ?>) Json.read(task));
            }
            host.kill();
        } else {
            refuse((Map<?, ?>) Json.read(tasks.readLine()), reports);
        }
        // Threads and windows of the environment may be left.
        Runtime.getRuntime().halt(0);
    }

    private static boolean hasLibrary() {
        try {
            Class.forName("eis.EnvironmentInterfaceStandard");
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static void refuse(Map<?, ?> task, Consumer<Map<String, Object>> reports) {
        Object failed = Json.of("failed", Json.of("reason", "the jar does not contain EIS; put the library that it was built "
                + "for, such as eis-0.7.0.jar, into the folder of the jar"));
        reports.accept(Json.of("answer", Json.of("number", task.get("number"), "answer", failed)));
    }
}
