package situated;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The description of a service in the directory. It never changes: {@link #with} returns a copy.
 *
 * <pre>{@code
 * Service.of("plums", "fruit").with("unit", "box")
 * }</pre>
 */
public final class Service {
    private final String name;
    private final String type;
    private final Map<String, String> properties;

    private Service(String name, String type, Map<String, String> properties) {
        this.name = name;
        this.type = type;
        this.properties = Collections.unmodifiableMap(new TreeMap<>(properties));
    }

    /**
     * Returns a service, or a template for services.
     *
     * @param name its name; null for any in a template
     * @param type its type; null for any in a template
     * @return the service without properties
     */
    public static Service of(String name, String type) {
        return new Service(name, type, Collections.emptyMap());
    }

    /**
     * Returns a copy with a property.
     *
     * @param property its name
     * @param value its value, a text or a whole number
     * @return the copy
     */
    public Service with(String property, Object value) {
        Map<String, String> changed = new TreeMap<>(properties);
        changed.put(property, String.valueOf(value));
        return new Service(name, type, changed);
    }

    /**
     * Returns the name.
     *
     * @return the name, or null
     */
    public String name() {
        return name;
    }

    /**
     * Returns the type.
     *
     * @return the type, or null
     */
    public String type() {
        return type;
    }

    /**
     * Returns the properties.
     *
     * @return their values as texts, by name
     */
    public Map<String, String> properties() {
        return properties;
    }

    List<Object> write() {
        List<Object> written = Expressions.list("service-description");
        if (name != null) {
            Collections.addAll(written, ":name", name);
        }
        if (type != null) {
            Collections.addAll(written, ":type", type);
        }
        if (!properties.isEmpty()) {
            List<Object> set = Expressions.list("set");
            properties.forEach((property, value) ->
                    set.add(Expressions.list("property", ":name", property, ":value", value)));
            Collections.addAll(written, ":properties", set);
        }
        return written;
    }

    static Service read(Object expression) {
        List<?> parameters = Expressions.arguments(expression, "service-description");
        Map<String, String> properties = new TreeMap<>();
        List<?> set = Expressions.arguments(Expressions.slot(parameters, "properties"), "set");
        for (Object one : set == null ? Collections.emptyList() : set) {
            List<?> property = Expressions.arguments(one, "property");
            String name = Expressions.text(Expressions.slot(property, "name"));
            Object value = Expressions.slot(property, "value");
            if (name != null && value != null) {
                properties.put(name, value instanceof String ? (String) value : Expressions.write(value));
            }
        }
        return new Service(Expressions.text(Expressions.slot(parameters, "name")),
                Expressions.text(Expressions.slot(parameters, "type")), properties);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Service && Objects.equals(name, ((Service) other).name)
                && Objects.equals(type, ((Service) other).type) && properties.equals(((Service) other).properties);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, type, properties);
    }

    @Override
    public String toString() {
        return Expressions.write(write());
    }
}
