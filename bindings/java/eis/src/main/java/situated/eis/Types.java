package situated.eis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import situated.Function;
import situated.Identifier;
import situated.Numeral;
import situated.Parameter;
import situated.ParameterList;
import situated.TruthValue;

/**
 * The types of the parameters of an environment. Some platforms write all values as identifiers, or all numbers as
 * floats. Where the environment declares a truth value or a number, {@code "true"} and {@code "2"} stand for those, and
 * {@code 2.0} for a whole number.
 */
final class Types {
    private final Map<?, ?> named;
    private final Map<String, Object> parameters = new HashMap<>();
    private final Map<String, List<Object>> actions = new HashMap<>();

    /** Reads an ontology, as the protocol writes it. */
    Types(Map<String, Object> ontology) {
        named = (Map<?, ?>) ontology.getOrDefault("types", Collections.emptyMap());
        for (Map<?, ?> field : objects(ontology.get("parameters"))) {
            parameters.put((String) field.get("name"), field.get("type"));
        }
        for (Map<?, ?> entityType : objects(ontology.get("entityTypes"))) {
            for (Map<?, ?> action : objects(entityType.get("actions"))) {
                List<Object> types = new ArrayList<>();
                objects(action.get("parameters")).forEach(field -> types.add(field.get("type")));
                actions.put(key((String) action.get("name"), types.size()), types);
            }
        }
    }

    @SuppressWarnings("unchecked") // The protocol has lists of objects here.
    private static List<Map<?, ?>> objects(Object json) {
        return json == null ? Collections.emptyList() : (List<Map<?, ?>>) json;
    }

    private static String key(String name, int count) {
        return name + '/' + count;
    }

    /** Returns the parameters of an episode with their declared types. */
    Map<String, Parameter> fitAll(Map<String, Parameter> given) {
        Map<String, Parameter> fitted = new HashMap<>();
        given.forEach((name, value) -> fitted.put(name, fit(parameters.get(name), value)));
        return fitted;
    }

    /** Gives the parameters of an action their declared types. */
    void fit(String action, Object[] given) {
        List<Object> types = actions.get(key(action, given.length));
        for (int i = 0; types != null && i < given.length; i++) {
            given[i] = fit(types.get(i), (Parameter) given[i]);
        }
    }

    private Parameter fit(Object declared, Parameter given) {
        Object type = declared;
        if (type instanceof Map && ((Map<?, ?>) type).get("named") != null) {
            Object of = named.get(((Map<?, ?>) type).get("named"));
            type = of == null ? null : ((Map<?, ?>) of).get("type");
        }
        if ("truthValue".equals(type)) {
            return truth(given);
        } else if ("number".equals(type)) {
            return number(given);
        } else if (!(type instanceof Map)) {
            return given;
        }
        Map<?, ?> parts = (Map<?, ?>) type;
        if (parts.containsKey("integer")) {
            return whole(number(given));
        } else if (parts.containsKey("list") && given instanceof ParameterList) {
            List<Parameter> items = new ArrayList<>();
            ((ParameterList) given).forEach(item -> items.add(fit(parts.get("list"), item)));
            return new ParameterList(items);
        } else if (parts.containsKey("function") && given instanceof Function) {
            return fit((Map<?, ?>) parts.get("function"), (Function) given);
        }
        return given;
    }

    private Function fit(Map<?, ?> signature, Function given) {
        Object[] fitted = given.parameters().toArray();
        List<Map<?, ?>> fields = objects(signature.get("parameters"));
        for (int i = 0; i < Math.min(fitted.length, fields.size()); i++) {
            fitted[i] = fit(fields.get(i).get("type"), (Parameter) fitted[i]);
        }
        return new Function(given.name(), fitted);
    }

    private static Parameter truth(Parameter given) {
        String word = given instanceof Identifier ? ((Identifier) given).value() : "";
        return word.equals("true") || word.equals("false") ? TruthValue.of(word.equals("true")) : given;
    }

    private static Parameter number(Parameter given) {
        String text = given instanceof Identifier ? ((Identifier) given).value() : "";
        if (text.matches("-?[0-9]{1,18}")) {
            return Numeral.of(Long.parseLong(text));
        }
        return text.matches("-?[0-9]+\\.[0-9]+") ? Numeral.of(Double.parseDouble(text)) : given;
    }

    private static Parameter whole(Parameter given) {
        if (given instanceof Numeral && !((Numeral) given).isWhole()) {
            double value = ((Numeral) given).doubleValue();
            return value == Math.rint(value) && Math.abs(value) < 1L << 53 ? Numeral.of((long) value) : given;
        }
        return given;
    }
}
