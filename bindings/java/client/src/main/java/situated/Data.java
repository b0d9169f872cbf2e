package situated;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Reads fields of JSON objects, as {@link Json#read} returns them. A wrong one is an {@link IllegalArgumentException}.
 */
final class Data {
    private Data() {}

    /** Returns an object. */
    @SuppressWarnings("unchecked") // The keys of what Json reads are texts.
    static Map<String, Object> object(Object json) {
        if (json instanceof Map) {
            return (Map<String, Object>) json;
        }
        throw wrong("an object", json);
    }

    /** Returns a list; none is empty. */
    static List<?> list(Object json) {
        if (json == null) {
            return Collections.emptyList();
        }
        if (json instanceof List) {
            return (List<?>) json;
        }
        throw wrong("a list", json);
    }

    static String text(Object json) {
        if (json instanceof String) {
            return (String) json;
        }
        throw wrong("a text", json);
    }

    /** Returns a whole number; none is 0. */
    static long whole(Object json) {
        if (json == null) {
            return 0;
        }
        if (json instanceof Long) {
            return (Long) json;
        }
        throw wrong("a whole number", json);
    }

    static boolean truth(Object json) {
        return Boolean.TRUE.equals(json);
    }

    static String excerpt(String text) {
        return text.length() <= 160 ? "`" + text + "`" : "`" + text.substring(0, 160) + "...`";
    }

    private static IllegalArgumentException wrong(String expected, Object json) {
        return new IllegalArgumentException("expected " + expected + ", not " + excerpt(Json.write(json)));
    }
}
