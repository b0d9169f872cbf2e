//! Properties of all data: no data cause a crash, and a message that was read can be written and read back equal.

use proptest::collection::vec;
use proptest::prelude::*;
use situated_acl::{bit_efficient, envelope, xml};

use crate::envelope_cases::envelope;
use crate::fuzz_encodings::{self, bytes, envelopes};
use crate::random_messages::message;

/// Positions, the number of bytes removed there, and their replacement.
type Damages = Vec<(prop::sample::Index, usize, Vec<u8>)>;

/// Damages with meaningful replacements.
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
        b"href=\"a\"",
        b" act=\"cfp\"",
        b" id='b'",
        b" id=\"a\"b\"",
        b" a:b=\"\"",
        b" xmlns:a=\"u\"",
        b" xmlns:b=\"u\" b:b='' a:b=''",
        b" xmlns=\"u\"",
        b" a = \"&amp;\"",
        b"/",
        b"--",
        b"]]",
        b"<?xml version=\"1.0\"?>",
        b" encoding='utf-8'",
        b"<?",
        b"?>",
        b"<X-a.b:c/>",
        b"&#x41;",
        b"&#X41;",
        b"&#+65;",
        b"\xC3\xA9",
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

/// Parts of tags, some of which are well-formed.
const TAG_PARTS: [&str; 44] = [
    " ",
    "\t",
    "\n",
    "=",
    "\"",
    "'",
    "<",
    ">",
    "/",
    "&",
    "&lt;",
    "&x;",
    "&#65;",
    "&#0;",
    "a",
    "b",
    ":",
    "-",
    ".",
    "1",
    "é",
    "×",
    "xml",
    "XML",
    "xmlns",
    " a=\"\"",
    " b=''",
    " a = 'x'",
    " a:b=\"1\"",
    " b:b=\"2\"",
    " xmlns:a=\"u\"",
    " xmlns:b=\"u\"",
    " xmlns:b=\"v\"",
    " xmlns:a=\"\"",
    " xml:lang=\"de\"",
    " xmlns:xml=\"u\"",
    " xmlns='http://www.w3.org/2000/xmlns/'",
    "<?",
    "?>",
    "<!--",
    "-->",
    "--",
    "]]>",
    "<![CDATA[",
];

fn damaged(mut data: Vec<u8>, damages: Damages) -> Vec<u8> {
    for (place, length, piece) in damages {
        let at = place.index(data.len() + 1);
        data.splice(at..(at + length).min(data.len()), piece);
    }
    data
}

/// Reads a document. If it is accepted as a message or envelope, another parser must accept it as XML.
fn markup(data: &[u8]) {
    fuzz_encodings::markup(data);
    if xml::decode_leniently(data).is_ok() || envelope::xml::decode_leniently(data).is_ok() {
        let text = std::str::from_utf8(data).expect("what was read is a text");
        if let Err(error) = roxmltree::Document::parse(text) {
            panic!("it is not well-formed, {error}: {text}");
        }
    }
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
    fn documents_with_damaged_tags(parts in vec(prop::sample::select(TAG_PARTS.to_vec()), 0..8)) {
        markup(format!("<fipa-message act=\"inform\"{}></fipa-message>", parts.concat()).as_bytes());
        markup(format!("<fipa-message act=\"inform\"><content>{}</content></fipa-message>", parts.concat()).as_bytes());
        markup(format!("<{}fipa-message act=\"inform\"/>", parts.concat()).as_bytes());
    }

    #[test]
    fn damaged_envelopes(envelope in envelope(), in_bytes in of_bytes(), in_markup in of_markup()) {
        let document = damaged(envelope::xml::encode(&envelope).unwrap(), in_markup);
        envelopes(&document);
        markup(&document);
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
        markup(&[b"<fipa-message act='cfp' ", data.as_slice(), b"></fipa-message>"].concat());
        envelopes(&[b"\xFE\x00\x20\x11\x20\x31\x11\x16\x19\x15\x37\x62\x59\x20", data.as_slice()].concat());
    }
}
