//! Every notation preserves every term bit for bit, and no input crashes a reader.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use allocation_counter::measure;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde::de::DeserializeOwned;
use situated::iil::{
    Action, EcoString, Function, MAX_DEPTH, Numeral, PERCEPT_MARGIN, Parameter, Parameters, Percept, SyntaxError,
};

/// Characters with a meaning in some notation, and those that one of them cannot hold as they are.
const SPECIAL: &str = "aZ_09 '\"`\\.,()[]<>&;#{}:-+%|\n\t\r\0\u{1}\u{B}\u{1F}\u{7F}\u{85}\u{61C}\u{200E}\
                       \u{2028}\u{202E}\u{2066}\u{FEFF}\u{FFFD}\u{FFFE}\u{FFFF}\u{10FFFF}éλ日😀";

/// Pieces for generating documents, valid or not.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "a", "f(", "Foo", "_", "true", "false", "'", "\"", "''", "\\", "\\x41\\", "\\u0041", "\\\n", "(", ")", "[",
    "]", ",", ".", "-", "+", "1", "-0", "10.0", "1e5", "1.0Inf", "1.5NaN", "9223372036854775808", " ", "\n",
    "<action name='a'>", "</action>", "<actionParameter>", "</actionParameter>", "<perceptParameter>",
    "<percept name=\"p\"/>", "<parameterList>", "</parameterList>", "<parameterList/>", "<number value='1'/>",
    "<identifier value='", "<identifier quotedValue=\"'", "'/>", "\"/>", "<function name='f'>", "</function>",
    "<truthvalue value='true'/>", "&lt;", "&#10;", "&#xFFFF;", "&", ";", "<", ">", "/>", "<!--", "-->", "<?xml",
    "?>", "<!DOCTYPE", "<![CDATA[", "]]>", "{", "}", "{\"name\":", "\"args\":", "\"numeral\":", ":", "null",
    "\u{FEFF}", "é", "\0",
];

fn name() -> impl Strategy<Value = String> {
    let special = select(SPECIAL.chars().collect::<Vec<_>>());
    prop_oneof![
        vec(prop_oneof![special, any::<char>()], 0..8).prop_map(String::from_iter),
        select(&["a", "roomC1", "RoomC1", "true", "false", "[]", "name", "numeral"][..]).prop_map(String::from),
    ]
}

fn float() -> impl Strategy<Value = f64> {
    let exponent = 0x7FF0_0000_0000_0000;
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        any::<u64>().prop_map(move |bits| f64::from_bits(bits | exponent)),
        any::<i64>().prop_map(|whole| whole as f64),
        any::<i16>().prop_map(|hundredths| f64::from(hundredths) / 100.0),
        (-320..309).prop_map(|exponent| format!("1e{exponent}").parse().unwrap()),
    ]
}

fn parameter() -> impl Strategy<Value = Parameter> {
    let leaf = prop_oneof![
        name().prop_map(|name| Parameter::Identifier(name.into())),
        any::<i64>().prop_map(Parameter::from),
        (-2..3i64).prop_map(Parameter::from),
        float().prop_map(Parameter::from),
        any::<bool>().prop_map(Parameter::from),
    ];
    leaf.prop_recursive(6, 48, 4, |inner| {
        let parameters = vec(inner, 0..4);
        prop_oneof![
            parameters.clone().prop_map(Parameter::from),
            (name(), parameters).prop_map(|(name, items)| Function::new(name, items).into()),
        ]
    })
}

fn compound() -> impl Strategy<Value = (EcoString, Vec<Parameter>)> {
    (name().prop_map(EcoString::from), vec(parameter(), 0..4))
}

fn document() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(select(PIECES), 0..24).prop_map(|pieces| pieces.concat()),
        vec(any::<char>(), 0..24).prop_map(String::from_iter),
    ]
}

type Reader<T> = fn(&str) -> Result<T, SyntaxError>;

/// The three notations of a type.
struct Notations<T> {
    readers: [Reader<T>; 3],
    printers: [fn(&T) -> String; 3],
}

const PARAMETER: Notations<Parameter> = Notations {
    readers: [str::parse, Parameter::from_xml, Parameter::from_json],
    printers: [Parameter::to_string, Parameter::to_xml, Parameter::to_json],
};

const ACTION: Notations<Action> = Notations {
    readers: [str::parse, Action::from_xml, Action::from_json],
    printers: [Action::to_string, Action::to_xml, Action::to_json],
};

const PERCEPT: Notations<Percept> = Notations {
    readers: [str::parse, Percept::from_xml, Percept::from_json],
    printers: [Percept::to_string, Percept::to_xml, Percept::to_json],
};

