package eis.iilang;

public enum EnvironmentState {
    INITIALIZING, RUNNING, PAUSED, KILLED
}
