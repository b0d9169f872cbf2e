//! What holds of all data: none bring a reader down, and what is read is written and read back equal.

use proptest::collection::vec;
use proptest::prelude::*;
use situated_acl::{bit_efficient, envelope, xml};

use crate::envelope_cases::envelope;
use crate::fuzz_encodings::{bytes, envelopes, markup};
use crate::random_messages::message;

/// Places, how many bytes are lost there, and what comes in their stead.
type Damages = Vec<(prop::sample::Index, usize, Vec<u8>)>;

/// Damages with pieces that mean something.
fn damages(pieces: Vec<&'static [u8]>) -> impl Strategy<Value = Damages> {
    let piece = prop_oneof![prop::sample::select(pieces).prop_map(<[u8]>::to_vec), vec(any::<u8>(), 0..4)];
    vec((any::<prop::sample::Index>(), 0..6_usize, piece), 0..4)
}

fn of_bytes() -> impl Strategy<Value = Damages> {
    damages(vec![
        b"\x00",
        b"\x01",
        b"\x02",
        b"\x03",
        b"\x04",
        b"\x0A",
        b"\x10",
        b"\x11",
        b"\x12\x23\x00",
        b"\x14\"",
        b"\"\x00",
        b"\x14a\x00",
        b"\x16\xFF",
        b"\x17\x00\x01\x00",
        b"\x19\xFF\xFF\xFF\xFF",
        b"\x60",
        b"\x40",
        b"\x70a\x00",
        b"\x50b\x00",
        b"\x52\x23\x00",
        b"\x78\x00\x00\x00\x00",
        b"\x20",
        b"\x25",
        b"\xFF",
        b"\xFA\x10\x08",
        b"\xFD",
    ])
}

fn of_markup() -> impl Strategy<Value = Damages> {
    damages(vec![
        b"<",
        b"</",
        b"/>",
        b">",
        b"&",
        b"&amp;",
        b"&#0;",
        b"&#32;",
        b"&x;",
        b"\"",
        b"'",
        b"=",
        b" ",
        b"\r\n",
        b"<![CDATA[",
        b"]]>",
        b"<!--",
        b"-->",
        b"<?x?>",
        b"<!DOCTYPE x>",
        b" href=\"a\"",
        b" encoding=\"base64\"",
        b" type=\"text\"",
        b"<receiver>",
        b"</content>",
        b"<X-a>1</X-a>",
        b"<language> x </language>",
        b"(",
        b"#2\"",
        b"\xEF\xBF\xBE",
        b"20300101Z120000000",
    ])
}

fn damaged(mut data: Vec<u8>, damages: Damages) -> Vec<u8> {
    for (place, length, piece) in damages {
        let at = place.index(data.len() + 1);
        data.splice(at..(at + length).min(data.len()), piece);
    }
    data
}

proptest! {
    #[test]
    fn damaged_bytes(message in message(), damages in of_bytes()) {
        bytes(&damaged(bit_efficient::encode(&message).unwrap(), damages));
    }

    #[test]
    fn damaged_markup(message in message(), damages in of_markup()) {
        markup(&damaged(xml::encode(&message).unwrap(), damages));
    }

    #[test]
    fn damaged_envelopes(envelope in envelope(), in_bytes in of_bytes(), in_markup in of_markup()) {
        envelopes(&damaged(envelope::xml::encode(&envelope).unwrap(), in_markup));
        if let Ok(data) = envelope::bit_efficient::encode(&envelope) {
            envelopes(&damaged(data, in_bytes));
        }
    }

    #[test]
    fn any_data(data in vec(any::<u8>(), 0..200)) {
        bytes(&data);
        bytes(&[b"\xFA\x10\x08", data.as_slice()].concat());
        markup(&data);
        markup(&[b"<fipa-message act='cfp'><", data.as_slice()].concat());
        envelopes(&data);
        envelopes(&[b"\xFE\x00\x20\x11\x20\x31\x11\x16\x19\x15\x37\x62\x59\x20", data.as_slice()].concat());
    }
}
