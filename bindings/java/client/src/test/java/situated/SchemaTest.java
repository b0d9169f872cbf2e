package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The client uses only what the schema of the protocol has, and needs nothing there that is optional. */
class SchemaTest {
    private static final Map<String, Object> SCHEMA = schema();
    private static final Map<String, Object> DEFINITIONS = Data.object(SCHEMA.get("$defs"));

    @Test
    void reads_fields_that_the_schema_has() {
        Moment moment = new Moment(example("Moment", true, new TreeSet<>()));
        reads("Moment", Moment::new);
        reads("Greeting", Greeting::new);
        reads("Percept", json -> Terms.percepts(Collections.singletonList(json)));
        reads("Error", SituatedException.Refused::read);
        reads("EntityPerception", json -> new Memory().take(json, moment));
        reads("Acted", json -> new Acted(new Moment(json.get("moment")), json.get("results"), Collections.emptyMap()));
    }

    @Test
    void messages_have_fields_that_the_schema_has() throws ReflectiveOperationException {
        AclMessage empty = new AclMessage(example("AclMessage", false, new TreeSet<>()));
        AclMessage full = new AclMessage(example("AclMessage", true, new TreeSet<>()));
        Set<String> written = new TreeSet<>(empty.withParameter("X-a", "b").json().keySet());
        int fields = 0;
        for (Method method : AclMessage.class.getDeclaredMethods()) {
            Class<?>[] takes = method.getParameterTypes();
            boolean isRead = takes.length == 0 && Arrays.asList(String.class, List.class).contains(method.getReturnType());
            if (isRead) {
                method.invoke(empty);
                Object value = method.invoke(full);
                assertTrue(value instanceof String || value instanceof List && !((List<?>) value).isEmpty(), method.getName());
                fields++;
            } else if (method.getName().startsWith("with") && Arrays.equals(takes, new Class<?>[] {String.class})) {
                written.addAll(((AclMessage) method.invoke(empty, "x")).json().keySet());
            }
        }
        assertTrue(fields > 8 && written.size() > 6, fields + " fields, " + written);
        assertKnown(properties("AclMessage"), written, "AclMessage");
    }

    @Test
    void calls_methods_with_parameters_that_the_schema_has() throws IOException {
        Map<String, Object> methods = Data.object(SCHEMA.get("methods"));
        // Those of frames and errors are not in the definitions.
        Set<String> read = new HashSet<>(Arrays.asList("id", "method", "params", "result", "kind", "details", "numeral"));
        DEFINITIONS.keySet().forEach(name -> read.addAll(properties(name)));
        int calls = 0;
        for (File file : new File(Server.root(), "bindings/java/client/src/main/java/situated").listFiles()) {
            String source = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
            assertKnown(read, found("\\.get\\(\"(\\w+)\"\\)", source).collect(Collectors.toSet()), file.getName());
            Matcher call = Pattern.compile("\\bcall\\(\"(\\w+)\"([^;]*);").matcher(source);
            while (call.find()) {
                assertTrue(methods.containsKey(call.group(1)), call.group());
                String parameters = reference(Data.object(methods.get(call.group(1))).get("parameters"));
                assertKnown(properties(parameters), found("\"(\\w+)\",", call.group(2)).collect(Collectors.toSet()), call.group());
                calls++;
            }
        }
        assertTrue(calls > 15, calls + " calls");
    }

    /** Reads an example with all fields, and one with those that are required. */
    private static void reads(String definition, Consumer<Map<String, Object>> reader) {
        for (boolean isFull : new boolean[] {true, false}) {
            Set<String> unknown = new TreeSet<>();
            reader.accept(example(definition, isFull, unknown));
            assertEquals(Collections.emptySet(), unknown);
        }
    }

    private static void assertKnown(Set<String> known, Set<String> used, String where) {
        Set<String> unknown = new TreeSet<>(used);
        unknown.removeAll(known);
        assertEquals(Collections.emptySet(), unknown, where);
    }

    private static Stream<String> found(String pattern, String text) {
        Stream.Builder<String> names = Stream.builder();
        for (Matcher matcher = Pattern.compile(pattern).matcher(text); matcher.find();) {
            names.add(matcher.group(1));
        }
        return names.build();
    }

    /** Returns the names of the fields of a definition, or of all its alternatives. */
    private static Set<String> properties(String definition) {
        Map<String, Object> of = definition(definition);
        Set<String> names = new HashSet<>();
        Stream.concat(Stream.of(of), Data.list(of.get("oneOf")).stream().map(Data::object))
                .filter(one -> one.containsKey("properties"))
                .forEach(one -> names.addAll(Data.object(one.get("properties")).keySet()));
        return names;
    }

    /** Returns an object of a definition, with all fields or only those that are required. */
    private static Map<String, Object> example(String definition, boolean isFull, Set<String> unknown) {
        return Data.object(value(definition(definition), isFull, unknown));
    }

    private static Object value(Map<String, Object> schema, boolean isFull, Set<String> unknown) {
        for (String alternatives : new String[] {"anyOf", "oneOf"}) {
            if (schema.containsKey(alternatives)) {
                return value(Data.object(Data.list(schema.get(alternatives)).get(0)), isFull, unknown);
            }
        }
        if (schema.containsKey("$ref")) {
            return value(definition(reference(schema)), isFull, unknown);
        }
        if (schema.containsKey("const")) {
            return schema.get("const");
        }
        Object type = schema.get("type");
        switch (String.valueOf(type instanceof List ? ((List<?>) type).get(0) : type)) {
            case "object":
                return object(schema, isFull, unknown);
            case "array":
                List<?> items = schema.containsKey("prefixItems") ? Data.list(schema.get("prefixItems"))
                        : isFull ? Collections.singletonList(schema.get("items")) : Collections.emptyList();
                return items.stream().map(item -> value(Data.object(item), isFull, unknown)).collect(Collectors.toList());
            case "string":
                return "x";
            case "integer":
                return 1L;
            case "number":
                return 1.0;
            case "boolean":
                return true;
            default:
                return null;
        }
    }

    /** Returns an object that notes the names of fields that are read and that the schema does not have. */
    private static Map<String, Object> object(Map<String, Object> schema, boolean isFull, Set<String> unknown) {
        Map<String, Object> fields = schema.containsKey("properties") ? Data.object(schema.get("properties")) : Collections.emptyMap();
        List<?> required = Data.list(schema.get("required"));
        Map<String, Object> made = new LinkedHashMap<String, Object>() {
            private static final long serialVersionUID = 1;

            @Override
            public Object get(Object field) {
                if (!fields.containsKey(field)) {
                    unknown.add(field + " of: " + schema.get("description"));
                }
                return super.get(field);
            }
        };
        fields.forEach((name, field) -> {
            if (isFull || required.contains(name)) {
                made.put(name, value(Data.object(field), isFull, unknown));
            }
        });
        return made;
    }

    private static Map<String, Object> definition(String name) {
        return Data.object(DEFINITIONS.get(name));
    }

    private static String reference(Object schema) {
        return Data.text(Data.object(schema).get("$ref")).replace("#/$defs/", "");
    }

    private static Map<String, Object> schema() {
        try {
            byte[] text = Files.readAllBytes(new File(Server.root(), "crates/wire/schema.json").toPath());
            return Data.object(Json.read(new String(text, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
