package situated;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/** A list of parameters: {@code [1,2]}. */
public final class ParameterList implements Parameter, Iterable<Parameter> {
    private final List<Parameter> items;

    /**
     * Creates a list.
     *
     * @param items its items, as {@link Parameter#of} takes them
     */
    public ParameterList(List<?> items) {
        List<Parameter> parameters = new ArrayList<>(items.size());
        items.forEach(item -> parameters.add(Parameter.of(item)));
        this.items = Collections.unmodifiableList(parameters);
    }

    /**
     * Returns the items.
     *
     * @return the items, which cannot be changed
     */
    public List<Parameter> items() {
        return items;
    }

    @Override
    public Iterator<Parameter> iterator() {
        return items.iterator();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ParameterList && items.equals(((ParameterList) other).items);
    }

    @Override
    public int hashCode() {
        return items.hashCode();
    }

    /** Returns the list as Prolog reads it: {@code [1,2]}. */
    @Override
    public String toString() {
        return Text.items('[', items, ']');
    }
}
