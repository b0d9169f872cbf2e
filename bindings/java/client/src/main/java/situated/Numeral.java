package situated;

/**
 * A number: a whole number of 64 bits, or a float. The two stay apart: {@code 2} is not {@code 2.0}. Floats are
 * compared bit by bit, so NaN is equal to itself, and {@code 0.0} differs from {@code -0.0}.
 */
public final class Numeral implements Parameter {
    private final boolean whole;
    /** The whole number, or the bits of the float. */
    private final long bits;

    private Numeral(boolean whole, long bits) {
        this.whole = whole;
        this.bits = bits;
    }

    /**
     * Returns a whole number.
     *
     * @param value its value
     * @return the numeral
     */
    public static Numeral of(long value) {
        return new Numeral(true, value);
    }

    /**
     * Returns a float.
     *
     * @param value its value
     * @return the numeral
     */
    public static Numeral of(double value) {
        return new Numeral(false, Double.doubleToRawLongBits(value));
    }

    /**
     * Returns whether this is a whole number.
     *
     * @return false for a float
     */
    public boolean isWhole() {
        return whole;
    }

    /**
     * Returns the value as a whole number.
     *
     * @return the value; that of a float is truncated
     */
    public long longValue() {
        return whole ? bits : (long) doubleValue();
    }

    /**
     * Returns the value as a float.
     *
     * @return the value; that of a whole number beyond 2^53 is rounded
     */
    public double doubleValue() {
        return whole ? (double) bits : Double.longBitsToDouble(bits);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Numeral)) {
            return false;
        }
        Numeral that = (Numeral) other;
        return whole == that.whole && bits == that.bits;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(bits) + (whole ? 1 : 0);
    }

    /** Returns the number as Prolog reads it: {@code 2}, {@code 2.0}, {@code 1.0e21}, {@code 1.0Inf}. */
    @Override
    public String toString() {
        return whole ? Long.toString(bits) : Text.number(doubleValue());
    }
}
