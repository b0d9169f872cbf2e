package situated;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as Java values: {@code Map}, {@code List}, {@code String}, {@code Long}, {@code BigInteger} (beyond 64 bits),
 * {@code Double}, {@code Boolean} and null. Whole numbers and floats stay apart, which most libraries for JSON do not
 * promise.
 *
 * <pre>{@code
 * Object call = Json.read("{\"number\":7,\"call\":\"start\"}");
 * }</pre>
 */
public final class Json {
    /** Maximum nesting. A percept of 52 levels has two levels of JSON for each, and the message is around it. */
    private static final int DEEPEST = 256;

    private static final int LONGEST_NUMBER = 400;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /**
     * Reads a value that is the whole text.
     *
     * @param text the text
     * @return the value
     * @throws IllegalArgumentException if the text is no JSON; the message says where
     */
    public static Object read(String text) {
        Json reader = new Json(text);
        Object value = reader.value(0);
        reader.skipBlanks();
        if (reader.at < text.length()) {
            throw reader.wrong("the end");
        }
        return value;
    }

    /**
     * Returns an object, for a call such as {@code client.call("status", Json.of("environment", "maze"))}.
     *
     * @param named its names and values in turn; values can be null
     * @return the object, which can be changed
     */
    public static Map<String, Object> of(Object... named) {
        return put(new LinkedHashMap<>(), named);
    }

    /** Adds names and values, which come in turn, to an object; returns it. */
    static Map<String, Object> put(Map<String, Object> object, Object... named) {
        for (int i = 0; i < named.length; i += 2) {
            object.put((String) named[i], named[i + 1]);
        }
        return object;
    }

    /**
     * Writes a value, which may contain terms and parameters.
     *
     * @param value the value
     * @return the JSON, on one line
     */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    /** Writes a value, which may contain terms and parameters. */
    static void write(StringBuilder out, Object value) {
        if (value == null || value instanceof Boolean || value instanceof TruthValue) {
            out.append(value);
        } else if (value instanceof CharSequence) {
            writeText(out, value.toString());
        } else if (value instanceof Identifier) {
            writeText(out, ((Identifier) value).value());
        } else if (value instanceof Numeral) {
            Numeral numeral = (Numeral) value;
            write(out, numeral.isWhole() ? (Object) numeral.longValue() : (Object) numeral.doubleValue());
        } else if (value instanceof Double || value instanceof Float) {
            writeFloat(out, ((Number) value).doubleValue());
        } else if (value instanceof Number) {
            out.append(value);
        } else if (value instanceof Map) {
            writeObject(out, (Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            writeList(out, (Iterable<?>) value);
        } else if (value instanceof Term) {
            Term term = (Term) value;
            out.append("{\"name\":");
            writeText(out, term.name());
            out.append(",\"args\":");
            writeList(out, term.parameters());
            out.append('}');
        } else {
            throw new IllegalArgumentException("a value of " + value.getClass().getName() + " cannot be written as JSON");
        }
    }

    private static void writeFloat(StringBuilder out, double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            out.append("{\"numeral\":\"").append(Text.number(value)).append("\"}");
        } else {
            out.append(value);
        }
    }

    private static void writeObject(StringBuilder out, Map<?, ?> object) {
        char before = '{';
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            out.append(before);
            writeText(out, (String) entry.getKey());
            out.append(':');
            write(out, entry.getValue());
            before = ',';
        }
        out.append(before == '{' ? "{}" : "}");
    }

    private static void writeList(StringBuilder out, Iterable<?> items) {
        char before = '[';
        for (Object item : items) {
            out.append(before);
            write(out, item);
            before = ',';
        }
        out.append(before == '[' ? "[]" : "]");
    }

