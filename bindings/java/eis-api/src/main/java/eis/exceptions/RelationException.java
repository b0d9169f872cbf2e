package eis.exceptions;

public class RelationException extends EnvironmentInterfaceException {
    public RelationException(String message) {
        super(message);
    }

    public RelationException(String message, Exception cause) {
        super(message, cause);
    }
}
