package eis.exceptions;

public class NoEnvironmentException extends RuntimeException {
    public NoEnvironmentException(String message) {
        super(message);
    }
}
