package eis.exceptions;

public class ActException extends EnvironmentInterfaceException {
    public static final int NOTSPECIFIC = 0;
    public static final int NOTREGISTERED = 1;
    public static final int NOENTITIES = 2;
    public static final int WRONGENTITY = 3;
    public static final int NOTSUPPORTEDBYENVIRONMENT = 4;
    public static final int NOTSUPPORTEDBYTYPE = 5;
    public static final int NOTSUPPORTEDBYENTITY = 6;
    public static final int FAILURE = 7;

    public ActException(int type, String message) {
        super(message);
    }

    public native int getType();
}
