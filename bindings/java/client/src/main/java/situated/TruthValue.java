package situated;

/** A truth value. */
public enum TruthValue implements Parameter {
    /** True. */
    TRUE,
    /** False. */
    FALSE;

    /**
     * Returns a truth value.
     *
     * @param value its value
     * @return {@link #TRUE} or {@link #FALSE}
     */
    public static TruthValue of(boolean value) {
        return value ? TRUE : FALSE;
    }

    /**
     * Returns the value.
     *
     * @return whether this is {@link #TRUE}
     */
    public boolean value() {
        return this == TRUE;
    }

    /** Returns {@code true} or {@code false}. */
    @Override
    public String toString() {
        return Boolean.toString(value());
    }
}
