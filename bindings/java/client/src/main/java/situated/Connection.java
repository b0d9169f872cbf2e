package situated;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** A connection to a server, which sends and receives lines. */
final class Connection implements Closeable {
    /** Maximum length of a line from the server. */
    private static final int LONGEST_LINE = 256 << 20;

    private final Socket socket;
    /** The same, or what is below the encryption. */
    private final Socket plain;
    private final InputStream in;
    private final Outbox outbox;
    private byte[] buffer = new byte[64 << 10];
    private int start;
    private int end;

    private Connection(Socket socket, Socket plain) throws IOException {
        this.plain = plain;
        this.socket = socket;
        this.in = socket.getInputStream();
        this.outbox = new Outbox(socket.getOutputStream(), this::close);
    }

    static Connection open(Address address, int timeoutMs) throws IOException {
        Socket plain = new Socket();
        try {
            plain.connect(new InetSocketAddress(address.host, address.port), timeoutMs);
            plain.setTcpNoDelay(true);
            if (address.encrypted) {
                plain.setSoTimeout(timeoutMs);
                return new Connection(encrypted(plain, address), plain);
            }
            return new Connection(plain, plain);
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    private static Socket encrypted(Socket plain, Address address) throws IOException {
        SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        SSLSocket socket = (SSLSocket) factory.createSocket(plain, address.host, address.port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /**
     * Returns whether reads may time out at any place. Older versions of Java lose bytes of an encrypted connection
     * then.
     */
    boolean canBeReadInTurns() {
        return !(socket instanceof SSLSocket);
    }

    /** Returns whether bytes have arrived that were not read. */
    boolean hasArrived() throws IOException {
        return in.available() > 0;
    }

    Outbox outbox() {
        return outbox;
    }

    /** Returns the next line without its end, or null if it has not come within a time. A part of it is kept. */
    String receive(int timeoutMs) throws IOException {
        long deadline = System.nanoTime() + timeoutMs * 1_000_000L;
        int scanned = start;
        while (true) {
            for (; scanned < end; scanned++) {
                if (buffer[scanned] == '\n') {
                    String line = new String(buffer, start, scanned - start, StandardCharsets.UTF_8);
                    start = scanned + 1;
                    return line;
                }
            }
            scanned -= makeRoom();
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return null;
            }
            socket.setSoTimeout((int) left);
            try {
                int count = in.read(buffer, end, buffer.length - end);
                if (count < 0) {
                    throw new EOFException("the server has closed the connection");
                }
                end += count;
            } catch (SocketTimeoutException e) {
                return null;
            }
        }
    }

    /** Makes room for more bytes; returns by how much the present ones were moved. */
    private int makeRoom() throws IOException {
        int moved = start;
        if (start > 0) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
        }
        if (end == buffer.length) {
            if (end >= LONGEST_LINE) {
                throw new IOException("the server has sent a line of more than " + (LONGEST_LINE >> 20) + " MiB");
            }
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
        return moved;
    }

    @Override
    public void close() {
        try {
            // An encrypted one would wait for a thread that writes, and the server may not read.
            plain.close();
            socket.close();
        } catch (IOException e) {
            // It is of no use any more either way.
        }
    }
}
