package eis.iilang;

public class Identifier extends Parameter {
    public Identifier(String value) {}

    public native String getValue();
}
