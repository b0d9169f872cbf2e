package situated;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A way to a server that can be cut. */
final class Cable implements AutoCloseable {
    private final Address server;
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new ArrayList<>();
    private volatile boolean broken;
    private volatile boolean discards;
    private volatile boolean discardsCalls;
    private volatile int delayMs;
    private volatile int connections;

    Cable(String server) throws IOException {
        this.server = Address.parse(server);
        Threads.start("cable", this::accept);
    }

    String address() {
        return "tcp://127.0.0.1:" + listening.getLocalPort();
    }

    /** Returns how many connections there have been. */
    int connections() {
        return connections;
    }

    /** Cuts the present connections. */
    synchronized void cut() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
        discards = false;
        discardsCalls = false;
    }

    /** Cuts the present connections, and refuses others until further notice. */
    void setBroken(boolean broken) throws IOException {
        this.broken = broken;
        cut();
    }

    /** Lets further connections wait for so long before anything passes. */
    void delay(int delayMs) {
        this.delayMs = delayMs;
    }

    /** Discards all that the server sends until the cable is cut. */
    void discardAnswers() {
        discards = true;
    }

    /** Discards all that the client sends until the cable is cut. */
    void discardCalls() {
        discardsCalls = true;
    }

    private void accept() {
        try {
            while (true) {
                Socket near = listening.accept();
                if (broken) {
                    near.close();
                    continue;
                }
                Thread.sleep(delayMs);
                join(near);
            }
        } catch (IOException | InterruptedException e) {
            // It is closed.
        }
    }

    private synchronized void join(Socket near) throws IOException {
        Socket far = new Socket(server.host, server.port);
        near.setTcpNoDelay(true);
        far.setTcpNoDelay(true);
        sockets.add(near);
        sockets.add(far);
        connections++;
        Threads.start("cable-up", () -> copy(near, far, false));
        Threads.start("cable-down", () -> copy(far, near, true));
    }

    private void copy(Socket from, Socket to, boolean isDown) {
        byte[] buffer = new byte[65536];
        try (InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (!(isDown ? discards : discardsCalls)) {
                    out.write(buffer, 0, count);
                }
            }
        } catch (IOException e) {
            // It is cut.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