impl<T: Clone + Debug + PartialEq + Serialize + DeserializeOwned> Notations<T> {
    fn assert_round_trips(&self, value: &T) {
        for (read, print) in self.readers.iter().zip(self.printers) {
            let printed = print(value);
            assert_eq!(read(&printed).as_ref(), Ok(value), "{printed}");
        }
        let bytes = postcard::to_allocvec(value).unwrap();
        assert_eq!(&postcard::from_bytes::<T>(&bytes).unwrap(), value);
    }

    /// Checks that it is rejected because it is nested too deeply.
    fn assert_refused(&self, value: &T) {
        for (read, print) in self.readers.iter().zip(self.printers) {
            let error = read(&print(value)).unwrap_err();
            assert_eq!(error.expected, "at most 48 levels of lists and functions, 52 in a percept");
        }
        let bytes = postcard::to_allocvec(value).unwrap();
        assert!(postcard::from_bytes::<T>(&bytes).is_err());
    }

    fn assert_survives(&self, text: &str) {
        for (read, print) in self.readers.iter().zip(self.printers) {
            match read(text) {
                Ok(value) => assert_eq!(read(&print(&value)), Ok(value), "{text}"),
                Err(error) => assert_lies_in(&error, text),
            }
        }
    }
}

fn assert_lies_in(error: &SyntaxError, text: &str) {
    let line = text.split('\n').nth(error.line - 1).expect("the line exists");
    assert!((1..=line.chars().count() + 1).contains(&error.column), "{error} in {text:?}");
    assert!(!error.found.is_empty() && !error.expected.is_empty());
}

/// Finds a token outside quotes that Prolog would read as a variable, or could not read.
fn unquoted_variable(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let begins = !before.is_ascii_alphanumeric() && before != '_';
        if c == '\'' {
            skip_quoted(&mut chars);
        } else if !c.is_ascii_graphic() || begins && (c.is_ascii_uppercase() || c == '_') {
            return Some(c);
        }
        before = c;
    }
    None
}

fn skip_quoted(chars: &mut std::str::Chars<'_>) {
    while let Some(c) = chars.next() {
        match c {
            '\'' => return,
            '\\' if chars.next() == Some('x') => assert!(chars.any(|c| c == '\\')),
            _ => {}
        }
    }
    panic!("a quote is not closed");
}

fn hash(value: &Parameter) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn parameters_round_trip(value in parameter()) {
        PARAMETER.assert_round_trips(&value);
    }

    #[test]
    fn containers_round_trip((name, parameters) in compound()) {
        ACTION.assert_round_trips(&Action::new(name.clone(), parameters.clone()));
        PERCEPT.assert_round_trips(&Percept::new(name.clone(), parameters.clone()));

        let function = Function::new(name, parameters);
        prop_assert_eq!(function.to_string().parse(), Ok(function.clone()));
        prop_assert_eq!(Function::from_json(&function.to_json()), Ok(function));
    }

    #[test]
    fn nothing_printed_is_a_variable((name, parameters) in compound()) {
        let texts = [
            Parameter::from(name.as_str()).to_string(),
            Function::new(name.clone(), parameters.clone()).to_string(),
            Action::new(name.clone(), parameters.clone()).to_string(),
            Percept::new(name, parameters).to_string(),
        ];
        for text in texts {
            prop_assert_eq!(unquoted_variable(&text), None, "{}", text);
        }
    }

    #[test]
    fn floats_stay_floats(value in float()) {
        let text = Numeral::Float(value).to_string();
        let dot = text.find('.').expect("a float has a dot");
        let digits = text.as_bytes();
        prop_assert!(digits[dot - 1].is_ascii_digit() && digits[dot + 1].is_ascii_digit(), "{}", text);
    }

    #[test]
    fn no_text_brings_a_reader_down(text in document()) {
        PARAMETER.assert_survives(&text);
        ACTION.assert_survives(&text);
        PERCEPT.assert_survives(&text);
    }

    /// A list of numbers is not dropped one by one, so everything else that a list may own is looked at here.
    #[test]
    fn lists_of_parameters_keep_and_free_what_they_own(all in vec(parameter(), 0..6), more in parameter()) {
        let allocated = measure(|| {
            let (once, twice) = (vec![more.clone()], vec![more.clone(); 2]);
            let mut parameters: Parameters = all.iter().cloned().collect();
            parameters.push(more.clone());
            let copy = parameters.clone();
            assert_eq!(parameters.pop().as_ref(), Some(&more));
            parameters.extend(twice.clone());
            assert_eq!(parameters.into_iter().collect::<Vec<_>>(), [&all[..], &twice].concat());
            assert_eq!(copy[..], [&all[..], &once].concat());
            assert_eq!(Parameters::from([more.clone(), more.clone()])[..], twice);
            assert_eq!(Parameter::from(copy), Parameter::from([&all[..], &once].concat()));
        });
        prop_assert_eq!(allocated.count_current, 0, "{} allocations", allocated.count_total);
    }

    #[test]
    fn order_is_total(mut values in vec(parameter(), 0..8)) {
        values.extend_from_within(..values.len() / 2);
        values.sort();
        for (index, a) in values.iter().enumerate() {
            for b in &values[index..] {
                prop_assert_ne!(a.cmp(b), Ordering::Greater);
                prop_assert_eq!(a.cmp(b), b.cmp(a).reverse());
                prop_assert_eq!(a == b, a.cmp(b) == Ordering::Equal);
                prop_assert!(a != b || hash(a) == hash(b));
                prop_assert_eq!(a == b, a.to_string() == b.to_string());
            }
        }
        let distinct = values.iter().collect::<BTreeSet<_>>().len();
        values.dedup();
        prop_assert_eq!(distinct, values.len());
    }
}

