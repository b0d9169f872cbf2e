package situated.jason;

import jason.asSemantics.ActionExec;
import jason.asSyntax.ASSyntax;
import jason.asSyntax.Atom;
import jason.asSyntax.Literal;
import jason.asSyntax.Structure;
import jason.environment.Environment;
import jason.infra.local.BaseLocalMAS;
import jason.infra.local.LocalAgArch;
import jason.mas2j.AgentParameters;
import jason.runtime.RuntimeServices;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import situated.Client;
import situated.Identifier;
import situated.LocalServer;
import situated.RemoteAgent;
import situated.RemoteEnvironment;
import situated.SituatedException;

/**
 * An environment on a server, as the environment of a team in AgentSpeak:
 *
 * <pre>{@code
 * MAS team {
 *     environment: situated.jason.SituatedEnvironment("tcp://localhost:7467", "bw4t")
 *     agents: robot #3;
 * }
 * }</pre>
 *
 * <p>The first argument is the address of a server, or a command that starts one, which ends with the team:
 * {@code "situated serve bw4t --param robots=3 --port 0"}. The second is the name of the environment there. Options may
 * follow:
 *
 * <table>
 * <caption>Options</caption>
 * <tr><th>option</th><th>meaning</th></tr>
 * <tr><td>{@code "token=TOKEN"}</td><td>the token, if the server requires one</td></tr>
 * <tr><td>{@code "entity AGENT=ENTITY,..."}</td><td>the entities of an agent; {@code *} in AGENT stands for any
 * text</td></tr> <tr><td>{@code "type AGENT=TYPE"}</td><td>the agent gets a free entity of this type, or requests
 * one</td></tr> <tr><td>{@code "patience=SECONDS"}</td><td>for how long to try to reconnect after a lost connection; 60
 * by default</td></tr> <tr><td>{@code "percepts=NAME,..."}</td><td>agents get these percepts only, and wake for no
 * others</td></tr> <tr><td>{@code "percepts AGENT=NAME,..."}</td><td>the agent gets these percepts instead</td></tr>
 * <tr><td>{@code "interval=MILLISECONDS"}</td><td>the minimum time between two changes for which an
 * agent wakes; 10 by
 *     default. What has changed when its own actions are done, it knows at once</td></tr>
 * </table>
 *
 * <p>An agent without a rule gets the free entity with its own name, else the first free one. Percepts are beliefs with
 * the source {@code percept}, and change exactly as they do in the environment. Events (such as {@code message} and
 * {@code reward}) are no beliefs: each one triggers {@code +event(...)} once. An action succeeds when the environment
 * has done it, and the beliefs are up to date then; a failed action fails its plan, with the annotations
 * {@code reason(KIND)} and {@code error_msg(TEXT)}. No thread waits for an action. Messages to agents outside of the
 * project go to the agents of the server with these names, whatever platform they are of.
 *
 * <p>If a team file of the command {@code situated} has started the project, the server, the environment, the token and
 * the entities of that file replace those in the project, which then needs no arguments.
 *
 * <p>The team follows the state of the environment. While it is paused, the agents wait at the beginning of their
 * reasoning cycles. When it is reset, the agents of the project begin again with their initial beliefs and goals, and
 * agents that were created meanwhile end. When it is killed or removed, the team ends with exit code 0. When the
 * session has ended, for example because the server was started again without the sessions of before, actions fail with
 * the reason {@code connection}, and the team ends with exit code 1 after 5 seconds, unless an agent ends it sooner.
 */
public class SituatedEnvironment extends Environment {
    private static final long PAUSE_MS = 1000;
    /** Errors that show that the server no longer has an agent. */
    private static final Set<String> GONE = Set.of("notRegistered", "noSuchEnvironment", "environmentEnded");

    private final Map<String, Player> players = new ConcurrentHashMap<>();
    private final Map<String, Long> failedAt = new ConcurrentHashMap<>();
    private Options options;
    private LocalServer server;
    private Client client;
    private RemoteEnvironment environment;
    private Following following;

    /** Creates the environment; Jason then calls {@link #init}. */
    public SituatedEnvironment() {
        // Jason's pool of threads for actions stays empty.
        super(1);
    }

    /** Connects to the server. If that is not possible, the program says why, and ends with exit code 1. */
    @Override
    public void init(String[] arguments) {
        try {
            options = new Options(arguments, System.getenv());
            String address = options.server;
            if (!address.contains("://")) {
                server = LocalServer.start(address);
                address = server.address();
            }
            client = Client.to(address).token(options.token).patienceMs(options.patienceMs).program("Jason").connect();
            environment = client.environment(options.environment);
            options.check(environment.describe());
            following = new Following(environment, new Team());
        } catch (SituatedException | IllegalArgumentException | IOException e) {
            System.err.println("situated: " + e.getMessage());
            // Jason would go on without an environment.
            System.exit(1);
        }
    }

