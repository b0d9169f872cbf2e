package eis.exceptions;

public class EnvironmentInterfaceException extends Exception {
    public EnvironmentInterfaceException(String message) {
        super(message);
    }

    public EnvironmentInterfaceException(String message, Exception cause) {
        super(message, cause);
    }
}
