package situated.jason;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A version of Jason, with a Java that can run it. */
enum Jason {
    /** The version that this module is compiled with, on the Java of the tests. */
    V3_2,
    /** A later one, which needs Java 21. Maven copies it to {@code target/jason-3.3}. */
    V3_3;

    private static final int JAVA_OF_3_3 = 21;
    private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+)");

    /** Returns the command that runs Java; skips the test if there is none for this version. */
    String java() {
        if (this == V3_2) {
            return System.getProperty("java.home") + "/bin/java";
        }
        Optional<Path> found = homes().stream().filter(home -> version(home) >= JAVA_OF_3_3).findFirst();
        assumeTrue(found.isPresent(), "Jason 3.3 needs Java 21");
        return found.get() + "/bin/java";
    }

    /** Returns the folders in which a Java may be installed. */
    private static List<Path> homes() {
        List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
        System.getenv().entrySet().stream().filter(one -> one.getKey().startsWith("JAVA_HOME")).map(Map.Entry::getValue)
                .forEach(home -> homes.add(Path.of(home)));
        File[] installed = new File("/usr/lib/jvm").listFiles(File::isDirectory);
        for (File home : installed == null ? new File[0] : installed) {
            homes.add(home.toPath());
        }
        return homes;
    }

    private static int version(Path home) {
        try {
            Matcher matcher = VERSION.matcher(Files.readString(home.resolve("release")));
            return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /** Returns the class path of a team: that of the tests, with this version of Jason. */
    String classPath() {
        String path = System.getProperty("java.class.path");
        if (this == V3_2) {
            return path;
        }
        StringBuilder changed = new StringBuilder(new File("target/jason-3.3/jason-interpreter.jar").getAbsolutePath());
        for (String entry : path.split(File.pathSeparator)) {
            if (!entry.contains("jason-interpreter")) {
                changed.append(File.pathSeparator).append(entry);
            }
        }
        return changed.toString();
    }
}
