package situated.jason;

import jason.NoValueException;
import jason.asSyntax.ASSyntax;
import jason.asSyntax.Atom;
import jason.asSyntax.BinaryStructure;
import jason.asSyntax.ListTerm;
import jason.asSyntax.Literal;
import jason.asSyntax.NumberTerm;
import jason.asSyntax.NumberTermImpl;
import jason.asSyntax.Plan;
import jason.asSyntax.PlanBody;
import jason.asSyntax.StringTerm;
import jason.asSyntax.Structure;
import jason.asSyntax.Term;
import jason.asSyntax.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import situated.Action;
import situated.Function;
import situated.Identifier;
import situated.Numeral;
import situated.Parameter;
import situated.ParameterList;
import situated.Percept;
import situated.TruthValue;

/**
 * Converts between terms of environments and of AgentSpeak.
 *
 * <table>
 * <caption>Terms of environments in AgentSpeak</caption>
 * <tr><th>in the environment</th><th>in AgentSpeak</th></tr>
 * <tr><td>identifier, a word that begins with a lower-case letter of ASCII</td><td>the atom: {@code red}</td></tr>
 * <tr><td>any other identifier, and {@code not}, {@code true}, {@code div} and other keywords</td>
 *     <td>the atom in quotes: {@code 'RoomA1'}</td></tr>
 * <tr><td>number</td><td>the number</td></tr>
 * <tr><td>truth value</td><td>{@code true}, {@code false}</td></tr>
 * <tr><td>list</td><td>the list</td></tr>
 * <tr><td>function</td><td>the structure: {@code pos(1,2)}; without parameters, {@code f[function]}</td></tr>
 * </table>
 *
 * <p>Percepts never contain strings. In actions, a string is the identifier with its text, and a whole number is sent
 * as an integer, which environments accept where they declare a float. An operation such as {@code not x} is the
 * function with the name of the operator. Whole numbers beyond 2^53 are rounded by Jason.
 */
final class Literals {
    private static final Pattern PLAIN = Pattern.compile("[a-z][A-Za-z0-9_]*");
    private static final Set<String> KEYWORDS =
            Set.of("not", "true", "false", "div", "mod", "if", "else", "elif", "for", "while");
    private static final String FUNCTION = "function";
    private static final long LARGEST_WHOLE = 1L << 53;

    private Literals() {}

    static Literal literal(Percept percept) {
        return literal(percept.name(), percept.parameters());
    }

    private static Literal literal(String name, List<Parameter> parameters) {
        Term[] terms = parameters.stream().map(Literals::term).toArray(Term[]::new);
        return ASSyntax.createLiteral(functor(name), terms);
    }

    static Term term(Parameter parameter) {
        if (parameter instanceof Identifier identifier) {
            return new Atom(functor(identifier.value()));
        } else if (parameter instanceof Numeral numeral) {
            return new NumberTermImpl(numeral.doubleValue());
        } else if (parameter instanceof TruthValue value) {
            return value.value() ? Literal.LTrue : Literal.LFalse;
        } else if (parameter instanceof ParameterList list) {
            return ASSyntax.createList(list.items().stream().map(Literals::term).toList());
        }
        Function function = (Function) parameter;
        Literal literal = literal(function.name(), function.parameters());
        if (function.parameters().isEmpty()) {
            literal.addAnnot(new Atom(FUNCTION));
        }
        return literal;
    }

    /** Returns whether a parameter contains a whole number that Jason cannot represent. */
    static boolean isRounded(Parameter parameter) {
        if (parameter instanceof Numeral numeral) {
            return numeral.isWhole() && (numeral.longValue() > LARGEST_WHOLE || numeral.longValue() < -LARGEST_WHOLE);
        } else if (parameter instanceof ParameterList list) {
            return list.items().stream().anyMatch(Literals::isRounded);
        }
        return parameter instanceof Function function && function.parameters().stream().anyMatch(Literals::isRounded);
    }

    /** Returns an action; throws {@link IllegalArgumentException} if a term in it cannot be sent. */
    static Action action(Structure action) {
        return new Action(name(action.getFunctor()), parameters(action).toArray());
    }

