package eis.iilang;

import java.util.List;

public abstract class DataContainer extends IILElement {
    DataContainer() {}

    public native String getName();

    public native List<Parameter> getParameters();
}