    /** Ends the session; the entities of the agents become free. */
    @Override
    public void stop() {
        super.stop();
        if (following != null) {
            following.close();
        }
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.end();
        }
    }

    /** Revises the beliefs of an agent, on its thread. Returns null, since Jason has nothing to revise then. */
    @Override
    public Collection<Literal> getPercepts(String agent) {
        LocalAgArch arch = running(agent);
        Player last = players.get(agent);
        if (arch != null && last != null && last.isLost()) {
            last.revise(arch.getTS());
            leave(last);
        }
        Player player = arch == null ? null : player(agent);
        try {
            following.awaitRunning();
        } catch (InterruptedException e) {
            // Jason stops the agent.
            Thread.currentThread().interrupt();
            return null;
        }
        if (player != null) {
            player.revise(arch.getTS());
        }
        return null;
    }

    /** Sends an action. The thread that reads the answer passes it on to the agent. */
    @Override
    public void scheduleAction(String agent, Structure action, Object infraData) {
        Player player = player(agent);
        if (player == null) {
            fail(agent, action, infraData, "noEntities", agent + " has no entity in " + environment.name()
                    + ", since none was free; start it with an entity for each agent");
            return;
        }
        try {
            player.agent.stepAsync(Literals.action(action), Literals.entities(action)).whenComplete((acted, error) -> {
                if (error == null) {
                    player.noteFound(acted);
                    getEnvironmentInfraTier().actionExecuted(agent, action, true, infraData);
                } else {
                    if (cause(error) instanceof SituatedException.Refused refused && refused.kind().equals("noEntities")) {
                        player.lose(entity -> true);
                    }
                    fail(agent, action, infraData, error);
                }
            });
        } catch (SituatedException | IllegalArgumentException e) {
            fail(agent, action, infraData, e);
        }
    }

    private void fail(String agent, Structure action, Object infraData, Throwable error) {
        Throwable cause = cause(error);
        String reason;
        if (cause instanceof SituatedException.Refused refused) {
            reason = refused.kind();
        } else {
            reason = cause instanceof IllegalArgumentException ? "invalidAction" : "connection";
        }
        fail(agent, action, infraData, reason, cause.getMessage());
    }

    private static Throwable cause(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    private void fail(String agent, Structure action, Object infraData, String reason, String message) {
        if (infraData instanceof ActionExec execution) {
            execution.setFailureReason(ASSyntax.createStructure("reason", new Atom(reason)), message);
        }
        getEnvironmentInfraTier().actionExecuted(agent, action, false, infraData);
    }

    /** Returns the architecture of an agent; null if Jason has ended it, also while its thread still runs. */
    private static LocalAgArch running(String agent) {
        LocalAgArch arch = BaseLocalMAS.getRunner().getAg(agent);
        return arch == null || !arch.isRunning() ? null : arch;
    }

    /**
     * Returns the player of an agent, which joins at its first call; null without an entity, or if Jason has ended it.
     */
    private Player player(String agent) {
        Player player = players.get(agent);
        LocalAgArch arch = running(agent);
        return player != null || arch == null || hasJustFailed(agent) ? player : join(agent, arch);
    }

    private boolean hasJustFailed(String agent) {
        Long time = failedAt.get(agent);
        return time != null && System.currentTimeMillis() - time < PAUSE_MS;
    }

    /** Registers an agent and takes its entities. Agents join one after another, so that no two take the same one. */
    private synchronized Player join(String agent, LocalAgArch arch) {
        if (players.containsKey(agent)) {
            return players.get(agent);
        }
        RemoteAgent remote = null;
        try {
            List<String> wanted = wanted(agent);
            Options.Rule rule = options.rule(agent);
            if (wanted.isEmpty() && rule == null) {
                throw new IllegalStateException("no entity of " + environment.name() + " is free");
            }
            remote = environment.register(agent);
            if (wanted.isEmpty()) {
                wanted = List.of(remote.requestEntity(rule.type()));
            } else {
                wanted.forEach(remote::associate);
            }
            Player player = new Player(remote, wanted, options.percepts(agent));
            remote.listen(options.percepts(agent), options.intervalMs, perceptions -> {
                if (player.note(perceptions)) {
                    wake(player);
                }
            });
            Correspondence present = Correspondence.of(arch);
            Correspondence correspondence = present != null ? present : new Correspondence();
            correspondence.listen(remote.mailbox(), environment, () -> leave(players.get(agent)));
            players.put(agent, player);
            if (present == null) {
                // Jason cannot remove it again, so an attempt that may fail would add one each time.
                arch.insertAgArch(correspondence);
            }
            failedAt.remove(agent);
            if (!arch.isRunning()) {
                // Jason may have ended the agent before it could stop the correspondence.
                leave(player);
                return null;
            }
            return player;
        } catch (SituatedException | IllegalStateException e) {
            if (failedAt.put(agent, System.currentTimeMillis()) == null) {
                getLogger().warning("agent " + agent + " has no entity yet: " + e.getMessage());
            }
            if (remote != null) {
                unregister(remote);
            }
            return null;
        }
    }

    /** Returns the entities that an agent is to have: those of its rule, or a free one. Empty if there is none. */
    private List<String> wanted(String agent) {
        Options.Rule rule = options.rule(agent);
        if (rule != null && !rule.entities().isEmpty()) {
            return rule.entities();
        }
        List<String> free = new ArrayList<>();
        environment.entities().forEach((entity, agents) -> {
            if (agents.isEmpty() && (rule == null ? options.offers(entity) : isOfType(entity, rule.type()))) {
                free.add(entity);
            }
        });
        if (free.contains(agent)) {
            return List.of(agent);
        }
        return free.isEmpty() ? free : List.of(free.get(0));
    }

    private boolean isOfType(String entity, String type) {
        return new Identifier(type).equals(environment.query("type", entity));
    }

    /** The team, which follows the environment. */
    private final class Team implements Following.Team {
        @Override
        public void restart() {
            getLogger().info("a new episode begins, so the agents begin again");
            BaseLocalMAS runner = BaseLocalMAS.getRunner();
            for (LocalAgArch arch : new ArrayList<>(runner.getAgs().values())) {
                arch.stopAg();
                runner.delAg(arch.getAgName());
            }
            new ArrayList<>(players.values()).forEach(SituatedEnvironment.this::leave);
            failedAt.clear();
            try {
                for (AgentParameters agent : runner.getProject().getAgents()) {
                    for (int i = 1; i <= agent.getNbInstances(); i++) {
                        create(agent, agent.getNbInstances() == 1 ? agent.getAgName() : agent.getAgName() + i);
                    }
                }
            } catch (Exception e) {
                // Jason declares no narrower exception.
                getLogger().log(Level.SEVERE, "the agents cannot begin again: " + e.getMessage(), e);
            }
        }

        private void create(AgentParameters agent, String name) throws Exception {
            RuntimeServices services = getEnvironmentInfraTier().getRuntimeServices();
            services.createAgent(name, agent.getSource().toString(), agent.agClass.getClassName(),
                    agent.getAgArchClasses(), agent.getBBClass(), agent.getAsSetts(false, false), null);
            services.startAgent(name);
        }

        @Override
        public void recount() {
            List<Player> present = new ArrayList<>(players.values());
            // The answer is later than the association of these players.
            Map<String, List<String>> entities = environment.entities();
            for (Player player : present) {
                if (player.lose(entity -> !entities.getOrDefault(entity, List.of()).contains(player.agent.name()))) {
                    wake(player);
                }
            }
        }

        @Override
        public void end(int exitCode) {
            try {
                getEnvironmentInfraTier().getRuntimeServices().stopMAS(0, true, exitCode);
            } catch (Exception e) {
                // Jason declares no narrower exception.
                getLogger().log(Level.SEVERE, "the team cannot be stopped: " + e.getMessage(), e);
            }
        }
    }

    /** Wakes an agent, or unregisters it if Jason has ended it. */
    private void wake(Player player) {
        String agent = player.agent.name();
        if (BaseLocalMAS.getRunner().getAg(agent) != null) {
            informAgsEnvironmentChanged(agent);
        } else {
            leave(player);
        }
    }

    private void leave(Player player) {
        if (player != null && players.remove(player.agent.name(), player)) {
            unregister(player.agent);
        }
    }

    /** Unregisters an agent without waiting, since the thread may be the one that reads, or be interrupted. */
    private void unregister(RemoteAgent agent) {
        try {
            agent.unregisterAsync().exceptionally(error -> {
                warnUnlessGone(agent, cause(error));
                return null;
            });
        } catch (SituatedException e) {
            warnUnlessGone(agent, e);
        }
    }

    private void warnUnlessGone(RemoteAgent agent, Throwable error) {
        boolean isGone = error instanceof SituatedException.Ended
                || error instanceof SituatedException.Refused refused && GONE.contains(refused.kind());
        if (!isGone) {
            getLogger().warning("agent " + agent.name() + " may still have its entity: " + error.getMessage());
        }
    }
}
