package eis.iilang;

public abstract class IILElement {
    public static boolean toProlog;
}
