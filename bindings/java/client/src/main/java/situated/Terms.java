package situated;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Reads terms and parameters from JSON, as {@link Json#read} returns it. */
final class Terms {
    private Terms() {}

    static Action action(Object json) {
        return new Action(name(json, "action"), parameters(json));
    }

    static Percept percept(Object json) {
        return new Percept(name(json, "percept"), parameters(json));
    }

    static List<Percept> percepts(Object json) {
        List<Percept> percepts = new ArrayList<>();
        Data.list(json).forEach(one -> percepts.add(percept(one)));
        return percepts;
    }

    static Parameter parameter(Object json) {
        if (json instanceof Map) {
            Map<?, ?> object = (Map<?, ?>) json;
            if (object.size() == 1 && object.get("numeral") instanceof String) {
                return Numeral.of(Text.special((String) object.get("numeral")));
            }
            return new Function(name(json, "function"), parameters(json));
        }
        return json instanceof List ? new ParameterList(Arrays.asList(parameters((List<?>) json))) : Parameter.of(json);
    }

    private static String name(Object json, String kind) {
        if (json instanceof Map) {
            Map<?, ?> object = (Map<?, ?>) json;
            Object name = object.get("name");
            int known = object.containsKey("args") ? 2 : 1;
            if (name instanceof String && object.size() == known) {
                return (String) name;
            }
        }
        throw new IllegalArgumentException(
                Data.excerpt(Json.write(json)) + " is no " + kind + "; expected an object with `name` and `args`");
    }

    private static Object[] parameters(Object json) {
        return parameters(Data.list(((Map<?, ?>) json).get("args")));
    }

    private static Object[] parameters(List<?> items) {
        Object[] parameters = new Object[items.size()];
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] = parameter(items.get(i));
        }
        return parameters;
    }
}
