//! Properties that all encodings share.

use proptest::prelude::*;
use situated_acl::{DecodeError, Encoding, Expression, Message, Number, RepairKind, bit_efficient};

use crate::random_messages::message;

#[test]
fn encodings_have_standard_names() {
    for encoding in Encoding::ALL {
        assert_eq!(Encoding::named(&encoding.name().to_uppercase()), Some(encoding));
        assert_eq!(encoding.to_string().parse(), Ok(encoding));
    }
    assert!("fipa.acl.rep.json".parse::<Encoding>().is_err());
}

#[test]
fn detects_encodings_by_the_first_byte() {
    for (data, expected) in [
        (&b"(inform)"[..], Some(Encoding::String)),
        (b" \n(inform)", Some(Encoding::String)),
        (b"\xFA\x10\x08\x01", Some(Encoding::BitEfficient)),
        (b"\xFB\x10\x08\x01", Some(Encoding::BitEfficient)),
        (b"<fipa-message act='inform'/>", Some(Encoding::Xml)),
        (b"\xEF\xBB\xBF\n<fipa-message/>", Some(Encoding::Xml)),
        (b"", None),
        (b"  ", None),
        (b"inform", None),
    ] {
        assert_eq!(Encoding::detect(data), expected, "{data:?}");
    }
}

#[test]
fn errors_and_repairs_contain_their_encoding() {
    let data = b"\xFA\x10\x08\x04\x14hello\x00\x01";
    let repaired = Encoding::BitEfficient.decode_leniently(data).unwrap();
    assert_eq!(repaired.repairs[0].kind, RepairKind::BitEfficient(bit_efficient::RepairKind::MissingQuotes));
    let error = Encoding::BitEfficient.decode(data).unwrap_err();
    assert!(matches!(error, DecodeError::BitEfficient(bit_efficient::DecodeError { at: 4, .. })));
    assert_eq!(repaired.repairs[0].kind.to_string(), "a string without quotes was read as it stands");
    assert!(matches!(Encoding::Xml.decode(b"<x/>"), Err(DecodeError::Xml(_))));
    assert!(matches!(Encoding::String.decode(b"x"), Err(DecodeError::String(_))));
}

#[test]
fn errors_of_all_encodings_have_a_place_and_a_reason() {
    for (encoding, data, at) in [
        (Encoding::String, &b"(inform :sender a)"[..], 16),
        (Encoding::BitEfficient, b"\xFA\x10\x08\x0E", 3),
        (Encoding::Xml, b"<fipa-message act=\"inform\"><x/></fipa-message>", 27),
    ] {
        let error = encoding.decode(data).unwrap_err();
        assert_eq!(error.at(), at);
        assert_eq!(error.to_string(), format!("byte {at}: {}", error.reason()));
    }
}

#[test]
fn decodes_messages_in_sequence_except_xml() {
    let (one, other) = (Message::cfp().content("one"), Message::inform().content("other"));
    for encoding in Encoding::ALL {
        let mut data = encoding.encode(&one).unwrap();
        let length = data.len();
        assert_eq!(encoding.decode_prefix(&data), Ok((one.clone(), length)));
        data.extend(encoding.encode(&other).unwrap());
        if encoding == Encoding::Xml {
            assert!(encoding.decode_prefix(&data).is_err() && encoding.decode_prefix_leniently(&data).is_err());
            continue;
        }
        assert_eq!(encoding.decode_prefix(&data), Ok((one.clone(), length)));
        let (read, read_length) = encoding.decode_prefix_leniently(&data).unwrap();
        assert_eq!((read.message, read.repairs, read_length), (one.clone(), vec![], length));
    }
}

#[test]
fn repairs_only_the_first_of_many_messages() {
    for (encoding, data, length) in [
        (Encoding::String, &b"(inform :sender a) (inform :sender b)"[..], 18),
        (Encoding::BitEfficient, b"\xFA\x10\x08\x02\x02\x10a(\x00\x01\x01\xFA\x10\x08\x04\x14b\x00\x01", 11),
    ] {
        let (read, read_length) = encoding.decode_prefix_leniently(data).unwrap();
        assert_eq!((read.repairs.len(), read_length), (1, length));
        assert!(read.message.sender.unwrap().name.starts_with('a'));
    }
}

#[test]
fn tokens_that_look_like_numbers_are_unchanged_by_all_encodings() {
    let tokens =
        ["1.5e3", "1.5E3", "1e+05", "120000000000000000000000000001", "+007", "-.50", "0x1f", "1e5x", "2030-01-01"];
    for token in tokens {
        let text = format!("(inform :conversation-id {} :reply-with (w{token} 1e3))", quoted_unless_number(token));
        let mut message = Encoding::String.decode(text.as_bytes()).unwrap();
        for encoding in [Encoding::BitEfficient, Encoding::Xml, Encoding::String, Encoding::Xml, Encoding::BitEfficient]
        {
            let data = encoding.encode(&message).unwrap();
            message = encoding.decode(&data).unwrap().into_owned();
            let read = message.conversation_id.as_ref().and_then(Expression::as_text);
            assert_eq!(read, Some(token), "{encoding}");
        }
        assert_eq!(Encoding::String.encode(&message).unwrap(), text.into_bytes());
    }
}

fn quoted_unless_number(token: &str) -> String {
    Number::new(token).map_or_else(|_| format!("{token:?}"), |number| number.to_string())
}

proptest! {
    #[test]
    fn a_message_is_equal_after_passing_through_all_encodings(message in message()) {
        let text = Encoding::String.encode(&message).unwrap();
        let first = Encoding::String.decode(&text).unwrap();
        let bytes = Encoding::BitEfficient.encode(&first).unwrap();
        let second = Encoding::BitEfficient.decode(&bytes).unwrap();
        let document = Encoding::Xml.encode(&second).unwrap();
        let third = Encoding::Xml.decode(&document).unwrap();
        let again = Encoding::String.encode(&third).unwrap();
        prop_assert_eq!(Encoding::String.decode(&again), Ok(message));
    }
}