    private static void writeText(StringBuilder out, String text) {
        out.append('"');
        int begin = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c != '"' && c != '\\') {
                continue;
            }
            out.append(text, begin, i);
            begin = i + 1;
            if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append('\\').append(c);
            }
        }
        out.append(begin == 0 ? text : text.substring(begin)).append('"');
    }

    private Object value(int depth) {
        skipBlanks();
        switch (peek()) {
            case '{': return object(depth + 1);
            case '[': return list(depth + 1);
            case '"': return quoted();
            case 't': return word("true", Boolean.TRUE);
            case 'f': return word("false", Boolean.FALSE);
            case 'n': return word("null", null);
            default: return number();
        }
    }

    private Map<String, Object> object(int depth) {
        checkDepth(depth);
        Map<String, Object> object = new LinkedHashMap<>();
        at++;
        skipBlanks();
        if (eat('}')) {
            return object;
        }
        do {
            skipBlanks();
            if (peek() != '"') {
                throw wrong("a key");
            }
            String key = quoted();
            skipBlanks();
            expect(':');
            object.put(key, value(depth));
            skipBlanks();
        } while (eat(','));
        expect('}');
        return object;
    }

    private List<Object> list(int depth) {
        checkDepth(depth);
        List<Object> items = new ArrayList<>();
        at++;
        skipBlanks();
        if (eat(']')) {
            return items;
        }
        do {
            items.add(value(depth));
            skipBlanks();
        } while (eat(','));
        expect(']');
        return items;
    }

    private String quoted() {
        int start = ++at;
        while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\' && text.charAt(at) >= ' ') {
            at++;
        }
        if (peek() == '"') {
            return text.substring(start, at++);
        }
        StringBuilder out = new StringBuilder(text.substring(start, at));
        while (!eat('"')) {
            char c = peek();
            if (c < ' ') {
                throw wrong("the end of a text");
            }
            at++;
            out.append(c == '\\' ? escaped() : c);
        }
        return out.toString();
    }

    private char escaped() {
        char c = peek();
        at++;
        switch (c) {
            case '"': case '\\': case '/': return c;
            case 'b': return '\b';
            case 'f': return '\f';
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            case 'u':
                int code = 0;
                for (int i = 0; i < 4; i++) {
                    int digit = Character.digit(peek(), 16);
                    if (digit < 0) {
                        throw wrong("a hexadecimal digit");
                    }
                    code = 16 * code + digit;
                    at++;
                }
                return (char) code;
            default:
                at--;
                throw wrong("an escape");
        }
    }

    private Object number() {
        int start = at;
        eat('-');
        if (!eat('0')) {
            digits();
        }
        boolean isWhole = true;
        if (eat('.')) {
            digits();
            isWhole = false;
        }
        if (eat('e') || eat('E')) {
            if (!eat('+')) {
                eat('-');
            }
            digits();
            isWhole = false;
        }
        String number = text.substring(start, at);
        if (!isWhole || number.equals("-0")) {
            return Double.parseDouble(number);
        }
        if (number.length() < 19) {
            return Long.parseLong(number);
        }
        if (number.length() > LONGEST_NUMBER) {
            throw wrong("a number of at most " + LONGEST_NUMBER + " digits");
        }
        BigInteger value = new BigInteger(number);
        return value.bitLength() < 64 ? (Object) value.longValue() : value;
    }

    private void digits() {
        int start = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        if (at == start) {
            throw wrong("a value");
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("a value");
        }
        at += word.length();
        return value;
    }

    private void skipBlanks() {
        while (at < text.length() && text.charAt(at) <= ' ' && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    /** Returns the next character; at the end one that JSON does not have. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private boolean eat(char c) {
        boolean isNext = peek() == c;
        at += isNext ? 1 : 0;
        return isNext;
    }

    private void expect(char c) {
        if (!eat(c)) {
            throw wrong("`" + c + "`");
        }
    }

    private void checkDepth(int depth) {
        if (depth > DEEPEST) {
            throw wrong("at most " + DEEPEST + " levels of lists and objects");
        }
    }

    private IllegalArgumentException wrong(String expected) {
        String found = at < text.length() ? "`" + text.charAt(at) + "`" : "the end";
        return new IllegalArgumentException("no JSON: at character " + (at + 1) + ", expected " + expected + ", found " + found);
    }
}
