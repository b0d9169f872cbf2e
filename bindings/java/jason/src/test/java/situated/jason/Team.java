package situated.jason;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A team in AgentSpeak, run by Jason in a process of its own. */
final class Team {
    private static final String LOGGING = "handlers = java.util.logging.ConsoleHandler\n.level = INFO\n"
            + "java.util.logging.ConsoleHandler.formatter = jason.runtime.MASConsoleLogFormatter\n";

    final int exitCode;
    final String output;

    private Team(int exitCode, String output) {
        this.exitCode = exitCode;
        this.output = output;
    }

    /** Runs a team whose agents are named a1, a2, ... and have the same program. */
    static Team run(Path folder, String environment, int agents, String program) throws Exception {
        StringBuilder project = new StringBuilder("MAS test {\n environment: situated.jason.SituatedEnvironment(");
        project.append(environment).append(")\n agents:\n");
        for (int i = 1; i <= agents; i++) {
            project.append("  a").append(i).append(" agent.asl;\n");
        }
        Files.writeString(folder.resolve("test.mas2j"), project.append("}\n"));
        Files.writeString(folder.resolve("agent.asl"), program);
        return run(folder, "test.mas2j");
    }

    /** Runs a team in a folder, for a minute at most. */
    static Team run(Path folder, String project) throws Exception {
        Files.writeString(folder.resolve("logging.properties"), LOGGING);
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java",
                "-Djava.awt.headless=true", "-cp", System.getProperty("java.class.path"),
                "jason.infra.local.RunLocalMAS", project, "--no-net"));
        File output = folder.resolve("output").toFile();
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(output).start();
        try {
            if (!process.waitFor(50, TimeUnit.SECONDS)) {
                throw new IOException("the team has not ended:\n" + read(output));
            }
            return new Team(process.exitValue(), read(output));
        } finally {
            process.destroyForcibly();
        }
    }

    private static String read(File output) throws IOException {
        return Files.readString(output.toPath(), StandardCharsets.UTF_8);
    }

    /** Returns what an agent has printed, line by line. */
    List<String> said(String agent) {
        String prefix = "[" + agent + "] ";
        return output.lines().filter(line -> line.startsWith(prefix)).map(line -> line.substring(prefix.length()))
                .collect(Collectors.toList());
    }
}
