package eis.exceptions;

public class AgentException extends EnvironmentInterfaceException {
    public AgentException(String message) {
        super(message);
    }

    public AgentException(String message, Exception cause) {
        super(message, cause);
    }
}
