package situated;

/** A percept: {@code new Percept("at", "roomC1")} is {@code at(roomC1)}. */
public final class Percept extends Term {
    /**
     * Creates a percept.
     *
     * @param name its name
     * @param parameters its parameters, as {@link Parameter#of} takes them
     */
    public Percept(String name, Object... parameters) {
        super(name, parameters);
    }

    /**
     * Reads JSON as {@link #toJson} writes it.
     *
     * @param json the text
     * @return the percept
     * @throws IllegalArgumentException if the text is something else; the message says what is wrong
     */
    public static Percept fromJson(String json) {
        return Terms.percept(Json.read(json));
    }
}
