package situated.jason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jason.asSemantics.Unifier;
import jason.asSyntax.ASSyntax;
import jason.asSyntax.Literal;
import jason.asSyntax.Structure;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import situated.Action;
import situated.Function;
import situated.Numeral;
import situated.Parameter;
import situated.ParameterList;
import situated.Percept;

class LiteralsTest {
    private static final List<String> NAMES = List.of("a", "roomC1", "Foo", "not", "true", "false", "div", "mod", "if", "_x",
            "é", "Room C1", "", "'", "''", "'a'", "\\", "\\'", "a\\", "\n", "x.y", "1", "[]", "\"q\"", "~a", "f(1)", "日本", "end");

    @Test
    void every_parameter_survives_the_trip() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            Parameter parameter = parameter(random, 3);
            assertEquals(parameter, Literals.parameter(Literals.term(parameter)));
        }
        for (double value : new double[] {-0.0, 5e-324, Double.MAX_VALUE, Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY, Double.NaN}) {
            assertEquals(Parameter.of(value), Literals.parameter(Literals.term(Parameter.of(value))));
        }
        for (String name : NAMES) {
            Action action = new Action(name, name, 1, true);
            Literal literal = Literals.literal(new Percept(name, name, 1, true));
            assertEquals(action, Literals.action((Structure) literal.forceFullLiteralImpl()), name);
        }
    }

    private static Parameter parameter(Random random, int depth) {
        switch (random.nextInt(depth == 0 ? 4 : 6)) {
            case 0: return Parameter.of(NAMES.get(random.nextInt(NAMES.size())));
            case 1: return Parameter.of(random.nextLong() >> (11 + random.nextInt(50)));
            case 2: return Parameter.of(random.nextInt(10) == 0 ? -0.0 : random.nextInt() + 0.1);
            case 3: return Parameter.of(random.nextBoolean());
            case 4: return new ParameterList(parameters(random, depth));
            default: return new Function(NAMES.get(random.nextInt(NAMES.size())), parameters(random, depth).toArray());
        }
    }

    private static List<Parameter> parameters(Random random, int depth) {
        List<Parameter> parameters = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            parameters.add(parameter(random, depth - 1));
        }
        return parameters;
    }

    /** The literal of a percept unifies with the form that users write in their programs. */
    @Test
    void percepts_unify_with_their_documented_forms() throws Exception {
        assertUnifies("at('RoomA1')", new Percept("at", "RoomA1"));
        assertUnifies("at(roomA1)", new Percept("at", "roomA1"));
        assertUnifies("'Foo'('not', 'true', true, 'div', '_x', 'é')",
                new Percept("Foo", "not", "true", true, "div", "_x", "é"));
        assertUnifies("p(2, -1.5, [], [a, [b]])",
                new Percept("p", 2, -1.5, List.of(), List.of("a", List.of("b"))));
        assertUnifies("p(X, f(Y), g[function])", new Percept("p", 2.0, new Function("f", 1), new Function("g")));
        assertUnifies("skip", new Percept("skip"));
        assertFalse(unifies("p(\"a\")", new Percept("p", "a")), "percepts have no strings");
    }

    private static void assertUnifies(String source, Percept percept) throws Exception {
        assertTrue(unifies(source, percept), source + " and " + Literals.literal(percept));
    }

    private static boolean unifies(String source, Percept percept) throws Exception {
        return new Unifier().unifies(ASSyntax.parseLiteral(source), Literals.literal(percept));
    }

    @Test
    void actions_are_read_as_users_write_them() throws Exception {
        assertEquals(new Action("goTo", "RoomA1", "Room A1"), action("goTo('RoomA1', \"Room A1\")"));
        assertEquals(new Action("goTo", -1, 2.5, 3), action("goTo(-1, 2.5, 1 + 2)"));
        assertEquals(new Action("putDown"), action("putDown"));
        assertEquals(new Action("say", new Function("not", "x"), new Function("&", "a", new Function("<", 1, 2))),
                action("say(not(x), a & 1 < 2)"));
        assertEquals(Numeral.of(1e300), Literals.parameter(ASSyntax.parseTerm("1.0e300")));
    }

    private static Action action(String source) throws Exception {
        Literal literal = ASSyntax.parseLiteral(source);
        Literal applied = (Literal) literal.capply(new Unifier());
        return Literals.action(applied instanceof Structure structure ? structure : new Structure(applied));
    }

    @Test
    void what_cannot_be_sent_is_an_error_that_says_so() throws Exception {
        for (String source : List.of("p(X)", "p([a|T])", "p(f(_))", "p(~a)", "p({ a })", "p([{ a; b }])",
                "p({ +!g <- a })", "p({ +!g })")) {
            Literal literal = ASSyntax.parseLiteral(source);
            assertThrows(IllegalArgumentException.class, () -> Literals.action((Structure) literal), source);
        }
    }

    @Test
    void an_action_can_name_its_entities() throws Exception {
        Structure action = (Structure) ASSyntax.parseLiteral("up[entity(red), entity('Bot_1'), other(x)]");
        assertEquals(Set.of("red", "Bot_1"), Set.of(Literals.entities(action)));
        assertEquals(0, Literals.entities((Structure) ASSyntax.parseLiteral("up(1)")).length);
    }

    @Test
    void whole_numbers_that_jason_rounds_are_noticed() {
        assertTrue(Literals.isRounded(Parameter.of(List.of(new Function("f", (1L << 53) + 1)))));
        assertTrue(Literals.isRounded(Parameter.of(Long.MIN_VALUE)));
        assertFalse(Literals.isRounded(Parameter.of(List.of(1L << 53, 1e300))));
    }
}
