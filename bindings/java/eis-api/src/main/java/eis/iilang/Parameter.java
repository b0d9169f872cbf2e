package eis.iilang;

public abstract class Parameter extends IILElement {}
