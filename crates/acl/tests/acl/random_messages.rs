//! Random messages that all encodings can express.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use situated_acl::{
    AgentIdentifier, Content, Expression, Message, Number, Performative, Time, TimeKind, UserParameter, Word,
};

/// Any message that all encodings can express.
pub(crate) fn message() -> impl Strategy<Value = Message<'static>> {
    let who = (proptest::sample::select(Performative::ALL.to_vec()), option::of(agent()), agents(), agents());
    let what = (option::of(content()), value(), value(), value());
    let which = (option::of(word()), value(), value(), value());
    let rest = (option::of(time()), user_parameters());
    (who, what, which, rest).prop_map(|(who, what, which, rest)| {
        let (performative, sender, receivers, reply_to) = who;
        let (content, language, encoding, ontology) = what;
        let (protocol, conversation_id, reply_with, in_reply_to) = which;
        let (reply_by, user_parameters) = rest;
        Message {
            performative,
            sender,
            receivers,
            reply_to,
            content,
            language,
            encoding,
            ontology,
            protocol,
            conversation_id,
            reply_with,
            in_reply_to,
            reply_by,
            user_parameters,
        }
    })
}

fn value() -> impl Strategy<Value = Option<Expression<'static>>> {
    option::of(expression())
}

/// Texts with characters that are likely to be misinterpreted, and with any others.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let likely = "[ \\t\\n\\r\\\\\"'#:()<>&;a-z0-9.+@é-]{0,12}";
    let word_like = "[a-z][a-z0-9-]{0,8}";
    let any = "[^\u{0}]{0,12}";
    prop_oneof![likely, word_like, any]
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..20), vec(any::<u8>(), 250..260), text().prop_map(String::into_bytes)]
}

fn content() -> impl Strategy<Value = Content<'static>> {
    prop_oneof![text().prop_map(Content::from), bytes().prop_map(Content::from)]
}

fn word() -> impl Strategy<Value = Word<'static>> {
    "[a-zA-Zé+.'!][a-zA-Z0-9é\"'#@:.&<>+-]{0,10}".prop_filter_map("no word", |text| Word::new(text).ok())
}

fn number() -> impl Strategy<Value = Number<'static>> {
    "[+-]?([0-9]{1,12}|[0-9]{1,5}\\.[0-9]{0,3}|\\.[0-9]{1,3})([eE][+-]?[0-9]{1,3})?"
        .prop_filter_map("no number", |text| Number::new(text).ok())
}

pub(crate) fn time() -> impl Strategy<Value = Time> {
    let moments = -62_167_219_200_000_i64..253_402_300_800_000;
    let zones = option::of(proptest::sample::select((b'A'..=b'Z').chain(b'a'..=b'z').collect::<Vec<_>>()));
    let absolute = (moments, zones.clone()).prop_map(|(moment, zone)| Time { zone, ..Time::at(moment) });
    let kinds = proptest::sample::select(vec![TimeKind::After, TimeKind::Before]);
    let parts = (0..10_000_u16, 0..100_u8, 0..100_u8, 0..100_u8, 0..100_u8, 0..100_u8, 0..1000_u16);
    let relative = (kinds, parts, zones).prop_map(|(kind, parts, zone)| {
        let (year, month, day, hour, minute, second, millisecond) = parts;
        Time { kind, year, month, day, hour, minute, second, millisecond, zone }
    });
    prop_oneof![absolute, relative]
}

fn expression() -> impl Strategy<Value = Expression<'static>> {
    let leaf = prop_oneof![
        word().prop_map(Expression::Word),
        text().prop_map(|text| Expression::String(text.into())),
        bytes().prop_map(|bytes| Expression::Bytes(bytes.into())),
        number().prop_map(Expression::Number),
        time().prop_map(Expression::Time),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| vec(inner, 0..5).prop_map(Expression::List))
}

pub(crate) fn user_parameters() -> impl Strategy<Value = Vec<UserParameter<'static>>> {
    let parameter = ("[a-z]{1,6}", expression())
        .prop_map(|(name, value)| UserParameter { name: Word::new(format!("X-{name}")).expect("a word"), value });
    // Names are unique.
    vec(parameter, 0..3).prop_map(|mut all| {
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all.dedup_by(|a, b| a.name == b.name);
        all
    })
}

pub(crate) fn agents() -> impl Strategy<Value = Vec<AgentIdentifier<'static>>> {
    vec(agent(), 0..3)
}

fn agent() -> impl Strategy<Value = AgentIdentifier<'static>> {
    let name = prop_oneof![word().prop_map(|word| word.to_string()), "[a-z (\\\\\")é:0-9]{1,10}"];
    let address = "[a-z]{2,5}://[a-z0-9./:%-]{1,12}".prop_map(Into::into);
    let leaf = (name, vec(address, 0..3), user_parameters()).prop_map(|(name, addresses, user_parameters)| {
        AgentIdentifier { name: name.into(), addresses, resolvers: Vec::new(), user_parameters }
    });
    leaf.prop_recursive(2, 4, 2, |inner| {
        (inner.clone(), vec(inner, 0..3)).prop_map(|(agent, resolvers)| AgentIdentifier { resolvers, ..agent })
    })
}
