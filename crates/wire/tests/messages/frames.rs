//! Frames: any input is accepted or rejected, and the envelope keeps its contents.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use situated_wire::rpc::{self, BATCH_LENGTH, Frame, Id, Message, Refused};
use situated_wire::{Code, Error};

use crate::documents::{answers, notifications, of_type, parameters};
use crate::fuzz;

/// Pieces for generating frames, valid or not.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "{", "}", "[", "]", ",", ":", "null", "true", "-0", "1.5", "18446744073709551616", "1e999", "\"", "\\", "\\ud800", " ",
    "\n", "\u{FEFF}", "\0", "\"jsonrpc\":\"2.0\"", "\"jsonrpc\":\"2\\u002e0\"", "\"id\":1", "\"id\":\"a\"", "\"id\":null",
    "\"method\":\"ping\"", "\"method\":\"act\"", "\"method\":\"percepts\"", "\"params\":{}", "\"params\":[]", "\"result\":{}",
    "\"error\":{\"code\":1,\"message\":\"m\"}", "{\"name\":\"f\",\"args\":[", "{\"numeral\":\"1.5NaN\"}",
];

fn id() -> impl Strategy<Value = Id> {
    prop_oneof![any::<i64>().prop_map(Id::Number), any::<String>().prop_map(Id::Text)]
}

/// A frame of one message that is sound.
fn sound() -> impl Strategy<Value = String> {
    let with_id = |mut message: Value, id: Option<Id>| {
        if let Some(id) = id {
            message["id"] = serde_json::to_value(id).expect("it is JSON");
        }
        message.to_string()
    };
    prop_oneof![
        (parameters(), proptest::option::of(id())).prop_map(move |((method, params), id)| {
            with_id(json!({ "jsonrpc": "2.0", "method": method, "params": params }), id)
        }),
        notifications()
            .prop_map(|(name, params)| { json!({ "jsonrpc": "2.0", "method": name, "params": params }).to_string() }),
        (answers(), id())
            .prop_map(move |((_, answer), id)| with_id(json!({ "jsonrpc": "2.0", "result": answer }), Some(id))),
        (of_type("Error"), id())
            .prop_map(move |(error, id)| with_id(json!({ "jsonrpc": "2.0", "error": error }), Some(id))),
    ]
}

/// A kind of damage to a frame.
#[derive(Clone, Debug)]
enum Damage {
    Insert(&'static str),
    Overwrite(u8),
    Cut(usize),
    Repeat(usize),
}

impl Damage {
    fn any() -> impl Strategy<Value = (Index, Damage)> {
        let damage = prop_oneof![
            select(PIECES).prop_map(Damage::Insert),
            any::<u8>().prop_map(Damage::Overwrite),
            (1..40usize).prop_map(Damage::Cut),
            (1..40usize).prop_map(Damage::Repeat),
        ];
        (any::<Index>(), damage)
    }

