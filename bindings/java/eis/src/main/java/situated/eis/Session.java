package situated.eis;

import eis.EnvironmentListener;
import eis.iilang.EnvironmentState;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import situated.Client;
import situated.Json;
import situated.LocalServer;
import situated.Parameter;
import situated.RemoteEnvironment;
import situated.SituatedException;
import situated.Subscription;

/** A session with a server, and the environment there. A thread follows what happens to it. */
final class Session {
    private static final int ANSWER_S = 10;
    private static final int FAREWELL_S = 2;

    /** Gets what to tell the listeners of the platform. */
    interface Publisher {
        void publish(List<Consumer<EnvironmentListener>> news) throws InterruptedException;
    }

    final Client client;
    final RemoteEnvironment environment;
    final Mirror mirror;
    final Types types;
    /** The server that the session has started, or null. */
    private final LocalServer server;
    /** Whether the session has created the environment. */
    private final boolean isOwner;
    private final Subscription<Map<String, Object>> happenings;
    private volatile boolean isClosed;

    private Session(Client client, LocalServer server, Options options, BiConsumer<String, String> onReleased) {
        this.client = client;
        this.server = server;
        this.mirror = new Mirror(onReleased);
        String state = state(client, options.environment);
        isOwner = state == null;
        if (isOwner) {
            Map<String, Object> kind = client.call("describeKind", Json.of("kind", options.environment));
            types = new Types(object(kind.get("ontology")));
            environment = client.create(options.environment, episode(options));
        } else {
            environment = client.environment(options.environment);
            types = new Types(object(environment.describe().get("ontology")));
            if (state.equals("initializing")) {
                manage(Json.of("init", episode(options)));
            } else if (!options.parameters.isEmpty() || options.seed != null) {
                throw new IllegalArgumentException("the environment `" + options.environment + "` is already there, so "
                        + (options.seed == null ? "" : "`seed` and ") + "the parameters " + options.parameters.keySet()
                        + " have no effect; leave them out, or reset the environment with them");
            }
        }
        happenings = environment.happenings();
    }

    /** Connects. Throws also {@link IllegalArgumentException} for wrong options. */
    static Session open(Options options, BiConsumer<String, String> onReleased) throws IOException {
        LocalServer server = options.command == null ? null : LocalServer.start(options.command);
        Client client = null;
        try {
            client = Client.to(server == null ? options.url : server.address()).token(options.token)
                    .patienceMs(options.patienceMs).program("EIS").connect();
            return new Session(client, server, options, onReleased);
        } catch (RuntimeException e) {
            if (client != null) {
                client.close();
            }
            if (server != null) {
                server.end();
            }
            throw e;
        }
    }

    /** Returns the state of an environment, or null if it does not exist or has ended. */
    private static String state(Client client, String name) {
        return client.environments().stream()
                .filter(status -> name.equals(status.get("environment")) && !"killed".equals(status.get("state")))
                .map(status -> (String) status.get("state")).findFirst().orElse(null);
    }

    private Map<String, Object> episode(Options options) {
        Map<String, Object> episode = Json.of("parameters", types.fitAll(options.parameters));
        if (options.seed != null) {
            episode.put("seed", options.seed);
        }
        return episode;
    }

    @SuppressWarnings("unchecked") // The keys of objects in JSON are texts.
    private static Map<String, Object> object(Object json) {
        return (Map<String, Object>) json;
    }

    /** Takes the present state, and follows the environment from then on. */
    void follow(Publisher publisher, Consumer<String> onLost) throws InterruptedException {
        Map<String, Object> first = happenings.receive(ANSWER_S, TimeUnit.SECONDS);
        if (first == null) {
            throw new IllegalStateException("the server does not say what the environment contains");
        }
        publisher.publish(mirror.apply(first));
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    publisher.publish(mirror.apply(happenings.receive()));
                }
            } catch (SituatedException | IllegalStateException | InterruptedException e) {
                if (!isClosed) {
                    onLost.accept(e.getMessage());
                }
            }
        }, "situated-eis-happenings");
        thread.setDaemon(true);
        thread.start();
    }

    void manage(Object command) {
        client.call("manage", Json.of("environment", environment.name(), "command", command));
    }

    /** Begins a new episode. Parameters that are not given are those of the last one. */
    void reset(Map<String, Parameter> parameters) throws InterruptedException {
        long episode = mirror.episode();
        Object reset = parameters.isEmpty() ? Json.of() : Json.of("parameters", types.fitAll(parameters));
        manage(Json.of("reset", reset));
        mirror.await(() -> mirror.episode() > episode && mirror.state() == EnvironmentState.PAUSED);
    }

    void become(String command, EnvironmentState state) throws InterruptedException {
        if (mirror.state() != state) {
            manage(command);
            mirror.await(() -> mirror.state() == state);
        }
    }

    /**
     * Ends the session, the server if the session has started it, and the environment if the session has created it.
     */
    void close() {
        isClosed = true;
        if (isOwner && server == null) {
            try {
                Map<String, Object> params = Json.of("environment", environment.name());
                client.callAsync("removeEnvironment", params).get(FAREWELL_S, TimeUnit.SECONDS);
            } catch (SituatedException | ExecutionException | TimeoutException | CancellationException e) {
                // The connection is lost, or the environment has ended already.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        client.close();
        if (server != null) {
            server.end();
        }
    }
}
