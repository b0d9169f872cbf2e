//! Properties of every body of a message between platforms: reading it does not panic, and a message that was read can
//! be packed and read back. The same holds for bundles.

use situated_platform::transport::{Form, Packed, Parcel, Platform, bundle, pack, unbundle, unpack};

/// Reads the data as the type of a body, up to the first line end, and the body.
pub fn body(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (content_type, body) = (String::from_utf8_lossy(&data[..end]), data.get(end + 1..).unwrap_or_default());
    if let Ok(Some(messages)) = unbundle(&content_type, body, 64) {
        let messages = messages.iter().map(|one| {
            let packed = Packed { content_type: one.content_type.into(), body: one.body.into() };
            (one.number.expect("messages in bundles have numbers"), packed)
        });
        let messages: Vec<_> = messages.collect();
        let Packed { content_type, body } = bundle(&messages);
        let again = unbundle(&content_type, &body, 64).expect("what is written can be read").expect("it is a bundle");
        assert!(again.iter().zip(&messages).all(|(one, (number, packed))| {
            (one.number, one.body, one.content_type) == (Some(*number), &*packed.body, &*packed.content_type)
        }));
    }
    for form in ["string", "xml", "bit-efficient", "jade"] {
        let form: Form = form.parse().expect("it is a form");
        let Ok(Parcel { message, receivers, .. }) = unpack(&content_type, body, |_| Some(form)) else { continue };
        assert!(!receivers.is_empty());
        let Some(to) = message.receivers.first().and_then(|one| one.name.rsplit_once('@')) else { continue };
        let to = to.1.to_owned();
        let platform = Platform { name: "market".into(), address: "http://market.example/acc".into() };
        // Some messages have no form in some encodings.
        let Ok(packed) = pack(&platform, &to, &message, form, 0) else { continue };
        let again = unpack(&packed.content_type, &packed.body, |_| Some(form)).expect("what is written can be read");
        assert_eq!(again.message.performative, message.performative);
        assert!(again.receivers.iter().all(|name| name.ends_with(&to)));
    }
}
