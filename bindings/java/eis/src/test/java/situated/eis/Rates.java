package situated.eis;

import eis.EILoader;
import eis.EnvironmentInterfaceStandard;
import eis.PerceptUpdate;
import eis.iilang.Action;
import eis.iilang.Identifier;
import eis.iilang.Numeral;
import eis.iilang.Percept;
import java.io.File;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import situated.Server;

/**
 * Rates of actions and percepts through the jar and a local server, beside those of Java RMI in the same run, with 1
 * thread and with 16. The server has robots of Blocks World for Teams; the other side of RMI only counts, in a process
 * of its own.
 *
 * <p>Run it with the jar, the library of EIS, the classes of the client and the test classes: {@code java -cp ...
 * situated.eis.Rates JAR}, with SITUATED_BINARY set to a release build. Both sides take turns, and it prints the
 * medians of calls per second, and of the jar's part of RMI's.
 */
public final class Rates {
    private static final int AGENTS = 16;
    private static final int PORT = 17_099;
    private static final long WARM_UP_MS = 10_000;
    private static final long RUN_MS = 500;
    private static final int RUNS = 15;
    private static final Action GO = new Action("goTo", new Identifier("RoomA1"));

    private Rates() {}

    /** The calls of EIS, as a remote interface. */
    public interface Calls extends Remote {
        /** Acts. */
        void performAction(String agent, Action action) throws RemoteException;

        /** Perceives. */
        Map<String, PerceptUpdate> getPercepts(String agent, int count) throws RemoteException;
    }

    private static final class Counter implements Calls {
        private final AtomicLong count = new AtomicLong();

        @Override
        public void performAction(String agent, Action action) {
            count.incrementAndGet();
        }

        @Override
        public Map<String, PerceptUpdate> getPercepts(String agent, int count) {
            List<Percept> add = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                add.add(new Percept("position", new Numeral(i), new Numeral(24.25), new Numeral(65.0)));
            }
            return Collections.singletonMap("Bot_1", new PerceptUpdate(add, new ArrayList<>()));
        }
    }

    /** A call of an agent. */
    private interface Call {
        void make(String agent) throws Exception;
    }

    /** Returns the calls per second of all threads together. */
    private static double rate(int threads, long milliseconds, Call call) throws Exception {
        AtomicLong calls = new AtomicLong();
        AtomicBoolean isOver = new AtomicBoolean();
        List<Thread> working = new ArrayList<>();
        long begin = System.nanoTime();
        for (int i = 1; i <= threads; i++) {
            String agent = "agent " + i;
            Thread thread = new Thread(() -> {
                try {
                    while (!isOver.get()) {
                        for (int n = 0; n < 16; n++) {
                            call.make(agent);
                        }
                        calls.addAndGet(16);
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            thread.start();
            working.add(thread);
        }
        Thread.sleep(milliseconds);
        isOver.set(true);
        for (Thread thread : working) {
            thread.join();
        }
        return calls.get() * 1e9 / (System.nanoTime() - begin);
    }

    /** Measures both in turn, so that the machine is equally fast for both, and prints medians. */
    private static void compare(String what, int threads, Call jar, Call rmi) throws Exception {
        rate(threads, WARM_UP_MS, jar);
        rate(threads, WARM_UP_MS, rmi);
        double[] here = new double[RUNS];
        double[] there = new double[RUNS];
        double[] times = new double[RUNS];
        for (int run = 0; run < RUNS; run++) {
            here[run] = rate(threads, RUN_MS, jar);
            there[run] = rate(threads, RUN_MS, rmi);
            times[run] = here[run] / there[run];
        }
        double part = median(times);
        System.out.printf("%-32s %2d threads: %,12.0f/s, RMI %,9.0f/s, %.2f times (%.2f to %.2f)%n", what, threads, median(here),
                median(there), part, times[0], times[RUNS - 1]);
    }

    /** Sorts numbers; returns their median. */
    private static double median(double[] numbers) {
        Arrays.sort(numbers);
        return numbers[numbers.length / 2];
    }

    private static Calls connect() throws Exception {
        for (int attempt = 0; ; attempt++) {
            try {
                Registry registry = LocateRegistry.getRegistry("localhost", PORT);
                return (Calls) registry.lookup("calls");
            } catch (RemoteException | java.rmi.NotBoundException e) {
                if (attempt == 100) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }

    /** Measures; with the argument {@code serve}, it is the other side of RMI. */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("serve")) {
            Registry registry = LocateRegistry.createRegistry(PORT);
            registry.bind("calls", UnicastRemoteObject.exportObject(new Counter(), 0));
            return;
        }
        Process other = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp",
                System.getProperty("java.class.path"), Rates.class.getName(), "serve").inheritIO().start();
        try (Server server = Server.serve("bw4t", "--param", "robots=" + AGENTS, "--speed", "1")) {
            Calls rmi = connect();
            EnvironmentInterfaceStandard environment = EILoader.fromJarFile(new File(arguments[0]));
            environment.init(Platform.parameters(server, "bw4t"));
            int number = 1;
            for (String robot : environment.getEntities()) {
                Platform.join(environment, "agent " + number++, robot);
            }
            for (int threads : new int[] {1, AGENTS}) {
                compare("actions", threads, agent -> environment.performAction(agent, GO),
                        agent -> rmi.performAction(agent, GO));
                compare("percepts, when few change", threads, environment::getPercepts, agent -> rmi.getPercepts(agent, 0));
                compare("the same, RMI with 10 percepts", threads, environment::getPercepts,
                        agent -> rmi.getPercepts(agent, 10));
            }
            environment.kill();
        } finally {
            other.destroy();
        }
    }
}
