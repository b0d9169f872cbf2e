//! Properties of all messages as text, and of all texts.

use proptest::prelude::*;
use situated_acl::string;

use crate::random_messages::message;

/// Texts of messages that are damaged in a few places.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            &b"("[..],
            b")",
            b"\"",
            b"\\",
            b":",
            b" ",
            b"#3\"",
            b"#99\"",
            b"\xC2\xA0",
            b"\xC2",
            b":content ",
            b" :receiver ",
            b":X-a ",
            b"(set ",
            b"2000-01-01",
        ])
        .prop_map(<[u8]>::to_vec),
        proptest::collection::vec(any::<u8>(), 0..4),
    ];
    let damages = proptest::collection::vec((any::<prop::sample::Index>(), 0..6_usize, piece), 0..4);
    (message(), damages).prop_map(|(message, damages)| {
        let mut text = string::encode(&message).expect("it can be written");
        for (place, length, piece) in damages {
            let at = place.index(text.len() + 1);
            text.splice(at..(at + length).min(text.len()), piece);
        }
        text
    })
}

proptest! {
    #[test]
    fn reads_the_messages_that_it_writes(message in message()) {
        let text = string::encode(&message).unwrap();
        prop_assert_eq!(string::decode(&text), Ok(message.clone()));
        prop_assert_eq!(string::decode_prefix(&text), Ok((message, text.len())));
    }

    #[test]
    fn reads_messages_in_sequence(one in message(), other in message()) {
        let mut text = string::encode(&one).unwrap();
        let length = text.len();
        string::encode_into(&other, &mut text).unwrap();
        prop_assert_eq!(string::decode_prefix(&text), Ok((one, length)));
        prop_assert_eq!(string::decode(&text[length..]), Ok(other));
    }

    #[test]
    fn reading_and_writing_is_stable(text in damaged()) {
        crate::fuzz::text(&text);
    }

    #[test]
    fn no_bytes_cause_a_crash(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        crate::fuzz::text(&bytes);
        crate::fuzz::text(&[b"(inform :content ", bytes.as_slice()].concat());
    }
}
