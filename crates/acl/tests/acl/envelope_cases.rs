//! Encoding and decoding envelopes.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use situated_acl::bit_efficient::Reason;
use situated_acl::envelope::{Envelope, Layer, Received, bit_efficient, xml};
use situated_acl::xml::{Reason as XmlReason, RepairKind};
use situated_acl::{AgentIdentifier, Content, Encoding, Time};

use crate::bit_efficient_cases::bytes;
use crate::random_messages::{agents, text, time, user_parameters};

const X3: &str = "fe008a12203111161915376259200202726563656976657240666f6f2e636f6d0002687474703a2f2f666f6f2e636f6d\
                  2f61636300010101030273656e646572406261722e636f6d0002687474703a2f2f6261722e636f6d2f6163630001010a\
                  687474703a2f2f666f6f2e636f6d2f616363002031111619153762592003313233343536373839000101";

fn layer_of_x3() -> Layer<'static> {
    let date: Time = "20000508T042651481".parse().unwrap();
    Layer {
        to: vec![AgentIdentifier::new("receiver@foo.com").address("http://foo.com/acc")],
        from: Some(AgentIdentifier::new("sender@bar.com").address("http://bar.com/acc")),
        representation: Some(Encoding::Xml.name().into()),
        date: Some(date),
        received: Some(Received {
            by: "http://foo.com/acc".into(),
            from: None,
            date,
            id: Some("123456789".into()),
            via: None,
            user_parameters: vec![],
        }),
        ..Layer::default()
    }
}

#[test]
fn x3_the_example_of_the_standard_as_its_grammar_wants_it() {
    let data = bytes(X3);
    assert_eq!(data.len(), 138);
    let envelope = bit_efficient::decode(&data).unwrap();
    assert_eq!(envelope, Envelope::new(layer_of_x3()));
    assert_eq!(bit_efficient::encode(&envelope), Ok(data));
}

#[test]
fn x3_the_example_of_the_standard_as_it_is_printed_is_refused() {
    // The printed example has 06 as the month, and lacks the ends of two collections.
    let printed = X3.replace("31111619", "31110619").replacen("6363000101", "63630001", 2);
    let data = bytes(&printed);
    assert_eq!(data.len(), 136);
    assert_eq!(bit_efficient::decode(&data).unwrap_err().reason, Reason::HalfByte(0));
    let other_month = bytes(&X3.replacen("6363000101", "63630001", 2));
    assert!(bit_efficient::decode(&other_month).is_err());
}

#[test]
fn x5_dates_of_jade_are_repaired() {
    let document = |date: &str| format!("<envelope><params index=\"1\"><date>{date}</date></params></envelope>");
    let jade = document("20261120Z125737240");
    assert!(matches!(xml::decode(jade.as_bytes()).unwrap_err().reason, XmlReason::NotATime(_)));
    let repaired = xml::decode_leniently(jade.as_bytes()).unwrap();
    let date: Time = "20261120T125737240".parse().unwrap();
    assert_eq!((repaired.message.base.date, date.zone), (Some(date), None));
    assert_eq!(repaired.repairs.iter().map(|repair| repair.kind).collect::<Vec<_>>(), [RepairKind::TimeLetter]);
    for wrong in ["20261120125737240", "Z", "20261320Z125737240", "é", "20261120é125737240", ""] {
        assert!(xml::decode_leniently(document(wrong).as_bytes()).is_err(), "{wrong}");
    }
}

