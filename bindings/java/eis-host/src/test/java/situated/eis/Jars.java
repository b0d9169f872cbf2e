package situated.eis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import situated.Server;

/** Jars with environments. */
final class Jars {
    private static final Path REAL = Path.of(Server.root(), "../shared/java");

    private Jars() {}

    static Path real(String name) {
        return REAL.resolve(name).normalize();
    }

    /** Packs a class as the environment of a jar, with the real EIS beside it. */
    static Path pack(Path folder, Class<?> environment) throws IOException {
        Files.copy(real("eis-0.7.0.jar"), folder.resolve("eis-0.7.0.jar"));
        return packAlone(folder, environment);
    }

    static Path packAlone(Path folder, Class<?> environment) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, environment.getName());
        Path jar = folder.resolve("strange.jar");
        String file = environment.getName().replace('.', '/') + ".class";
        try (OutputStream out = Files.newOutputStream(jar); JarOutputStream packed = new JarOutputStream(out, manifest);
                InputStream code = environment.getClassLoader().getResourceAsStream(file)) {
            packed.putNextEntry(new ZipEntry(file));
            code.transferTo(packed);
        }
        return jar;
    }
}
