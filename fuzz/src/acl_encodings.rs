//! Properties of every binary message in FIPA ACL and of every envelope: reading it does not panic, a message that
//! follows the grammar can be written and read back equal, and reading it leniently gives the same without repairs.

use situated_acl::{Dialect, Encoding, bit_efficient, envelope, xml};

/// Reads the data as a message in the bit-efficient encoding.
pub fn bytes(data: &[u8]) {
    let _ = Dialect::Jade.decode(Encoding::BitEfficient, data);
    match bit_efficient::decode(data) {
        Ok(message) => {
            let written = bit_efficient::encode(&message).expect("what was read has a form");
            assert_eq!(bit_efficient::decode(&written).as_ref(), Ok(&message));
            assert_eq!(bit_efficient::decode_prefix(data).as_ref(), Ok(&(message.clone(), data.len())));
            let read = bit_efficient::decode_leniently(data).expect("it was read strictly");
            assert_eq!((read.message, read.repairs), (message, vec![]));
        }
        Err(error) => {
            assert!(error.at <= data.len(), "{error}");
            if let Ok(read) = bit_efficient::decode_leniently(data) {
                assert!(!read.repairs.is_empty() && read.repairs.iter().all(|repair| repair.at < data.len()));
                let written = bit_efficient::encode(&read.message).expect("a repaired message can be written");
                assert_eq!(bit_efficient::decode(&written), Ok(read.message));
            }
        }
    }
}

/// Reads the data as a message in XML.
pub fn markup(data: &[u8]) {
    let _ = Dialect::Jade.decode(Encoding::Xml, data);
    match xml::decode(data) {
        Ok(message) => {
            let written = xml::encode(&message).expect("what was read has a form");
            assert_eq!(xml::decode(&written).as_ref(), Ok(&message), "{}", String::from_utf8_lossy(&written));
            let read = xml::decode_leniently(data).expect("it was read strictly");
            assert_eq!((read.message, read.repairs), (message, vec![]));
        }
        Err(error) => {
            assert!(error.at <= data.len(), "{error}");
            if let Ok(read) = xml::decode_leniently(data) {
                assert!(!read.repairs.is_empty());
                let written = xml::encode(&read.message).expect("a repaired message can be written");
                assert_eq!(xml::decode(&written), Ok(read.message));
            }
        }
    }
}

/// Reads the data as an envelope, in either form.
pub fn envelopes(data: &[u8]) {
    match envelope::bit_efficient::decode_prefix(data) {
        Ok((envelope, length)) => {
            assert_eq!(envelope::bit_efficient::decode(&data[..length]).as_ref(), Ok(&envelope));
            let written = envelope::bit_efficient::encode(&envelope).expect("what was read has a form");
            assert_eq!(envelope::bit_efficient::decode(&written), Ok(envelope));
        }
        Err(error) => assert!(error.at <= data.len(), "{error}"),
    }
    match envelope::xml::decode_leniently(data) {
        Ok(read) => {
            let written = envelope::xml::encode(&read.message).expect("what was read has a form");
            assert_eq!(envelope::xml::decode(&written), Ok(read.message));
        }
        Err(error) => assert!(error.at <= data.len() && envelope::xml::decode(data).is_err(), "{error}"),
    }
}