#[test]
fn what_other_platforms_write_as_xml_is_read() {
    let document = b"<?xml version=\"1.0\"?>
        <envelope><params index=\"2\"><received><received-by value='http://b/acc'/>
        <received-from><url>http://a/acc</url></received-from><received-date value='20000508T042651481'/></received>
        </params>
        <params index=\"1\">
        <to><agent-identifier><name>a@p</name><addresses><url>http://a/acc</url></addresses></agent-identifier>
            <agent-identifier><name id='b@p'/></agent-identifier></to>
        <to><agent-identifier><name>c@p</name></agent-identifier></to>
        <from><agent-identifier><name> d@p </name></agent-identifier></from>
        <comments> no  remarks </comments><payload-length>12</payload-length><payload-encoding>UTF-8</payload-encoding>
        <acl-representation>fipa.acl.rep.string.std</acl-representation>
        <transport-behaviour>x &amp; y</transport-behaviour>
        </params></envelope>";
    let envelope = xml::decode(document).unwrap();
    let expected = Layer {
        to: vec![AgentIdentifier::new("a@p").address("http://a/acc"), "b@p".into(), "c@p".into()],
        from: Some("d@p".into()),
        comments: Some("no  remarks".into()),
        representation: Some(Encoding::String.name().into()),
        payload_length: Some(12),
        payload_encoding: Some("UTF-8".into()),
        transport_behaviour: Some("x & y".into()),
        ..Layer::default()
    };
    assert_eq!(envelope.base, expected);
    let stamp = envelope.stamps().next().unwrap();
    assert_eq!((&*stamp.by, stamp.from.as_deref()), ("http://b/acc", Some("http://a/acc")));
}

#[test]
fn each_agent_has_an_element_of_its_own() {
    let envelope = Envelope::new(Layer { intended_receivers: vec!["a".into(), "b".into()], ..Layer::default() });
    let document = String::from_utf8(xml::encode(&envelope).unwrap()).unwrap();
    let receiver = |name| {
        format!("<intended-receiver><agent-identifier><name>{name}</name></agent-identifier></intended-receiver>")
    };
    assert_eq!(
        document,
        format!(
            "<?xml version=\"1.0\"?>\n<envelope><params index=\"1\">{}{}</params></envelope>",
            receiver("a"),
            receiver("b")
        )
    );
}

#[test]
fn the_newest_layer_with_a_value_counts() {
    let stamp = |by: &'static str| Received { by: by.into(), ..layer_of_x3().received.unwrap() };
    let mut envelope = Envelope::new(layer_of_x3());
    envelope.added.push(Layer {
        received: Some(stamp("http://b/acc")),
        intended_receivers: vec!["b".into()],
        ..Layer::default()
    });
    envelope.added.push(Layer { received: Some(stamp("http://c/acc")), ..Layer::default() });
    let expected =
        Layer { received: Some(stamp("http://c/acc")), intended_receivers: vec!["b".into()], ..layer_of_x3() };
    assert_eq!(envelope.effective(), expected);
    let stamps: Vec<_> = envelope.stamps().map(|stamp| &*stamp.by).collect();
    assert_eq!(stamps, ["http://foo.com/acc", "http://b/acc", "http://c/acc"]);
    assert_eq!(bit_efficient::decode(&bit_efficient::encode(&envelope).unwrap()).as_ref(), Ok(&envelope));
    assert_eq!(xml::decode(&xml::encode(&envelope).unwrap()), Ok(envelope));
}

#[test]
fn envelopes_are_followed_by_the_message() {
    let envelope = Envelope::new(layer_of_x3());
    let data = [bit_efficient::encode(&envelope).unwrap(), b"(inform)".to_vec()].concat();
    assert_eq!(bit_efficient::decode_prefix(&data), Ok((envelope, 138)));
    assert_eq!(bit_efficient::decode(&data).unwrap_err().reason, Reason::Trailing);
}

#[test]
fn large_envelopes_have_a_long_length() {
    let comments = "x".repeat(70_000);
    let envelope = Envelope::new(Layer { comments: Some(comments.as_str().into()), ..layer_of_x3() });
    let data = bit_efficient::encode(&envelope).unwrap();
    assert_eq!(data[..7], [0xFE, 0, 0, 0, 1, 0x12, 0x00]);
    assert_eq!(bit_efficient::decode(&data), Ok(envelope));
    let mut wrong = data.clone();
    wrong[6] += 1;
    let reason = Reason::WrongLength { claimed: data.len() + 1, actual: data.len() };
    assert_eq!(bit_efficient::decode(&wrong).unwrap_err().reason, reason);
}

