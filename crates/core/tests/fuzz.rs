//! The properties that cargo-fuzz searches, tried on a fixed set of damaged documents.

#[path = "../../../fuzz/src/notations.rs"]
pub mod fuzz;

use std::panic::catch_unwind;

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
    try_damaged(TEXT, fuzz::text);
}

#[test]
fn damaged_xml() {
    try_damaged(XML, fuzz::xml);
}

#[test]
fn damaged_json() {
    try_damaged(JSON, fuzz::json);
}

fn try_damaged(documents: &[&str], property: fn(&[u8])) {
    for document in documents {
        property(document.as_bytes());
    }
    for seed in 1..=CASES {
        let data = Damage { state: seed }.damaged(documents);
        if catch_unwind(|| property(&data)).is_err() {
            panic!("seed {seed}: {:?}", String::from_utf8_lossy(&data));
        }
    }
}

/// A source of damage: xorshift64*, of which a seed gives the same damage everywhere.
struct Damage {
    state: u64,
}

impl Damage {
    fn damaged(&mut self, documents: &[&str]) -> Vec<u8> {
        let mut data = documents[self.below(documents.len())].as_bytes().to_vec();
        for _ in 0..=self.below(4) {
            self.damage(&mut data, documents);
        }
        data
    }

    fn damage(&mut self, data: &mut Vec<u8>, documents: &[&str]) {
        let at = self.below(data.len() + 1);
        let end = (at + 1 + self.below(8)).min(data.len());
        match self.below(5) {
            0 if at < data.len() => data[at] ^= 1 << self.below(8),
            1 if at < data.len() => data[at] = self.below(128) as u8,
            2 => drop(data.drain(at..end)),
            3 => data.extend_from_within(at..end),
            _ => {
                let other = documents[self.below(documents.len())].as_bytes();
                let from = self.below(other.len());
                let length = self.below(other.len() - from + 1);
                data.splice(at..end, other[from..from + length].iter().copied());
            }
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}
