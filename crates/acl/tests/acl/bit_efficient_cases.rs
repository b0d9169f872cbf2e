//! Accepted and rejected bit-efficient data, byte by byte.

use proptest::prelude::*;
use situated_acl::bit_efficient::{Reason, RepairKind, decode, decode_leniently, decode_prefix, encode};
use situated_acl::{
    AgentIdentifier, Content, Expression, Message, Number, Performative, Time, Unencodable, UserParameter, Word,
};

use crate::random_messages::message;

fn reason(data: &[u8]) -> Reason {
    decode(data).expect_err("it is refused").reason
}

fn number(text: &str) -> Expression<'_> {
    Expression::Number(Number::new(text).unwrap())
}

fn word(text: &str) -> Expression<'_> {
    Expression::Word(Word::new(text).unwrap())
}

#[test]
fn b01_an_act_alone() {
    assert_eq!(decode(&bytes("fa101301")), Ok(Message::request()));
    assert_eq!(encode(&Message::request()), Ok(bytes("fa101301")));
}

#[test]
fn b02_encodes_a_complete_message_byte_by_byte() {
    let data = bytes(
        "fa10080202106140700001030210624071000210687474703a2f2f682f6163630001010104142268656c6c6f2200062431411428285751\
         11105a0c10666970612d72657175657374000d1063310001",
    );
    let message = decode(&data).unwrap();
    let expected = Message::inform()
        .from("a@p")
        .to(AgentIdentifier::new("b@q").address("http://h/acc"))
        .content("hello")
        .reply_by("20300317T174640000Z".parse().unwrap())
        .protocol(Word::new("fipa-request").unwrap())
        .conversation_id("c1");
    assert_eq!(message, expected);
    assert_eq!((encode(&message), data.len()), (Ok(data.clone()), 79));
}

#[test]
fn b03_numbers() {
    let data = bytes("fa100805123111172121410001");
    assert_eq!(decode(&data).unwrap().reply_with, Some(number("200006101030")));
    assert_eq!(encode(&decode(&data).unwrap()), Ok(data));
}

#[test]
fn b04_lists() {
    let expected = Expression::List(vec![word("ab"), number("12"), Expression::String("s".into())]);
    assert_eq!(decode(&bytes("fa100805601061620012230014227322004001")).unwrap().reply_with, Some(expected));
}

#[test]
fn b05_durations() {
    let data = bytes("fa1008062111111111111611111001");
    let time = decode(&data).unwrap().reply_by.unwrap();
    assert_eq!((time, time.moment(1_000, 0)), (Time::after(300_000), 301_000));
    assert_eq!(encode(&decode(&data).unwrap()), Ok(data));
}

#[test]
fn b06_bytes() {
    let data = bytes("fa1008041604000102ff01");
    assert_eq!(decode(&data).unwrap().content, Some(Content::Bytes(b"\x00\x01\x02\xff".into())));
    assert_eq!(encode(&decode(&data).unwrap()), Ok(data));
}

#[test]
fn b07_repairs_strings_without_quotation_marks() {
    let data = bytes("fa1008041468656c6c6f0001");
    assert_eq!(reason(&data), Reason::MissingQuotes);
    let repaired = decode_leniently(&data).unwrap();
    assert_eq!(repaired.message, Message::inform().content("hello"));
    assert_eq!(repaired.repairs.iter().map(|repair| repair.kind).collect::<Vec<_>>(), [RepairKind::MissingQuotes]);
    assert_eq!(reason(&bytes("fa100804140001")), Reason::MissingQuotes);
}

#[test]
fn b08_rejects_data_that_deviate_from_the_standard() {
    for (data, expected) in [
        ("fa101701", Reason::UnknownAct(0x17)),
        ("fa200801", Reason::Version(0x20)),
        ("fb100801", Reason::CodeTable(0xFB)),
        ("fc100801", Reason::CodeTable(0xFC)),
        ("fa1008020211000101", Reason::CodeTable(0x11)),
        ("fa1008041605006162", Reason::Truncated("the rest of a byte string")),
        ("fa10080100", Reason::Trailing),
        ("", Reason::Truncated("a message")),
        ("28696e", Reason::Unexpected { found: 0x28, expected: "a message (FA)" }),
        ("fa10080e", Reason::UnknownParameter(0x0E)),
        ("fa1008051061000510620001", Reason::Duplicate("reply-with")),
        ("fa100806203141b52828575111105a01", Reason::HalfByte(0xB)),
    ] {
        assert_eq!(reason(&bytes(data)), expected, "{data}");
        assert!(decode_leniently(&bytes(data)).is_err(), "{data}");
    }
}

#[test]
fn b09_rejects_user_defined_acts() {
    let data = bytes("fa1000107465737420706572666f726d61746976650001");
    assert_eq!(reason(&data), Reason::UserDefinedAct);
    assert!(decode_leniently(&data).is_err());
}

#[test]
fn b10_keeps_user_parameters() {
    let data = bytes("fa10150010637265747a750014226d617265220001");
    let message = decode(&data).unwrap();
    assert_eq!(message.performative, Performative::RequestWhenever);
    let expected = UserParameter { name: Word::new("cretzu").unwrap(), value: Expression::String("mare".into()) };
    assert_eq!(message.user_parameters, [expected]);
    assert!(!message.user_parameters[0].is_prefixed());
    assert_eq!(encode(&message), Ok(data));
}

