package situated;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Expressions of FIPA SL0: texts and lists. Whether a text is in quotes is not kept. */
final class Expressions {
    private static final int DEEPEST = 64;
    private static final Pattern WORD = Pattern.compile(":?[A-Za-z?+=-][A-Za-z0-9?_.-]*");
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}");
    private static final Pattern DURATION = Pattern.compile("\\+[0-9]{8}T[0-9]{9}");

    private final String text;
    private int place;

    private Expressions(String text) {
        this.text = text;
    }

    /** Returns a list of texts and lists. */
    static List<Object> list(Object... parts) {
        return new ArrayList<>(Arrays.asList(parts));
    }

    /** Writes a text, a number, or a list. */
    static String write(Object expression) {
        StringBuilder out = new StringBuilder();
        write(expression, out);
        return out.toString();
    }

    private static void write(Object expression, StringBuilder out) {
        if (expression instanceof List) {
            String separator = "(";
            for (Object one : (List<?>) expression) {
                out.append(separator);
                write(one, out);
                separator = " ";
            }
            out.append(separator.equals("(") ? "()" : ")");
            return;
        }
        String word = String.valueOf(expression);
        if (WORD.matcher(word).matches() || NUMBER.matcher(word).matches() || DURATION.matcher(word).matches()) {
            out.append(word);
        } else {
            out.append('"').append(word.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
        }
    }

    /** Reads an expression; throws {@link IllegalArgumentException} if the text is none. */
    static Object read(String text) {
        Expressions reader = new Expressions(text);
        Object expression = reader.next(0);
        reader.skipSpace();
        if (reader.place < text.length()) {
            throw reader.wrong();
        }
        return expression;
    }

    private Object next(int depth) {
        skipSpace();
        if (place == text.length() || depth > DEEPEST || text.charAt(place) == ')') {
            throw wrong();
        }
        switch (text.charAt(place)) {
            case '(':
                place++;
                List<Object> list = list();
                for (skipSpace(); place < text.length() && text.charAt(place) != ')'; skipSpace()) {
                    list.add(next(depth + 1));
                }
                if (place++ == text.length()) {
                    throw wrong();
                }
                return list;
            case '"':
                return quoted();
            default:
                int begin = place;
                while (place < text.length() && " \t\r\n()\"".indexOf(text.charAt(place)) < 0) {
                    place++;
                }
                return text.substring(begin, place);
        }
    }

    private String quoted() {
        StringBuilder out = new StringBuilder();
        for (place++; place < text.length() && text.charAt(place) != '"'; place++) {
            boolean isEscaped = text.charAt(place) == '\\' && place + 1 < text.length();
            out.append(text.charAt(isEscaped ? ++place : place));
        }
        if (place++ >= text.length()) {
            throw wrong();
        }
        return out.toString();
    }

    private void skipSpace() {
        while (place < text.length() && Character.isWhitespace(text.charAt(place))) {
            place++;
        }
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("it is no expression of SL0: " + Data.excerpt(text));
    }

    /** Returns the arguments of an expression with this name, or null if it has another one. */
    static List<?> arguments(Object expression, String name) {
        if (!(expression instanceof List) || ((List<?>) expression).isEmpty()) {
            return null;
        }
        List<?> parts = (List<?>) expression;
        boolean isNamed = parts.get(0) instanceof String && name.equalsIgnoreCase((String) parts.get(0));
        return isNamed ? parts.subList(1, parts.size()) : null;
    }

    /** Returns the value of a parameter such as {@code :name ada}, or null. */
    static Object slot(List<?> arguments, String name) {
        for (int i = 0; arguments != null && i + 1 < arguments.size(); i += 2) {
            if ((":" + name).equalsIgnoreCase(String.valueOf(arguments.get(i)))) {
                return arguments.get(i + 1);
            }
        }
        return null;
    }

    /** Returns a text, or null for anything else. */
    static String text(Object expression) {
        return expression instanceof String ? (String) expression : null;
    }

    /** Returns the identifier of an agent. */
    static List<Object> agent(String name) {
        return list("agent-identifier", ":name", name);
    }

    /** Returns the name in the identifier of an agent, or null. */
    static String agentName(Object expression) {
        return text(slot(arguments(expression, "agent-identifier"), "name"));
    }
}
