//! The properties that cargo-fuzz searches, tried on a fixed set of damaged documents.

#[path = "../../../fuzz/src/damage.rs"]
pub mod damage;
#[path = "../../../fuzz/src/notations.rs"]
pub mod fuzz;

use damage::try_damaged;

const CASES: u64 = 20_000;

const TEXT: &[&str] = &[
    "moveTo(2,3)",
    "followPath([pos(1,1),pos(2,1)],speed(10.0))",
    "p(-1,+2,1.5e-3,-0.0,1.0Inf,-1.0Inf,-1.5NaN,9223372036854775807).",
    r#"say('it''s \'\x41\\101\\u0041\U0001F600\n', "RoomC1 ""x""", RoomC1, größe, _x)"#,
    "f(g(),[[],[true,'true'],[false]],'\\\n')",
    "'\\x00\\\\x202E\\\\xFEFF\\'( [ ] , skip ( ) )",
];

const XML: &[&str] = &[
    "<action name=\"moveTo\">\n  <actionParameter>\n    <number value=\"2\"/>\n  </actionParameter>\n</action>\n",
    "<percept name='p'><perceptParameter><parameterList><truthvalue value='true'/><parameterList/>\
     <function name='f'><number value='-1.5NaN'/></function></parameterList></perceptParameter></percept>",
    "<?xml version=\"1.0\"?><!-- a --><?b c?><identifier value=\"&lt;&#10;&#x1F600;&amp;\"/>",
    "<identifier quotedValue=\"'\\x01\\ &quot;\\'&apos;'\"></identifier>",
    "<function quotedName=\"'\\x00\\'\"><identifier value='größe'/></function>",
];

const JSON: &[&str] = &[
    r#"{"name":"moveTo","args":[2,3]}"#,
    r#"{"args": [[{"name": "pos", "args": [1, 1]}, {"name": "f"}], 10.0, -0.0, 1e21], "name": "p"}"#,
    r#"[true, false, "größe", "\u0000\n\"\\\ud83d\ude00", {"numeral": "-1.0Inf"}, {"numeral":"1.5NaN"}]"#,
    r#"[9223372036854775807, -9223372036854775808, 18446744073709551616, 1.7976931348623157e308]"#,
];

#[test]
fn damaged_text() {
    try_damaged(TEXT, CASES, fuzz::text);
}

#[test]
fn damaged_xml() {
    try_damaged(XML, CASES, fuzz::xml);
}

#[test]
fn damaged_json() {
    try_damaged(JSON, CASES, fuzz::json);
}
