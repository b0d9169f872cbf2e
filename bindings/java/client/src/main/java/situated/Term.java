package situated;

import java.util.Arrays;
import java.util.List;

/**
 * A name with parameters: an {@link Action}, a {@link Percept} or a {@link Function}. Terms are immutable. They are
 * equal if they are of the same kind and have equal names and parameters.
 */
public abstract class Term {
    private final String name;
    private final List<Parameter> parameters;

    Term(String name, Object[] parameters) {
        if (name == null) {
            throw new IllegalArgumentException("a term has a name, not null");
        }
        this.name = name;
        this.parameters = new ParameterList(Arrays.asList(parameters)).items();
    }

    /**
     * Returns the name.
     *
     * @return the name
     */
    public final String name() {
        return name;
    }

    /**
     * Returns the parameters.
     *
     * @return the parameters, which cannot be changed
     */
    public final List<Parameter> parameters() {
        return parameters;
    }

    /**
     * Returns the term as the protocol writes it.
     *
     * @return the term in JSON, on one line
     */
    public final String toJson() {
        return Json.write(this);
    }

    @Override
    public final boolean equals(Object other) {
        if (other == null || getClass() != other.getClass()) {
            return false;
        }
        Term that = (Term) other;
        return name.equals(that.name) && parameters.equals(that.parameters);
    }

    @Override
    public final int hashCode() {
        return 31 * name.hashCode() + parameters.hashCode();
    }

    /** Returns the term as Prolog reads it: {@code moveTo(2,3)}. */
    @Override
    public String toString() {
        return parameters.isEmpty() ? Text.name(name) : Text.name(name) + Text.items('(', parameters, ')');
    }
}
