package eis.iilang;

import java.util.Iterator;

public class ParameterList extends Parameter implements Iterable<Parameter> {
    public ParameterList(Parameter... items) {}

    @Override
    public native Iterator<Parameter> iterator();

    public native void add(Parameter item);
}
