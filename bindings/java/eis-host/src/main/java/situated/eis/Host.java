package situated.eis;

import eis.AgentListener;
import eis.EnvironmentInterfaceStandard;
import eis.EnvironmentListener;
import eis.exceptions.ActException;
import eis.iilang.Action;
import eis.iilang.EnvironmentState;
import eis.iilang.IILElement;
import eis.iilang.Parameter;
import eis.iilang.Percept;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import situated.Json;

/**
 * Performs the tasks of a server in an environment of EIS. One thread calls the environment, since EIS promises nothing
 * about threads: it does the tasks in order, and polls percepts in between. Each entity has an agent of its own name
 * there.
 */
final class Host {
    private static final long POLL_MS = 50;
    private static final int FAREWELL_MS = 1500;
    private static final int MOST_WARNINGS = 1000;
    /** Number of the first frames of an exception that are logged. */
    private static final int FRAMES = 5;

    private final String jar;
    /** The path of the file with the ontology, or null. */
    private final String ontology;
    private final Consumer<Map<String, Object>> reports;
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
    private final Learned learned = new Learned();
    /** The percepts of each entity that were reported last. */
    private final Map<String, Set<situated.Percept>> told = new LinkedHashMap<>();
    private final Map<String, String> types = new LinkedHashMap<>();
    /** The entities that the environment lists as those of their agents. Some environments list none. */
    private final Set<String> listed = new HashSet<>();
    private final Map<String, Object> update = new LinkedHashMap<>();
    private Library library;
    private EnvironmentInterfaceStandard environment;
    private long step;
    private final Set<String> warned = new HashSet<>();

