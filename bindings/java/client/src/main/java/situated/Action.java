package situated;

/** An action: {@code new Action("moveTo", 2, 3)} is {@code moveTo(2,3)}. */
public final class Action extends Term {
    /**
     * Creates an action.
     *
     * @param name its name
     * @param parameters its parameters, as {@link Parameter#of} takes them
     */
    public Action(String name, Object... parameters) {
        super(name, parameters);
    }

    /**
     * Reads JSON as {@link #toJson} writes it.
     *
     * @param json the text
     * @return the action
     * @throws IllegalArgumentException if the text is something else; the message says what is wrong
     */
    public static Action fromJson(String json) {
        return Terms.action(Json.read(json));
    }
}
