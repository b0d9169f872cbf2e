package eis.iilang;

public class TruthValue extends Parameter {
    public TruthValue(boolean value) {}

    public TruthValue(String value) {}

    public native String getValue();
}
