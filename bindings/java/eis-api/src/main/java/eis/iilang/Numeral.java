package eis.iilang;

public class Numeral extends Parameter {
    public Numeral(Number value) {}

    public native Number getValue();
}
