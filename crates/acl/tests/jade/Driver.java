import jade.lang.acl.ACLMessage;
import jade.lang.acl.StringACLCodec;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Reads messages by the string codec of JADE, a line in Base64 each, and writes for each a line with what JADE
 * understands and with the message as JADE writes it: its content, its conversation, its sender, the text, each in
 * Base64 and "-" where there is none, "=" where it is empty, and last "!" if JADE does not read what it has written. A
 * line that begins with "!" says why JADE does not read a message.
 */
public class Driver {
    private static final String CHARSET = StandardCharsets.UTF_8.name();

    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        // JADE prints remarks of its own.
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(answer(Base64.getDecoder().decode(line)));
        }
        out.flush();
    }

    private static String answer(byte[] text) {
        try {
            ACLMessage message = new StringACLCodec().decode(text, CHARSET);
            byte[] content = message.hasByteSequenceContent()
                ? message.getByteSequenceContent() : bytes(message.getContent());
            byte[] sender = message.getSender() == null ? null : bytes(message.getSender().getName());
            byte[] written = new StringACLCodec().encode(message, CHARSET);
            return field(content) + " " + field(bytes(message.getConversationId())) + " " + field(sender) + " "
                + field(written) + " " + (isReadAgain(written) ? "=" : "!");
        } catch (Throwable problem) {
            Throwable cause = problem.getCause() == null ? problem : problem.getCause();
            return "! " + cause.toString().replace('\n', ' ').replace('\r', ' ');
        }
    }

    private static boolean isReadAgain(byte[] written) {
        try {
            new StringACLCodec().decode(written, CHARSET);
            return true;
        } catch (Throwable problem) {
            return false;
        }
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static String field(byte[] bytes) {
        if (bytes == null) {
            return "-";
        }
        return bytes.length == 0 ? "=" : Base64.getEncoder().encodeToString(bytes);
    }
}
