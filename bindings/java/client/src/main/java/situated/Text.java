package situated;

import java.math.BigDecimal;
import java.util.List;

/** The text of terms, as Prolog reads it. */
final class Text {
    /** The bit in which the exponent of NaN and the infinities differs from that of the floats in [1,2). */
    private static final long SPECIAL = 1L << 62;

    private Text() {}

    /** Returns a name, in quotes unless it is a word that begins with a lower-case letter of ASCII. */
    static String name(String name) {
        return isPlain(name) ? name : quoted(name);
    }

    private static boolean isPlain(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean isLower = c >= 'a' && c <= 'z';
            boolean isOther = c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
            if (!isLower && (i == 0 || !isOther)) {
                return false;
            }
        }
        return !name.isEmpty();
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("'");
        text.codePoints().forEach(c -> {
            switch (c) {
                case '\'': out.append("\\'"); break;
                case '\\': out.append("\\\\"); break;
                case '\n': out.append("\\n"); break;
                case '\t': out.append("\\t"); break;
                case '\r': out.append("\\r"); break;
                default:
                    if (isInvisible(c)) {
                        out.append(String.format("\\x%02X\\", c));
                    } else {
                        out.appendCodePoint(c);
                    }
            }
        });
        return out.append('\'').toString();
    }

    /** Returns whether a character shows nothing, or changes how its neighbours show. */
    private static boolean isInvisible(int c) {
        return Character.isISOControl(c) || c == 0x61C || c == 0x200E || c == 0x200F || c >= 0x2028 && c <= 0x202E
                || c >= 0x2066 && c <= 0x2069 || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
    }

    static String items(char open, List<Parameter> items, char close) {
        StringBuilder out = new StringBuilder().append(open);
        for (int i = 0; i < items.size(); i++) {
            out.append(i == 0 ? "" : ",").append(items.get(i));
        }
        return out.append(close).toString();
    }

    /** Returns a float with a point, so that it stays a float; infinities and NaN as SWI-Prolog writes them. */
    static String number(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            double mantissa = Double.longBitsToDouble(Double.doubleToRawLongBits(value) & ~SPECIAL);
            return mantissa + (Double.isNaN(value) ? "NaN" : "Inf");
        }
        double size = Math.abs(value);
        String text = Double.toString(value);
        if (value == 0 || size >= 1e-3 && size < 1e7) {
            return text;
        }
        if (size < 1e-4 || size >= 1e16) {
            return text.replace('E', 'e');
        }
        String plain = new BigDecimal(text).stripTrailingZeros().toPlainString();
        return plain.indexOf('.') < 0 ? plain + ".0" : plain;
    }

    /** Reads a float as {@link #number} writes infinities and NaN. */
    static double special(String text) {
        boolean isNaN = text.endsWith("NaN");
        if (isNaN || text.endsWith("Inf")) {
            try {
                double mantissa = Double.parseDouble(text.substring(0, text.length() - 3));
                double value = Double.longBitsToDouble(Double.doubleToRawLongBits(mantissa) | SPECIAL);
                boolean isInRange = Math.abs(mantissa) >= 1 && Math.abs(mantissa) < 2;
                if (isInRange && Double.isNaN(value) == isNaN) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // Reported below.
            }
        }
        throw new IllegalArgumentException("`" + text + "` is no numeral; expected one such as 1.0Inf or 1.5NaN");
    }
}
