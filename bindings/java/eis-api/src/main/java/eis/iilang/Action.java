package eis.iilang;

public class Action extends DataContainer {
    public Action(String name, Parameter... parameters) {}
}
