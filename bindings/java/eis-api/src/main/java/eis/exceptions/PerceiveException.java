package eis.exceptions;

public class PerceiveException extends EnvironmentInterfaceException {
    public PerceiveException(String message) {
        super(message);
    }

    public PerceiveException(String message, Exception cause) {
        super(message, cause);
    }
}
