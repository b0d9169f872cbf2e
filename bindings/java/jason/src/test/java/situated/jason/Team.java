package situated.jason;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import situated.Server;

/** A team in AgentSpeak, run by Jason in a process of its own. */
final class Team implements AutoCloseable {
    private static final String LOGGING = "handlers = java.util.logging.ConsoleHandler\n.level = INFO\n"
            + "java.util.logging.ConsoleHandler.formatter = jason.runtime.MASConsoleLogFormatter\n";
    private static final int PATIENCE_S = 50;

    private final Process process;
    private final File file;
    int exitCode;
    String output = "";

    private Team(Process process, File file) {
        this.process = process;
        this.file = file;
    }

    /** Returns the arguments of the environment of a team: a server, an environment there, and options. */
    static String in(Server server, String environment, String... options) {
        StringBuilder arguments = new StringBuilder("\"" + server.address() + "\", \"" + environment + "\"");
        for (String option : options) {
            arguments.append(", \"").append(option).append('"');
        }
        return arguments.toString();
    }

    /** Runs a team whose agents are named a1, a2, ... and have the same program. */
    static Team run(Path folder, String environment, int agents, String program) throws Exception {
        return run(Jason.V3_2, folder, environment, agents, program);
    }

    static Team run(Jason jason, Path folder, String environment, int agents, String program) throws Exception {
        try (Team team = start(jason, folder, environment, agents, program)) {
            return team.finish();
        }
    }

    /** Runs a team in a folder, for a minute at most. */
    static Team run(Jason jason, Path folder, String project) throws Exception {
        try (Team team = start(jason, folder, project)) {
            return team.finish();
        }
    }

    static Team start(Jason jason, Path folder, String environment, int agents, String program) throws Exception {
        StringBuilder project = new StringBuilder("MAS test {\n environment: situated.jason.SituatedEnvironment(");
        project.append(environment).append(")\n agents:\n");
        for (int i = 1; i <= agents; i++) {
            project.append("  a").append(i).append(" agent.asl;\n");
        }
        Files.writeString(folder.resolve("test.mas2j"), project.append("}\n"));
        Files.writeString(folder.resolve("agent.asl"), program);
        return start(jason, folder, "test.mas2j");
    }

    static Team start(Jason jason, Path folder, String project) throws Exception {
        Files.writeString(folder.resolve("logging.properties"), LOGGING);
        List<String> command = new ArrayList<>(List.of(jason.java(), "-Djava.awt.headless=true", "-cp",
                jason.classPath(), "jason.infra.local.RunLocalMAS", project, "--no-net"));
        File output = folder.resolve("output").toFile();
        return new Team(new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(output).start(), output);
    }

    /** Starts both walkers of Find the Goals, with the program of the examples, in an environment of any class. */
    static Team startWalkers(Path folder, String environment, int steps) throws Exception {
        Files.copy(Path.of(Server.root(), "examples/jason/find-goals/walker.asl"), folder.resolve("walker.asl"));
        StringBuilder project = new StringBuilder("MAS walkers {\n environment: " + environment + "\n agents:\n");
        for (String name : List.of("red", "blue")) {
            project.append(String.format("  %s walker.asl [beliefs=\"me(%s),steps(%d)\"];%n", name, name, steps));
        }
        Files.writeString(folder.resolve("walkers.mas2j"), project.append("}\n"));
        return start(Jason.V3_2, folder, "walkers.mas2j");
    }

    /** Starts both walkers in an environment on a server. */
    static Team startWalkers(Path folder, Server server, String environment, int steps) throws Exception {
        String arguments = in(server, environment, "entity red=red", "entity blue=blue");
        return startWalkers(folder, "situated.jason.SituatedEnvironment(" + arguments + ")", steps);
    }

    /** Waits until the team has ended. */
    Team finish() throws Exception {
        if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
            throw new IOException("the team has not ended:\n" + read());
        }
        exitCode = process.exitValue();
        output = read();
        return this;
    }

    /** Waits until something is so. */
    void await(String what, BooleanSupplier isSo) throws Exception {
        long begin = System.nanoTime();
        while (!isSo.getAsBoolean()) {
            if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(PATIENCE_S)) {
                throw new IOException("not so: " + what + "\n" + read());
            }
            Thread.sleep(20);
        }
    }

    private String read() {
        try {
            return Files.readString(file.toPath(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return String.valueOf(e);
        }
    }

    /** Returns what an agent has printed, line by line. */
    List<String> said(String agent) {
        String prefix = "[" + agent + "] ";
        return read().lines().filter(line -> line.startsWith(prefix)).map(line -> line.substring(prefix.length())).toList();
    }

    /** Ends it with a signal, as a user does. Returns whether it has ended in time. */
    boolean interrupt() throws InterruptedException {
        process.destroy();
        return process.waitFor(20, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
