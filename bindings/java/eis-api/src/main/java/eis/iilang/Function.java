package eis.iilang;

import java.util.List;

public class Function extends Parameter {
    public Function(String name, Parameter... parameters) {}

    public native String getName();

    public native List<Parameter> getParameters();
}