    fn inflict(&self, frame: &mut Vec<u8>, place: &Index) {
        let place = place.index(frame.len() + 1);
        let until = |length: usize| (place + length).min(frame.len());
        match *self {
            Damage::Insert(piece) => drop(frame.splice(place..place, piece.bytes())),
            Damage::Overwrite(byte) => frame.iter_mut().skip(place).take(1).for_each(|old| *old = byte),
            Damage::Cut(length) => drop(frame.drain(place..until(length))),
            Damage::Repeat(length) => frame.extend_from_within(place..until(length)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn bytes_of_any_kind(bytes in vec(any::<u8>(), 0..100)) {
        fuzz::frame(&bytes);
    }

    #[test]
    fn pieces_in_any_order(pieces in vec(select(PIECES), 0..16)) {
        fuzz::frame(pieces.concat().as_bytes());
        fuzz::frame(format!("{{{}}}", pieces.join(",")).as_bytes());
    }

    #[test]
    fn sound_frames(frame in sound()) {
        prop_assert!(matches!(rpc::read(&frame), Ok(Frame::One(Ok(_)))), "{}", frame);
        fuzz::frame(frame.as_bytes());
    }

    #[test]
    fn damaged_frames(frame in sound(), damages in vec(Damage::any(), 1..4)) {
        let mut frame = frame.into_bytes();
        damages.iter().for_each(|(place, damage)| damage.inflict(&mut frame, place));
        fuzz::frame(&frame);
    }

    #[test]
    fn errors_keep_the_id(id in id(), key in "[k-z]{1,9}") {
        let frame = json!({ "jsonrpc": "2.0", "id": id, "method": "ping", key: 1 }).to_string();
        let refused = refused(&frame);
        prop_assert_eq!((refused.id, refused.error.code()), (Some(id), Some(Code::InvalidRequest)));
    }

    #[test]
    fn ids_are_unchanged(id in id(), error in of_type("Error")) {
        let error: Error = serde_json::from_value(error).expect("it is an error");
        let mut frame = Vec::new();
        rpc::write_error(&mut frame, Some(&id), &error).expect("memory takes everything");
        match rpc::read(std::str::from_utf8(&frame).expect("JSON is text")) {
            Ok(Frame::One(Ok(Message::Answer { id: of, answered: Err(read) }))) => prop_assert_eq!((of, read), (Some(id), error)),
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn batches_are_read_message_by_message(frames in vec(prop_oneof![sound(), select(&["1", "{}", "[[]]"][..]).prop_map(String::from)], 1..9)) {
        let batch = format!(" [{}]\r", frames.join(",\t"));
        let Ok(Frame::Batch(messages)) = rpc::read(&batch) else { panic!("{batch}") };
        prop_assert_eq!(messages.len(), frames.len());
        for (message, frame) in messages.iter().zip(&frames) {
            match (message, rpc::read(frame)) {
                // The errors name different places.
                (Err(refused), Ok(Frame::One(Err(alone)))) => {
                    prop_assert_eq!((&refused.id, refused.error.code), (&alone.id, alone.error.code));
                }
                (message, Ok(Frame::One(alone))) => prop_assert_eq!(format!("{message:?}"), format!("{alone:?}")),
                (Err(_), Ok(Frame::Batch(_))) => {}
                (message, alone) => prop_assert!(false, "{:?} and alone {:?}", message, alone),
            }
        }
        fuzz::frame(batch.as_bytes());
    }
}

#[test]
fn ids_are_whole_numbers_or_texts() {
    for id in ["1.0", "1.5", "-0", "1e2", "true", "[]", "[1]", "{}", "9223372036854775808", "-9223372036854775809"] {
        let refused = refused(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        assert_eq!((refused.id, refused.error.code()), (None, Some(Code::InvalidRequest)), "{id}");
    }
    for (written, expected) in [
        ("9223372036854775807", Some(Id::Number(i64::MAX))),
        ("-9223372036854775808", Some(Id::Number(i64::MIN))),
        ("\"\"", Some(Id::Text(String::new()))),
        ("\"1\"", Some(Id::Text("1".into()))),
        (r#""\ud83d\ude00\n""#, Some(Id::Text("😀\n".into()))),
        ("null", None),
    ] {
        match rpc::read(&format!(r#"{{"jsonrpc":"2.0","id":{written},"method":"ping"}}"#)) {
            Ok(Frame::One(Ok(Message::Call { id, .. }))) => assert_eq!(id, expected),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn batches_have_a_bound() {
    let batch = |length| format!("[{}]", vec![r#"{"jsonrpc":"2.0","method":"ping"}"#; length].join(","));
    let longest = batch(BATCH_LENGTH);
    let Ok(Frame::Batch(messages)) = rpc::read(&longest) else { panic!("it is not too long") };
    assert_eq!(messages.len(), BATCH_LENGTH);
    for length in [0, BATCH_LENGTH + 1] {
        let refused = refused(&batch(length));
        assert_eq!((refused.id, refused.error.code()), (None, Some(Code::InvalidRequest)));
    }
}

fn refused(frame: &str) -> Refused {
    match rpc::read(frame) {
        Err(refused) | Ok(Frame::One(Err(refused))) => refused,
        other => panic!("{frame} is read as {other:?}"),
    }
}