#[test]
fn what_no_form_has_a_place_for_is_refused() {
    let place = |layer| bit_efficient::encode(&Envelope::new(layer)).unwrap_err().place;
    assert_eq!(place(Layer::default()), "the representation of the base");
    assert_eq!(place(Layer { date: None, ..layer_of_x3() }), "the date of the base");
    assert_eq!(place(Layer { comments: Some("\0".into()), ..layer_of_x3() }), "the text of the comments of the base");
    let mut envelope = Envelope::new(layer_of_x3());
    envelope.added.push(Layer::default());
    assert_eq!(bit_efficient::encode(&envelope).unwrap_err().place, "the stamp of added layer 1");
    envelope.base.comments = Some("\u{1}".into());
    assert_eq!(xml::encode(&envelope).unwrap_err().place, "comments of the base");
}

#[test]
fn what_is_no_envelope_is_refused() {
    let reason = |document: &str| xml::decode(document.as_bytes()).unwrap_err().reason;
    let missing = |element: &str, what| XmlReason::Missing { element: element.into(), what };
    assert_eq!(reason("<envelope/>"), missing("envelope", "parameters (params)"));
    assert_eq!(reason("<envelope><params/></envelope>"), missing("params", "attribute `index`"));
    assert_eq!(reason("<envelope><params index='x'/></envelope>"), XmlReason::NotANumber("x".into()));
    let twice = "<envelope><params index='1'/><params index='1'/></envelope>";
    assert_eq!(reason(twice), XmlReason::Duplicate("`<params index=\"1\">`".into()));
    assert_eq!(reason("<!DOCTYPE envelope SYSTEM 'file:///dev/zero'><envelope/>"), XmlReason::DocumentType);
}

fn short() -> impl Strategy<Value = Option<std::borrow::Cow<'static, str>>> {
    option::of("[ -~é]{0,12}".prop_map(Into::into))
}

fn received() -> impl Strategy<Value = Received<'static>> {
    let by = "[a-z]{2,5}://[a-z0-9./:%-]{1,12}".prop_map(Into::into);
    (by, short(), time(), short(), short()).prop_map(|(by, from, date, id, via)| Received {
        by,
        from,
        date,
        id,
        via,
        user_parameters: vec![],
    })
}

fn base() -> impl Strategy<Value = Layer<'static>> {
    let representation = prop_oneof![
        prop::sample::select(Encoding::ALL.to_vec()).prop_map(|encoding| encoding.name().into()),
        "[a-z.]{1,9}".prop_map(Into::into),
    ];
    let behaviour = prop_oneof![text().prop_map(Content::from), vec(any::<u8>(), 0..9).prop_map(Content::from)];
    let agents = (agents(), agents(), agents());
    let texts = (short(), representation, option::of(any::<u64>()), short(), time());
    (agents, texts, option::of(behaviour), option::of(received()), user_parameters()).prop_map(
        |((to, mut from, intended_receivers), texts, transport_behaviour, received, user_parameters)| Layer {
            to,
            from: from.pop(),
            comments: texts.0,
            representation: Some(texts.1),
            payload_length: texts.2,
            payload_encoding: texts.3,
            date: Some(texts.4),
            intended_receivers,
            transport_behaviour,
            received,
            user_parameters,
        },
    )
}

pub(crate) fn envelope() -> impl Strategy<Value = Envelope<'static>> {
    let added =
        (base(), received()).prop_map(|(layer, received)| Layer { date: None, received: Some(received), ..layer });
    (base(), vec(added, 0..3)).prop_map(|(base, added)| Envelope { base, added })
}

proptest! {
    #[test]
    fn decodes_the_envelopes_that_it_encodes(envelope in envelope()) {
        let document = xml::encode(&envelope).unwrap();
        let decoded = xml::decode(&document);
        prop_assert_eq!(decoded.as_ref(), Ok(&envelope), "{}", String::from_utf8_lossy(&document));
        // Lists that contain bytes have no form there.
        if let Ok(data) = bit_efficient::encode(&envelope) {
            prop_assert_eq!(bit_efficient::decode(&data), Ok(envelope));
        }
    }
}
