//! Properties of every message in FIPA ACL: reading it does not panic, and a message that was read can be written and
//! read back equal.

use situated_acl::{Dialect, Encoding, Message, TextPosition, string};

/// Reads the data as a message in text.
pub fn text(data: &[u8]) {
    let strictly = string::decode(data);
    match string::decode_leniently(data) {
        Ok(read) => {
            let is_strict = strictly.as_ref() == Ok(&read.message);
            assert_eq!(strictly.is_ok(), is_strict);
            assert_eq!(is_strict, read.repairs.is_empty());
            assert!(read.repairs.iter().all(|repair| repair.at < data.len()));
            assert_stable(&read.message, is_strict);
        }
        Err(error) => {
            assert!(error.at <= data.len() && strictly.is_err(), "{error}");
            TextPosition::of(data, error.at);
        }
    }
    if let Ok((message, length)) = string::decode_prefix(data) {
        assert_eq!(string::decode(&data[..length]), Ok(message));
    }
    if let Ok((read, length)) = string::decode_prefix_leniently(data) {
        assert_eq!(string::decode_leniently(&data[..length]), Ok(read));
    }
    of_jade(Encoding::String, data);
}

/// Reads the data as a message of JADE.
fn of_jade(encoding: Encoding, data: &[u8]) {
    match Dialect::Jade.decode(encoding, data) {
        Ok(read) => assert!(read.repairs.iter().all(|repair| repair.at < data.len())),
        Err(error) => assert!(error.at() <= data.len(), "{error}"),
    }
}

/// A message that follows the grammar can be written, and is read back equal.
fn assert_stable(message: &Message<'_>, is_strict: bool) {
    match string::encode(message) {
        Ok(text) => {
            let again = string::decode(&text).expect("what is written is by the grammar");
            if is_strict {
                assert_eq!(again, *message);
            }
            assert_eq!(string::encode(&again).as_ref(), Ok(&text));
        }
        Err(refused) => assert!(!is_strict, "{refused}"),
    }
}