    Host(String jar, String ontology, Consumer<Map<String, Object>> reports) {
        this.jar = jar;
        this.ontology = ontology;
        this.reports = reports;
        // Changes after the end are dropped.
        thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    /** Accepts a task with its number. */
    void accept(Map<?, ?> request) {
        thread.execute(() -> {
            Object answer = answer(request.get("call"));
            reports.accept(Json.of("answer",
                    Json.of("number", request.get("number"), "answer", answer, "update", takeUpdate())));
        });
    }

    private Object answer(Object call) {
        // A task without parameters is a text.
        Map<?, ?> tasks = call instanceof Map ? (Map<?, ?>) call : Json.of(call, Json.of());
        Map.Entry<?, ?> task = tasks.entrySet().iterator().next();
        try {
            return perform((String) task.getKey(), (Map<?, ?>) task.getValue());
        } catch (ActException e) {
            warnOfDefect(task.getKey() + " has failed", e);
            int type = e.getType();
            boolean cannot = type >= ActException.NOTSUPPORTEDBYENVIRONMENT && type <= ActException.NOTSUPPORTEDBYENTITY;
            boolean isSilent = e.getMessage() == null || e.getMessage().isEmpty();
            return failed(cannot && isSilent ? "the environment has no such action for it" : reason(e), !cannot);
        } catch (Throwable e) {
            // Real environments throw anything, also errors.
            warnOfDefect(task.getKey() + " has failed", e);
            return failed(reason(e), true);
        }
    }

    private static Object failed(String reason, boolean isTried) {
        return Json.of("failed", Json.of("reason", reason, "tried", isTried));
    }

    private static String reason(Throwable e) {
        String message = e.getMessage() == null ? e.getClass().getName() : e.getMessage();
        if (e instanceof java.awt.HeadlessException || e instanceof java.awt.AWTError) {
            return "it opens a window, and there is no display: " + message.trim()
                    + "; run the server with a display or with xvfb-run, or give it a parameter such as gui=false";
        } else if (e instanceof NoClassDefFoundError) {
            return "the class " + message + " is missing; put its library into the jar, or name it in the "
                    + "Class-Path of the manifest";
        }
        String cause = e.getCause() == null || e.getCause() == e ? "" : " (" + e.getCause() + ")";
        return (isExpected(e) ? message : e.getClass().getName() + ": " + message) + cause;
    }

    private static boolean isExpected(Throwable e) {
        return e.getClass().getName().startsWith("eis.exceptions.") || e instanceof java.io.IOException;
    }

    /**
     * Returns the first frames of an exception, or of the one that caused it, for the author of the environment. Those
     * that an environment may throw have none.
     */
    private static String frames(Throwable e) {
        Throwable origin = e;
        while (isExpected(origin) && origin.getCause() != null && origin.getCause() != origin) {
            origin = origin.getCause();
        }
        StringBuilder frames = new StringBuilder();
        if (!isExpected(origin)) {
            Arrays.stream(origin.getStackTrace()).limit(FRAMES).forEach(frame -> frames.append("\n\tat ").append(frame));
        }
        return frames.toString();
    }

    private Object perform(String task, Map<?, ?> fields) throws Throwable {
        switch (task) {
            case "init":
            case "reset":
                begin((Map<?, ?>) fields.get("parameters"));
                return "done";
            case "start":
                become(EnvironmentState.RUNNING, environment::start);
                return "done";
            case "pause":
                become(EnvironmentState.PAUSED, environment::pause);
                return "done";
            case "act":
                return act((String) fields.get("entity"), fields.get("action"));
            case "requestEntity":
                return failed("it gives no entities on request; take one that is free", false);
            case "perceive":
                perceive((String) fields.get("entity"), true);
                return "done";
            case "kill":
                end();
                return "done";
            default:
                return "done";
        }
    }

    /** Begins the only episode of this process. */
    private void begin(Map<?, ?> given) throws Throwable {
        if (ontology != null) {
            byte[] file = Files.readAllBytes(Paths.get(ontology));
            learned.declare((Map<?, ?>) Json.read(new String(file, StandardCharsets.UTF_8)));
        }
        library = new Library(jar, this::warn);
        // Environments put terms into their messages, which are XML otherwise.
        IILElement.toProlog = true;
        environment = library.environment;
        environment.attachEnvironmentListener(new Watch());
        Map<String, Parameter> parameters = new LinkedHashMap<>();
        given.forEach((name, value) -> parameters.put((String) name, initParameter(value)));
        environment.init(parameters);
        if (environment.getState() == EnvironmentState.INITIALIZING) {
            environment.pause();
        }
        update.put("state", stateName());
        look();
        thread.scheduleWithFixedDelay(this::poll, POLL_MS, POLL_MS, TimeUnit.MILLISECONDS);
    }

    /** Returns a parameter of init as environments expect it: truth values are identifiers. */
    private static Parameter initParameter(Object json) {
        String action = "{\"name\":\"p\",\"args\":[" + Json.write(json) + "]}";
        situated.Parameter value = situated.Action.fromJson(action).parameters().get(0);
        boolean isTruth = value instanceof situated.TruthValue;
        return Iil.parameter(isTruth ? new situated.Identifier(value.toString()) : value);
    }

    /** A command of EIS. */
    private interface Command {
        void give() throws Exception;
    }

    private void become(EnvironmentState state, Command command) throws Exception {
        if (environment.getState() != state) {
            command.give();
        }
    }

    private Object act(String entity, Object json) throws Throwable {
        situated.Action action = situated.Action.fromJson(Json.write(json));
        Parameter[] parameters = action.parameters().stream().map(Iil::parameter).toArray(Parameter[]::new);
        List<situated.Percept> found = library.act(entity, new Action(action.name(), parameters), entity);
        String type = types.getOrDefault(entity, "unknown");
        learned.seeAction(type, action);
        learned.seePercepts(type, found, true);
        look();
        return Json.of("found", found);
    }

    /** Looks for entities that have come or gone, and at all their percepts. */
    private void look() throws Throwable {
        Set<String> present = new LinkedHashSet<>(library.entities());
        for (String entity : new ArrayList<>(types.keySet())) {
            // An entity that was deleted and created again since the last look has lost its agent.
            if (!present.contains(entity) || listed.contains(entity) && !library.isAssociated(entity, entity)) {
                remove(entity);
            }
        }
        for (String entity : present) {
            if (!types.containsKey(entity)) {
                try {
                    add(entity);
                } catch (Exception e) {
                    // The next look tries again, and the action that is being done has not failed.
                    warn("entity " + entity + " cannot be offered", e);
                }
            }
        }
        for (String entity : present) {
            perceive(entity, false);
        }
    }

    private void remove(String entity) {
        types.remove(entity);
        told.remove(entity);
        listed.remove(entity);
        library.forget(entity);
        list("deleted").add(entity);
        unregister(entity);
    }

    private void unregister(String agent) {
        try {
            environment.unregisterAgent(agent);
        } catch (Exception e) {
            // The action that is being done has not failed.
            warn("the agent of " + agent + " remains", e);
        }
    }

    /** Takes a new entity, completely or not at all. */
    private void add(String entity) throws Throwable {
        String given = environment.getType(entity);
        String type = given == null || given.isEmpty() ? "unknown" : given;
        learned.seeType(type);
        environment.registerAgent(entity);
        try {
            environment.attachAgentListener(entity, new Events(entity, type));
            environment.associateEntity(entity, entity);
            if (library.isAssociated(entity, entity)) {
                listed.add(entity);
            }
        } catch (Throwable e) {
            unregister(entity);
            throw e;
        }
        types.put(entity, type);
        list("new").add(Json.of("entity", entity, "entityType", type));
    }

    /** Notes the percepts that have begun or ceased to hold for an entity, or all. */
    private void perceive(String entity, boolean all) throws Throwable {
        EnvironmentState state = environment.getState();
        if (!types.containsKey(entity) || state != EnvironmentState.RUNNING && state != EnvironmentState.PAUSED) {
            return;
        }
        Set<situated.Percept> now;
        try {
            now = library.perceive(entity, entity);
        } catch (Exception e) {
            // Some environments refuse to perceive now and then.
            warn(entity + " cannot perceive", e);
            return;
        }
        Set<situated.Percept> before = told.getOrDefault(entity, Collections.emptySet());
        if (!all && now.equals(before)) {
            return;
        }
        learned.seePercepts(types.get(entity), now, false);
        list("percepts").add(all ? Json.of("entity", entity, "resync", true, "add", new ArrayList<>(now))
                : Json.of("entity", entity, "delete", without(before, now), "add", without(now, before)));
        told.put(entity, now);
    }

    private static List<situated.Percept> without(Set<situated.Percept> some, Set<situated.Percept> others) {
        List<situated.Percept> rest = new ArrayList<>(some);
        rest.removeAll(others);
        return rest;
    }

    private void warn(String what, Throwable e) {
        warn(what + ": " + reason(e) + frames(e));
    }

    /** Warns of an exception that environments should not throw. Others are only the answer to a task. */
    private void warnOfDefect(String what, Throwable e) {
        if (!frames(e).isEmpty()) {
            warn(what, e);
        }
    }

    /** Prints a warning once, since the next poll repeats it. Can be called on any thread of the environment. */
    private synchronized void warn(String warning) {
        if (warned.size() < MOST_WARNINGS && warned.add(warning)) {
            System.err.println("situated: " + warning);
        }
    }

    private void poll() {
        try {
            look();
        } catch (Throwable e) {
            warn("the environment cannot be polled", e);
        }
        report();
    }

    private void report() {
        Map<String, Object> changes = takeUpdate();
        if (!changes.isEmpty()) {
            reports.accept(Json.of("update", changes));
        }
    }

    @SuppressWarnings("unchecked") // The lists were made here.
    private List<Object> list(String name) {
        return (List<Object>) update.computeIfAbsent(name, key -> new ArrayList<>());
    }

    private Map<String, Object> takeUpdate() {
        Object addition = learned.takeNews();
        if (addition != null) {
            update.put("ontology", addition);
        }
        if (update.containsKey("percepts") || update.containsKey("events")) {
            update.put("step", ++step);
        }
        Map<String, Object> taken = new LinkedHashMap<>(update);
        update.clear();
        return taken;
    }

    private String stateName() {
        return environment.getState().name().toLowerCase(Locale.ROOT);
    }

    /** Lets the environment end, if it does so in time. */
    void kill() {
        thread.execute(() -> {
            try {
                end();
            } catch (Exception | LinkageError e) {
                warn("the environment cannot be killed", e);
            }
        });
        thread.shutdown();
        try {
            thread.awaitTermination(FAREWELL_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end() throws Exception {
        if (environment != null && environment.getState() != EnvironmentState.KILLED) {
            environment.kill();
        }
    }

    /** Hears of changes, on any thread of the environment. */
    private final class Watch implements EnvironmentListener {
        @Override
        public void handleStateChange(EnvironmentState state) {
            if (state != EnvironmentState.INITIALIZING) {
                thread.execute(() -> {
                    update.put("state", stateName());
                    report();
                });
            }
        }

        @Override
        public void handleFreeEntity(String entity, Collection<String> agents) {
            // The agents are those of the host.
        }

        @Override
        public void handleDeletedEntity(String entity, Collection<String> agents) {
            thread.execute(Host.this::poll);
        }

        @Override
        public void handleNewEntity(String entity) {
            thread.execute(Host.this::poll);
        }
    }

    /**
     * Hears of percepts of an entity that the environment sends by itself. They are events, unless they are polled as
     * well.
     */
    private final class Events implements AgentListener {
        private final String entity;
        private final String type;

        Events(String entity, String type) {
            this.entity = entity;
            this.type = type;
        }

        @Override
        public void handlePercept(String agent, Percept percept) {
            List<situated.Percept> events = library.read(Collections.singletonList(percept));
            thread.execute(() -> {
                for (situated.Percept event : events) {
                    if (told.containsKey(entity) && !learned.isState(type, event)) {
                        learned.seePercepts(type, events, true);
                        list("events").add(Json.of("entity", entity, "percept", event));
                        report();
                    }
                }
            });
        }
    }
}