    /** Returns the entities that an action names in annotations {@code entity(E)}. */
    static String[] entities(Structure action) {
        List<String> entities = new ArrayList<>();
        if (action.hasAnnot()) {
            for (Term annotation : action.getAnnots()) {
                if (annotation instanceof Literal named && named.getFunctor().equals("entity") && named.getArity() == 1) {
                    Parameter entity = parameter(named.getTerm(0));
                    entities.add(entity instanceof Identifier identifier ? identifier.value() : entity.toString());
                }
            }
        }
        return entities.toArray(new String[0]);
    }

    static Parameter parameter(Term term) {
        if (term.isVar()) {
            throw new IllegalArgumentException("the variable " + term + " has no value");
        } else if (term.isNumeric()) {
            return numeral((NumberTerm) term);
        } else if (term instanceof StringTerm string) {
            return new Identifier(string.getString());
        } else if (term instanceof ListTerm list) {
            return new ParameterList(items(list));
        } else if (term.equals(Literal.LTrue) || term.equals(Literal.LFalse)) {
            return TruthValue.of(term.equals(Literal.LTrue));
        } else if (term instanceof Literal literal && !literal.negated() && !isOfPlans(term)) {
            boolean isFunction = literal.getArity() > 0 || literal.hasAnnot(new Atom(FUNCTION));
            // Jason has blanks in the names of operators, such as `not `.
            boolean isOperation = literal instanceof BinaryStructure;
            String name = isOperation ? literal.getFunctor().trim() : name(literal.getFunctor());
            return isFunction ? new Function(name, parameters(literal).toArray()) : new Identifier(name);
        }
        throw new IllegalArgumentException(
                term + " cannot be sent; use atoms, numbers, strings, true, false, lists and structures");
    }

    /** Returns whether a term is a plan or a part of one, which Jason represents by structures of its own. */
    private static boolean isOfPlans(Term term) {
        return term instanceof Plan || term instanceof PlanBody || term instanceof Trigger;
    }

    private static List<Parameter> parameters(Literal literal) {
        List<Parameter> parameters = new ArrayList<>();
        for (int i = 0; i < literal.getArity(); i++) {
            parameters.add(parameter(literal.getTerm(i)));
        }
        return parameters;
    }

    private static List<Parameter> items(ListTerm list) {
        List<Parameter> items = new ArrayList<>();
        ListTerm rest = list;
        for (; !rest.isVar() && !rest.isEmpty(); rest = rest.getNext()) {
            items.add(parameter(rest.getTerm()));
            if (rest.isTail()) {
                throw new IllegalArgumentException("the tail of the list " + list + " has no value");
            }
        }
        return items;
    }

    private static Numeral numeral(NumberTerm term) {
        try {
            double value = term.solve();
            boolean isWhole = value == Math.rint(value) && Math.abs(value) <= LARGEST_WHOLE;
            boolean isNegativeZero = value == 0 && Double.doubleToRawLongBits(value) != 0;
            return isWhole && !isNegativeZero ? Numeral.of((long) value) : Numeral.of(value);
        } catch (NoValueException e) {
            throw new IllegalArgumentException(term + " is no number: " + e.getMessage(), e);
        }
    }

    /** Returns the functor for a name, in quotes if it is no atom in AgentSpeak. */
    static String functor(String name) {
        if (PLAIN.matcher(name).matches() && !KEYWORDS.contains(name)) {
            return name;
        }
        return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    /** Returns the name that a functor stands for. */
    static String name(String functor) {
        int last = functor.length() - 1;
        if (last < 1 || functor.charAt(0) != '\'' || functor.charAt(last) != '\'') {
            return functor;
        }
        StringBuilder name = new StringBuilder();
        for (int i = 1; i < last; i++) {
            boolean isEscaped = functor.charAt(i) == '\\' && i + 1 < last && "\\'".indexOf(functor.charAt(i + 1)) >= 0;
            name.append(functor.charAt(isEscaped ? ++i : i));
        }
        return name.toString();
    }
}
