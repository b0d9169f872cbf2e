package eis.exceptions;

public class EntityException extends EnvironmentInterfaceException {
    public EntityException(String message) {
        super(message);
    }

    public EntityException(String message, Exception cause) {
        super(message, cause);
    }
}
