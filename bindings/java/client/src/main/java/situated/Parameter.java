package situated;

import java.util.List;

/**
 * A parameter of an action, a percept or a function: an {@link Identifier}, a {@link Numeral}, a {@link TruthValue}, a
 * {@link ParameterList} or a {@link Function}. Parameters are immutable, and equal if they are of the same kind and
 * have the same value: the whole number {@code 2} is not the float {@code 2.0}.
 *
 * <pre>{@code
 * Parameter place = Parameter.of("roomC1");         // an identifier
 * Parameter path = Parameter.of(Arrays.asList(      // [pos(1,1),pos(2,1)]
 *     new Function("pos", 1, 1), new Function("pos", 2, 1)));
 * }</pre>
 *
 * <p>There are no other implementations.
 */
public interface Parameter {
    /**
     * Returns a Java value as a parameter: a text is an identifier, a {@code Byte}, {@code Short}, {@code Integer} or
     * {@code Long} is a whole number, a {@code Float} or {@code Double} a float, a {@code Boolean} a truth value, and a
     * {@code List} a list. Parameters are returned as they are.
     *
     * @param value the value
     * @return the parameter
     * @throws IllegalArgumentException if there is no such parameter
     */
    static Parameter of(Object value) {
        if (value instanceof Parameter) {
            return (Parameter) value;
        }
        if (value instanceof CharSequence) {
            return new Identifier(value.toString());
        }
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return Numeral.of(((Number) value).longValue());
        }
        if (value instanceof Double || value instanceof Float) {
            return Numeral.of(((Number) value).doubleValue());
        }
        if (value instanceof Boolean) {
            return TruthValue.of((Boolean) value);
        }
        if (value instanceof List) {
            return new ParameterList((List<?>) value);
        }
        String what = value == null ? "null" : "a value of " + value.getClass().getName();
        throw new IllegalArgumentException(
                what + " is no parameter; use a String, Long, Double, Boolean, List or Function");
    }
}
