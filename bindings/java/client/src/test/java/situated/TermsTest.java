package situated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class TermsTest {
    private static final Percept RICH = new Percept("see", 2, 2.0, -0.0, Long.MIN_VALUE, Double.NaN,
            Double.NEGATIVE_INFINITY, 5e-324, 1e300, "Room C1", "true", true, "é\n\u2028\"\\",
            Arrays.asList("a", Collections.emptyList()), new Function("f"), new Function("pos", 1, new Function("g", "x")));

    @Test
    void equality_survives_json() {
        Percept back = Percept.fromJson(RICH.toJson());
        assertEquals(RICH, back);
        assertEquals(RICH.hashCode(), back.hashCode());
        assertEquals(RICH.toJson(), back.toJson());
    }

    @Test
    void different_values_are_not_equal() {
        assertNotEquals(Parameter.of(2), Parameter.of(2.0));
        assertNotEquals(Parameter.of(0.0), Parameter.of(-0.0));
        assertNotEquals(Parameter.of("true"), Parameter.of(true));
        assertNotEquals(Parameter.of("f"), new Function("f"));
        assertNotEquals(new Percept("at", 1), new Action("at", 1));
        assertEquals(Parameter.of(Double.NaN), Parameter.of(Double.NaN));
        assertEquals(Parameter.of((short) 7), Parameter.of(7L));
    }

    @Test
    void prints_terms_as_prolog_reads_them() {
        assertEquals("see(2,2.0,-0.0,-9223372036854775808,1.5NaN,-1.0Inf,4.9e-324,1.0e300,'Room C1','true',true,"
                + "'é\\n\\x2028\\\"\\\\',[a,[]],f(),pos(1,g(x)))", RICH.toString());
        assertEquals("'_x'(123456789.0,0.0001,1.0e16)", new Action("_x", 123456789.0, 1e-4, 1e16).toString());
        assertEquals("skip", new Action("skip").toString());
    }

    @Test
    void reads_whole_numbers_of_64_bits_and_no_larger_ones() {
        Percept largest = Percept.fromJson("{\"name\":\"n\",\"args\":[9223372036854775807,-0]}");
        assertEquals(new Percept("n", Long.MAX_VALUE, -0.0), largest);
        assertThrows(IllegalArgumentException.class,
                () -> Percept.fromJson("{\"name\":\"n\",\"args\":[9223372036854775808]}"));
    }

    @Test
    void refuses_what_is_no_term() {
        for (String json : new String[] {"", "{", "[]", "{\"name\":1}", "{\"args\":[]}", "{\"name\":\"a\",\"x\":1}",
                "{\"name\":\"a\",\"args\":[null]}", "{\"name\":\"a\"} x", "{\"name\":\"a\",\"args\":[01]}",
                "{\"name\":\"a\",\"args\":[1.]}", "{\"name\":\"a\\q\"}", "{\"name\":\"a\n\"}",
                "{\"name\":\"a\",\"args\":[{\"numeral\":\"3.5NaN\"}]}"}) {
            assertThrows(IllegalArgumentException.class, () -> Percept.fromJson(json), json);
        }
        StringBuilder deep = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            deep.append('[');
        }
        assertThrows(IllegalArgumentException.class, () -> Percept.fromJson(deep.toString()));
        assertThrows(IllegalArgumentException.class, () -> new Percept("a", new Object()));
    }
}
