package eis.iilang;

public class Percept extends DataContainer {
    public Percept(String name, Parameter... parameters) {}
}
