package situated.eis;

import eis.iilang.Identifier;
import eis.iilang.Numeral;
import eis.iilang.Parameter;
import java.util.LinkedHashMap;
import java.util.Map;

/** The init parameters: those for the connection, and those for the environment. */
final class Options {
    private static final String USAGE = "the parameters are `environment` (the name of an environment), `url` (such as "
            + "\"tcp://localhost:7467\", the default) or `command` (such as \"situated serve bw4t --port 0\"), `token`, `seed` "
            + "and `patience` (in seconds); all others are for the environment";
    private static final long PATIENCE_MS = 10_000;

    /** The address of a server. */
    final String url;
    /** A command that starts a server, or null. */
    final String command;
    final String environment;
    final String token;
    final Long seed;
    final long patienceMs;
    /** The parameters of the environment. */
    final Map<String, situated.Parameter> parameters = new LinkedHashMap<>();

    Options(Map<String, Parameter> given) {
        Map<String, Parameter> rest = new LinkedHashMap<>();
        if (given != null) {
            rest.putAll(given);
        }
        command = text(rest, "command");
        String address = text(rest, "url");
        if (address != null && command != null) {
            throw new IllegalArgumentException("`url` and `command` are both given; leave out one of them");
        }
        url = address == null ? "tcp://localhost:7467" : address;
        environment = text(rest, "environment");
        if (environment == null) {
            throw new IllegalArgumentException("`environment` is missing; " + USAGE);
        }
        token = text(rest, "token");
        seed = whole(rest, "seed");
        Long patience = whole(rest, "patience");
        patienceMs = patience == null ? PATIENCE_MS : 1000 * Math.min(patience, 1_000_000);
        rest.forEach((name, value) -> parameters.put(name, Iil.read(value)));
    }

    private static String text(Map<String, Parameter> rest, String name) {
        Parameter value = rest.remove(name);
        if (value == null || value instanceof Identifier) {
            return value == null ? null : ((Identifier) value).getValue();
        }
        throw new IllegalArgumentException("`" + name + "` is a text, not " + Iil.read(value) + "; " + USAGE);
    }

    private static Long whole(Map<String, Parameter> rest, String name) {
        Parameter value = rest.remove(name);
        if (value == null) {
            return null;
        }
        String text = value instanceof Numeral ? text(((Numeral) value).getValue()) : String.valueOf(Iil.read(value));
        if (!text.matches("'?[0-9]{1,18}'?")) {
            throw new IllegalArgumentException("`" + name + "` is a whole number from 0, not " + text + "; " + USAGE);
        }
        return Long.valueOf(text.replace("'", ""));
    }

    /** Writes whole floats as whole numbers, since some platforms have floats only. */
    private static String text(Number number) {
        boolean isFloat = number instanceof Double || number instanceof Float;
        boolean isWhole = isFloat && number.doubleValue() == number.longValue();
        return isWhole ? String.valueOf(number.longValue()) : String.valueOf(number);
    }
}
