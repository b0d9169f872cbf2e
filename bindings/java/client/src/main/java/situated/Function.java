package situated;

/** A function, which is a parameter with parameters: {@code new Function("pos", 1, 1)} is {@code pos(1,1)}. */
public final class Function extends Term implements Parameter {
    /**
     * Creates a function.
     *
     * @param name its name
     * @param parameters its parameters, as {@link Parameter#of} takes them
     */
    public Function(String name, Object... parameters) {
        super(name, parameters);
    }

    /** Returns the function as Prolog reads it: {@code pos(1,1)}, and {@code f()} without parameters. */
    @Override
    public String toString() {
        return parameters().isEmpty() ? Text.name(name()) + "()" : super.toString();
    }
}
