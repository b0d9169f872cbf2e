package eis.exceptions;

public class ManagementException extends EnvironmentInterfaceException {
    public ManagementException(String message) {
        super(message);
    }

    public ManagementException(String message, Exception cause) {
        super(message, cause);
    }
}
