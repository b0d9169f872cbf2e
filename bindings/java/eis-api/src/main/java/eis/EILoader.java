package eis;

import java.io.File;
import java.io.IOException;

public class EILoader {
    public static native EnvironmentInterfaceStandard fromJarFile(File jar) throws IOException;
}
