package situated.eis;

import eis.iilang.DataContainer;
import eis.iilang.Function;
import eis.iilang.Identifier;
import eis.iilang.Numeral;
import eis.iilang.Parameter;
import eis.iilang.ParameterList;
import eis.iilang.Percept;
import eis.iilang.TruthValue;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts between the terms of EIS and of environments. A whole number becomes an {@code Integer} if it fits and a
 * {@code Long} otherwise, and a float a {@code Double}: always the same class for the same percept, since the equality
 * of EIS depends on it.
 */
final class Iil {
    /** Maximum nesting of lists and functions in actions. A list of EIS can contain itself. */
    private static final int DEEPEST = 48;

    private static final Method OF_TERM = getParametersOf(DataContainer.class);
    private static final Method OF_FUNCTION = getParametersOf(Function.class);

    private Iil() {}

    static Percept percept(situated.Percept percept) {
        return new Percept(percept.name(), parameters(percept.parameters()));
    }

    static List<Percept> percepts(Iterable<situated.Percept> percepts) {
        List<Percept> converted = new ArrayList<>();
        percepts.forEach(percept -> converted.add(percept(percept)));
        return converted;
    }

    private static Parameter[] parameters(List<situated.Parameter> parameters) {
        Parameter[] converted = new Parameter[parameters.size()];
        for (int i = 0; i < converted.length; i++) {
            converted[i] = parameter(parameters.get(i));
        }
        return converted;
    }

    static Parameter parameter(situated.Parameter parameter) {
        if (parameter instanceof situated.Identifier) {
            return new Identifier(((situated.Identifier) parameter).value());
        } else if (parameter instanceof situated.Numeral) {
            return new Numeral(number((situated.Numeral) parameter));
        } else if (parameter instanceof situated.TruthValue) {
            return new TruthValue(((situated.TruthValue) parameter).value());
        } else if (parameter instanceof situated.ParameterList) {
            return new ParameterList(parameters(((situated.ParameterList) parameter).items()));
        }
        situated.Function function = (situated.Function) parameter;
        return new Function(function.name(), parameters(function.parameters()));
    }

    private static Number number(situated.Numeral numeral) {
        if (!numeral.isWhole()) {
            return numeral.doubleValue();
        }
        long value = numeral.longValue();
        if (value == (int) value) {
            return (int) value;
        }
        return value;
    }

    /** Returns a parameter of EIS; throws {@link IllegalArgumentException} if it cannot be sent. */
    static situated.Parameter read(Parameter parameter) {
        return read(parameter, 0);
    }

    /** Returns the parameters of an action or a percept. */
    static Object[] parameters(DataContainer term) {
        return readAll(get(OF_TERM, term), 0).toArray();
    }

    /** Calls {@code getParameters}, whose type is not the same in all versions of EIS. */
    @SuppressWarnings("unchecked") // It is a list of parameters in all of them.
    private static List<Parameter> get(Method getParameters, Object of) {
        try {
            return (List<Parameter>) getParameters.invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read the parameters of " + of, e);
        }
    }

    private static Method getParametersOf(Class<?> of) {
        try {
            return of.getMethod("getParameters");
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("this is no version of EIS from 0.3 to 0.7", e);
        }
    }

    private static List<situated.Parameter> readAll(Iterable<Parameter> parameters, int depth) {
        if (depth > DEEPEST) {
            throw new IllegalArgumentException("lists and functions are nested more than " + DEEPEST + " levels deep");
        }
        List<situated.Parameter> read = new ArrayList<>();
        parameters.forEach(parameter -> read.add(read(parameter, depth)));
        return read;
    }

    private static situated.Parameter read(Parameter parameter, int depth) {
        if (parameter instanceof Identifier) {
            return new situated.Identifier(((Identifier) parameter).getValue());
        } else if (parameter instanceof Numeral) {
            return numeral(((Numeral) parameter).getValue());
        } else if (parameter instanceof TruthValue) {
            return truth(((TruthValue) parameter).getValue());
        } else if (parameter instanceof ParameterList) {
            return new situated.ParameterList(readAll((ParameterList) parameter, depth + 1));
        } else if (parameter instanceof Function) {
            Function function = (Function) parameter;
            List<situated.Parameter> parameters = readAll(get(OF_FUNCTION, function), depth + 1);
            return new situated.Function(function.getName(), parameters.toArray());
        }
        String what = parameter == null ? "null" : "a value of " + parameter.getClass().getName();
        throw new IllegalArgumentException(
                what + " is no parameter; use an Identifier, Numeral, TruthValue, ParameterList or Function");
    }

    private static situated.Numeral numeral(Number number) {
        if (number instanceof Integer || number instanceof Long || number instanceof Short || number instanceof Byte) {
            return situated.Numeral.of(number.longValue());
        }
        if (number instanceof BigInteger) {
            BigInteger whole = (BigInteger) number;
            if (whole.bitLength() > 63) {
                throw new IllegalArgumentException("the whole number " + whole + " has more than 64 bits");
            }
            return situated.Numeral.of(whole.longValue());
        }
        if (number == null) {
            throw new IllegalArgumentException("a numeral has a number, not null");
        }
        return situated.Numeral.of(number.doubleValue());
    }

    /** Returns a truth value. Those of many-valued logics are identifiers. */
    private static situated.Parameter truth(String word) {
        if ("true".equals(word) || "false".equals(word)) {
            return situated.TruthValue.of("true".equals(word));
        }
        return new situated.Identifier(word);
    }
}