#[test]
fn lists_that_open_and_close_with_a_value() {
    let list = |data: &str| decode(&bytes(&format!("fa100805{data}01"))).unwrap().reply_with.unwrap().into_owned();
    let inner = Expression::List(vec![word("a")]);
    let bytes_of_two = Expression::Bytes(b"xy".into());
    let expected = Expression::List(vec![inner.clone(), number("12"), bytes_of_two.clone()]);
    assert_eq!(list("607061005223001602787940"), expected);
    assert_eq!(list("7800000002787940"), Expression::List(vec![bytes_of_two]));
    let expected = Expression::List(vec![inner, Expression::String("s".into()), word("b")]);
    assert_eq!(list("60706100542273220010620040"), expected);
    assert_eq!(reason(&bytes("fa10080570610050620001")), Reason::AfterList);
}

#[test]
fn limits_the_depth_of_lists_and_resolvers() {
    let lists = |depth: usize| [&b"\xFA\x10\x08\x05"[..], &vec![0x60; depth], &vec![0x40; depth], b"\x01"].concat();
    assert!(decode(&lists(256)).is_ok());
    assert_eq!(reason(&lists(257)), Reason::TooDeep("lists"));
    assert_eq!(reason(&lists(100_000)), Reason::TooDeep("lists"));
    assert_eq!(reason(&[&b"\xFA\x10\x08\x02"[..], &b"\x02\x10a\x00\x03".repeat(100_000)].concat()), {
        Reason::TooDeep("resolvers")
    });
    let deepest = encode(&decode(&lists(256)).unwrap()).unwrap();
    assert_eq!(deepest, lists(256));
}

#[test]
fn rejects_messages_without_a_form() {
    let message = Message::inform().to("b").to(AgentIdentifier::new("c").address("http://a b"));
    let error = encode(&message).unwrap_err();
    assert_eq!(
        error,
        Unencodable {
            place: "an address of receiver 2".into(),
            value: "http://a b".into(),
            why: "which is not a URL; write blanks and parentheses as %20, %28 and %29",
        }
    );
    let time = Time { month: 200, ..Time::after(0) };
    assert_eq!(encode(&Message::inform().reply_by(time)).unwrap_err().place, "the month of reply-by");
    let list = (0..257).fold(Expression::from("x"), |inner, _| Expression::List(vec![inner]));
    assert_eq!(encode(&Message::inform().reply_with(list)).unwrap_err().value, "a list");
}

#[test]
fn texts_keep_zeros_quotes_and_backslashes() {
    let long = format!("{}\0", "é".repeat(200));
    for text in ["", "\"", "a\\", "\\\"", "\\\\\"\\", "a\0b", "\0", &long] {
        let message = Message::inform().content(text).reply_with(Expression::String(text.into()));
        assert_eq!(decode(&encode(&message).unwrap()), Ok(message), "{text:?}");
        let message = Message::inform().content(text.as_bytes());
        assert_eq!(decode(&encode(&message).unwrap()), Ok(message), "{text:?}");
    }
    let too_long = "\0".repeat(1 << 16);
    assert!(encode(&Message::inform().content(too_long.as_str())).is_err());
    assert!(encode(&Message::inform().content(too_long.as_bytes())).is_ok());
}

#[test]
fn repairs_messages_that_are_nearly_correct() {
    let repaired = |data: &'static [u8]| {
        let repaired = decode_leniently(data).unwrap();
        (repaired.message, repaired.repairs.iter().map(|repair| (repair.at, repair.kind)).collect::<Vec<_>>())
    };
    assert_eq!(
        repaired(b"\xFA\x10\x08\x04\x14\"a\"b\"\x00\x05\x1012\x00\x07\x10a b\x00\x09\x14\"\xE9\"\x00\x01"),
        (
            Message::inform()
                .content("a\"b")
                .reply_with(number("12"))
                .in_reply_to(Expression::String("a b".into()))
                .language(Expression::Bytes(b"\"\xE9\"".into())),
            vec![
                (4, RepairKind::BareQuote),
                (12, RepairKind::NotAWord),
                (17, RepairKind::NotAWord),
                (23, RepairKind::NotUtf8)
            ]
        )
    );
    assert_eq!(
        repaired(b"\xFA\x10\x08\x02\x02\x10the agent\x00\x01\x01"),
        (Message::inform().from("the agent"), vec![(5, RepairKind::NotAWord)])
    );
}

#[test]
fn decodes_one_message_after_another() {
    let data = [encode(&Message::cfp()).unwrap(), encode(&Message::refuse().content("no")).unwrap()].concat();
    let (first, length) = decode_prefix(&data).unwrap();
    assert_eq!((first, decode(&data[length..])), (Message::cfp(), Ok(Message::refuse().content("no"))));
}

proptest! {
    #[test]
    fn decodes_the_messages_that_it_encodes(message in message()) {
        let data = encode(&message).unwrap();
        prop_assert_eq!(decode(&data), Ok(message.clone()));
        let repaired = decode_leniently(&data).unwrap();
        prop_assert_eq!((repaired.message, repaired.repairs), (message, vec![]));
    }

    #[test]
    fn rejects_truncated_messages(message in message(), at in any::<prop::sample::Index>()) {
        let data = encode(&message).unwrap();
        let cut = &data[..at.index(data.len())];
        prop_assert!(matches!(reason(cut), Reason::Truncated(_)));
    }
}

/// Parses hexadecimal digits.
pub(crate) fn bytes(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2), "{digits}");
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}
