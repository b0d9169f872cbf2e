package situated;

/** An identifier: any text, such as {@code roomC1} or {@code Room C1}. */
public final class Identifier implements Parameter {
    private final String value;

    /**
     * Creates an identifier.
     *
     * @param value its text
     */
    public Identifier(String value) {
        if (value == null) {
            throw new IllegalArgumentException("an identifier has a text, not null");
        }
        this.value = value;
    }

    /**
     * Returns the text.
     *
     * @return the text
     */
    public String value() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Identifier && value.equals(((Identifier) other).value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** Returns the identifier as Prolog reads it: {@code roomC1}, {@code 'Room C1'}. */
    @Override
    public String toString() {
        boolean isTruthValue = value.equals("true") || value.equals("false");
        return isTruthValue ? "'" + value + "'" : Text.name(value);
    }
}
