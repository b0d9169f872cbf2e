package situated.eis;

import eis.EnvironmentInterfaceStandard;
import eis.PerceptUpdate;
import eis.iilang.Action;
import eis.iilang.Percept;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** The environment of a jar, with the methods that differ between the versions of EIS, which are found by name. */
final class Library {
    final EnvironmentInterfaceStandard environment;
    private final Method performAction;
    /** In EIS 0.7. */
    private final Method getPercepts;
    /** In EIS 0.3 to 0.6. */
    private final Method getAllPercepts;
    private final Method getEntities;
    private final Method getAssociatedEntities;
    /** In EIS 0.7, what holds for each entity. */
    private final Map<String, Set<situated.Percept>> held = new LinkedHashMap<>();
    private final Consumer<String> warnings;

    /** Creates the environment of a jar. Its errors say what to do. */
    Library(String jar, Consumer<String> warnings) throws IOException, ReflectiveOperationException {
        this.warnings = warnings;
        Class<?> environmentClass = Class.forName(mainClass(jar));
        if (!EnvironmentInterfaceStandard.class.isAssignableFrom(environmentClass)) {
            throw new IOException(environmentClass.getName() + " is no environment of EIS; the Main-Class of the jar has to "
                    + "implement eis.EnvironmentInterfaceStandard");
        }
        Class<?>[] acting = {String.class, Action.class, String[].class};
        Class<?>[] perceiving = {String.class, String[].class};
        performAction = find(environmentClass, "performAction", acting);
        getPercepts = find(environmentClass, "getPercepts", perceiving);
        getAllPercepts = find(environmentClass, "getAllPercepts", perceiving);
        getEntities = find(environmentClass, "getEntities");
        getAssociatedEntities = find(environmentClass, "getAssociatedEntities", String.class);
        if (performAction == null || getEntities == null || getPercepts == null && getAllPercepts == null) {
            throw new IOException(environmentClass.getName() + " was built for another version of EIS than the one beside it; "
                    + "put the library that it was built for, such as eis-0.7.0.jar, into the folder of the jar");
        }
        environment = (EnvironmentInterfaceStandard) environmentClass.getDeclaredConstructor().newInstance();
    }

    private static String mainClass(String jar) throws IOException {
        try (JarFile file = new JarFile(jar)) {
            Manifest manifest = file.getManifest();
            String name = manifest == null ? null : manifest.getMainAttributes().getValue("Main-Class");
            if (name == null) {
                throw new IOException("its manifest names no Main-Class, which is the environment");
            }
            return name;
        }
    }

    /** Returns a method with an implementation, or null. */
    private static Method find(Class<?> of, String name, Class<?>... parameters) {
        try {
            Method method = of.getMethod(name, parameters);
            method.setAccessible(true);
            return Modifier.isAbstract(method.getModifiers()) ? null : method;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    List<String> entities() throws Throwable {
        return texts(call(getEntities));
    }

    boolean isAssociated(String agent, String entity) throws Throwable {
        return getAssociatedEntities != null && texts(call(getAssociatedEntities, agent)).contains(entity);
    }

    /** Forgets what held for an entity that was deleted. */
    void forget(String entity) {
        held.remove(entity);
    }

    /** Acts; returns the percepts that the action returns (before EIS 0.7). */
    List<situated.Percept> act(String agent, Action action, String entity) throws Throwable {
        Object result = call(performAction, agent, action, new String[] {entity});
        Object found = result instanceof Map ? ((Map<?, ?>) result).get(entity) : null;
        return found == null ? Collections.emptyList() : read(Collections.singletonList(found));
    }

    /** Returns all percepts that hold for an entity. */
    Set<situated.Percept> perceive(String agent, String entity) throws Throwable {
        Method method = getPercepts == null ? getAllPercepts : getPercepts;
        Object result = ((Map<?, ?>) call(method, agent, new String[] {entity})).get(entity);
        if (getPercepts == null) {
            Set<situated.Percept> all = new LinkedHashSet<>();
            if (result != null) {
                all.addAll(read((Collection<?>) result));
            }
            return all;
        }
        Set<situated.Percept> known = held.computeIfAbsent(entity, name -> new LinkedHashSet<>());
        if (result != null) {
            PerceptUpdate update = (PerceptUpdate) result;
            read(update.getDeleteList()).forEach(known::remove);
            known.addAll(read(update.getAddList()));
        }
        return new LinkedHashSet<>(known);
    }

    /** Returns percepts without those that cannot be read, which must not cost the others. */
    List<situated.Percept> read(Collection<?> percepts) {
        List<situated.Percept> read = new ArrayList<>();
        for (Object one : percepts) {
            String name = "null";
            try {
                Percept percept = (Percept) one;
                name = percept.getName();
                read.add(new situated.Percept(name, Iil.parameters(percept)));
            } catch (RuntimeException e) {
                warnings.accept("a percept `" + name + "` was dropped, since it cannot be read: " + e.getMessage());
            }
        }
        return read;
    }

    private static List<String> texts(Object collection) {
        List<String> texts = new ArrayList<>();
        // It may be a view that changes.
        Collections.addAll(texts, ((Collection<?>) collection).toArray(new String[0]));
        return texts;
    }

    /** Calls a method of the environment; throws what the environment throws. */
    private Object call(Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(environment, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
