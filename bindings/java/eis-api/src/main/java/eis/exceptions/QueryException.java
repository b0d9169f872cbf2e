package eis.exceptions;

public class QueryException extends Exception {
    public QueryException(String message, Exception cause) {
        super(message, cause);
    }
}