#[test]
fn large_texts_return_promptly() {
    let million = 1 << 20;
    let repeated = |piece: &str| piece.repeat(million / piece.len());
    let digits = repeated("7");
    let items = vec![Parameter::from(1); million / 2];
    let list = Parameter::from(items);
    let long = Parameter::from(repeated("'\\ \0é").as_str());
    for value in [&list, &long] {
        PARAMETER.assert_round_trips(value);
    }

    let texts = [
        repeated("["),
        repeated("f("),
        repeated("[1,"),
        repeated("'"),
        repeated("\\"),
        format!("'{}", repeated("a")),
        format!("'{}", repeated("\\x41\\")),
        format!("\"{}", repeated("\\u0041")),
        format!("'{}", repeated("\\u004141")),
        format!("'\\x{}\\'", repeated("0")),
        format!("1.{digits}"),
        format!("1e{digits}"),
        format!("1.{digits}NaN"),
        digits,
        repeated(" "),
        repeated("\n"),
        repeated("<parameterList>"),
        repeated("<function name='f'>"),
        repeated("<!-- -->"),
        repeated("<!--"),
        repeated("<"),
        repeated("&amp;"),
        format!("<identifier value='{}'/>", repeated("&amp;")),
        format!("<identifier value='{}'/>", repeated("&")),
        format!("<identifier {}/>", repeated("a='' ")),
        format!("<parameterList>{}</parameterList>", repeated("<number value='1'/>")),
        format!("<{}/>", repeated("a")),
        format!("[{}", repeated("[],")),
        repeated("{\"name\":"),
        repeated("{\"name\":\"f\",\"args\":["),
        format!("{{\"{}\": 1}}", repeated("a")),
    ];
    for text in texts {
        PARAMETER.assert_survives(&text);
        ACTION.assert_survives(&text);
    }
}

/// An environment can pass on and negate the deepest term of an agent, and it fits into envelopes.
#[test]
fn messages_of_agents_can_be_passed_on() {
    for nest in [|inner| Parameter::from(vec![inner]), |inner| Function::new("f", [inner]).into()] {
        // This number is an object in JSON, which adds a level.
        let nested = |depth| (0..depth).fold(Parameter::from(f64::NAN), |inner, _| nest(inner));
        PARAMETER.assert_round_trips(&nested(MAX_DEPTH));
        PARAMETER.assert_refused(&nested(MAX_DEPTH + 1));

        let said = Action::new("say", [nested(MAX_DEPTH)]);
        ACTION.assert_round_trips(&said);
        ACTION.assert_refused(&Action::new("say", [nested(MAX_DEPTH + 1)]));

        let denied = Percept::new("heard", [nested(MAX_DEPTH + PERCEPT_MARGIN - 1)]).negated();
        PERCEPT.assert_round_trips(&denied);
        PERCEPT.assert_refused(&denied.clone().negated());

        for json in [said.to_json(), denied.to_json()] {
            let envelope = "[".repeat(16) + &json + &"]".repeat(16);
            assert!(serde_json::from_str::<serde_json::Value>(&envelope).is_ok());
        }
    }
}

#[test]
fn integers_of_all_types_are_parameters() {
    let smallest: [Parameter; 4] = [i8::MIN.into(), i16::MIN.into(), i32::MIN.into(), i64::MIN.into()];
    let values = [-128, -32_768, -2_147_483_648, i64::MIN];
    assert_eq!(smallest, values.map(|value| Parameter::Numeral(Numeral::Integer(value))));
    let largest: [Parameter; 4] = [u8::MAX.into(), u16::MAX.into(), u32::MAX.into(), i64::MAX.into()];
    let values = [255, 65_535, 4_294_967_295, i64::MAX];
    assert_eq!(largest, values.map(|value| Parameter::Numeral(Numeral::Integer(value))));
    let digits = Parameter::Identifier("18446744073709551615".into());
    assert_eq!([Parameter::from(u64::MAX), Parameter::from(u64::MAX as usize)], [digits.clone(), digits]);
}

#[test]
fn deep_bytes_are_an_error() {
    let text = "[".repeat(100_000);
    let bytes = postcard::to_allocvec(&text).unwrap();
    assert!(postcard::from_bytes::<Parameter>(&bytes).is_err());
}
