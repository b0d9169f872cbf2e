//! Messages for JADE and from JADE.

use proptest::prelude::*;
use situated_acl::{
    AgentIdentifier, Content, Dialect, Encoding, Expression, Message, RepairKind, UserParameter, Word, bit_efficient,
    string, xml,
};

use crate::arrived::arrived;
use crate::random_messages::message;

fn encode(encoding: Encoding, message: &Message<'_>) -> Vec<u8> {
    Dialect::Jade.encode(encoding, message).expect("it has a form")
}

fn text(message: &Message<'_>) -> String {
    String::from_utf8(encode(Encoding::String, message)).unwrap()
}

fn decode(encoding: Encoding, data: &[u8]) -> Message<'_> {
    Dialect::Jade.decode(encoding, data).unwrap_or_else(|error| panic!("{error}")).message
}

#[test]
fn bit_efficient_texts_have_no_quotation_marks() {
    let message = Message::inform().content("say \"hi\"").language("two words").reply_with("12");
    let data = encode(Encoding::BitEfficient, &message);
    assert_eq!(data, b"\xFA\x10\x08\x05\x1012\0\x09\x14\"two words\"\0\x04\x14say \"hi\"\0\x01");
    assert_eq!(arrived(&decode(Encoding::BitEfficient, &data)), arrived(&message));
    // Quotation marks around a content are part of it.
    let quoted = decode(Encoding::BitEfficient, b"\xFA\x10\x08\x04\x14\"x\"\0\x00\x10X-a\0\x14\"y\"\0\x01");
    let parameter = Expression::String("\"y\"".into());
    assert_eq!(quoted, Message::inform().content("\"x\"").user_parameter(Word::new("X-a").unwrap(), parameter));
}

#[test]
fn parameters_of_agents_lose_their_prefix_in_bytes_and_get_it_back() {
    let colour = UserParameter { name: Word::new("X-colour").unwrap(), value: "dark red".into() };
    let message =
        Message::inform().from(AgentIdentifier { user_parameters: vec![colour], ..AgentIdentifier::new("a") });
    let data = encode(Encoding::BitEfficient, &message);
    assert_eq!(data, b"\xFA\x10\x08\x02\x02\x10a\0\x04\x10colour\0\x14dark red\0\x01\x01");
    assert_eq!(decode(Encoding::BitEfficient, &data), message);
}

#[test]
fn words_that_are_not_ascii_are_quoted() {
    let message = Message::inform().from("José").language("français").conversation_id("a\u{7f}").ontology("a\"b");
    let expected = "(inform :sender (agent-identifier :name \"José\") :language \"français\" \
        :ontology \"a\\\"b\" :conversation-id \"a\u{7f}\")";
    assert_eq!(text(&message), expected);
    assert_eq!(arrived(&decode(Encoding::String, expected.as_bytes())), arrived(&message));
    for message in [
        Message::inform().protocol(Word::new("é").unwrap()),
        Message::inform().from(AgentIdentifier::new("a").address("http://é/acc")),
    ] {
        let refused = Dialect::Jade.encode(Encoding::String, &message).unwrap_err();
        assert!(refused.to_string().contains("JADE reads only ASCII characters"), "{refused}");
    }
}

#[test]
fn bytes_are_in_base64_where_jade_has_only_texts() {
    let bytes: &[u8] = &[0, 1, 2, 255];
    let message = Message::inform().content(bytes);
    assert_eq!(text(&message), "(inform :content \"AAEC/w==\" :X-JADE-Encoding Base64)");
    assert_eq!(encode(Encoding::BitEfficient, &message), b"\xFA\x10\x08\x04\x16\x04\x00\x01\x02\xFF\x01");
    let document = String::from_utf8(encode(Encoding::Xml, &message)).unwrap();
    assert!(
        document.contains("<X-JADE-Encoding>Base64</X-JADE-Encoding>\n\t<content>AAEC/w==</content>"),
        "{document}"
    );
    for encoding in Encoding::ALL {
        assert_eq!(decode(encoding, &encode(encoding, &message)), message);
    }
    let written = b"(INFORM\n:X-JADE-Encoding base64\n :content  \"AAEC/w==\" \n)";
    assert_eq!(decode(Encoding::String, written), message);
    // A content that is not valid Base64 is unchanged.
    let other = decode(Encoding::String, b"(inform :content \"no!\" :X-JADE-Encoding Base64)");
    assert_eq!((other.content, other.user_parameters.len()), (Some("no!".into()), 1));
}

#[test]
fn values_may_begin_with_a_colon() {
    let written = b"(INFORM :sender ( agent-identifier :name :a ) :language  :x  :protocol  :p\n :X-a :b )";
    let read = Dialect::Jade.decode(Encoding::String, written).unwrap();
    let word = |text| Word::new(text).unwrap();
    let expected = Message::inform().from(":a").language(word(":x")).protocol(word(":p"));
    assert_eq!(read.message, expected.user_parameter(word("X-a"), word(":b")));
    assert_eq!(read.repairs.len(), 4);
    assert!(read.repairs.iter().all(|repair| repair.kind == RepairKind::String(string::RepairKind::ColonValue)));
    assert!(string::decode_leniently(written).is_err());
}

#[test]
fn texts_may_end_with_a_backslash() {
    for (written, content, language) in [
        (r#"(INFORM :content  "a\" )"#, r"a\", None),
        (r#"(INFORM :content  "a\" :language x )"#, r"a\", Some("x")),
        (r#"(INFORM :content  "say \"b\\" :language x )"#, r#"say "b\\"#, Some("x")),
        // JADE writes these, but cannot read them.
        (r#"(INFORM :content  "a\" :language "two words" )"#, r"a\", Some("two words")),
        (r#"(INFORM :content  "\"a\" b\" :language "x y\" )"#, r#""a" b\"#, Some(r"x y\")),
        // Text that follows the standard is read by the standard.
        (r#"(INFORM :content  "a\" :language x" )"#, r#"a" :language x"#, None),
    ] {
        let message = decode(Encoding::String, written.as_bytes());
        assert_eq!(message.content, Some(content.into()), "{written}");
        assert_eq!(message.language.as_ref().and_then(Expression::as_text), language, "{written}");
    }
    let read = Dialect::Jade.decode(Encoding::String, br#"(INFORM :content "a\")"#).unwrap();
    assert_eq!(read.repairs[0].kind, RepairKind::String(string::RepairKind::LastBackslash));
    // The encoder counts characters as Java does.
    let message = Message::inform().content("é𝄞\\").language("x");
    assert_eq!(text(&message), "(inform :content #04\"é𝄞\\ :language x)");
    assert_eq!(decode(Encoding::String, text(&message).as_bytes()), message);
}

#[test]
fn reads_documents_with_unescaped_texts() {
    let written = "<fipa-message act=\"INFORM\" >\n\t<sender>\n\t\t<agent-identifier>\n\t\t\t<name id=\"say \"hi\"@p\" />\n\
        \t\t\t<addresses>\n\t\t\t\t<url href=\"http://h/?a=1&b=2\" />\n\t\t\t</addresses>\n\t\t</agent-identifier>\n\
        \t</sender>\n\t<content><a b=\\\"1\\\">x &amp; y</content> & <c/></content>\n\t<language>a < b & c</language>\n\
        \t<content-language-encoding>12</content-language-encoding>\n</fipa-message>\n";
    let read = Dialect::Jade.decode(Encoding::Xml, written.as_bytes()).unwrap();
    let expected = Message::inform()
        .from(AgentIdentifier::new("say \"hi\"@p").address("http://h/?a=1&b=2"))
        .content("<a b=\"1\">x &amp; y</content> & <c/>")
        .language("a < b & c")
        .encoding("12");
    assert_eq!(read.message, expected);
    assert_eq!(read.repairs[0].kind, RepairKind::Xml(xml::RepairKind::Unescaped));
    assert!(xml::decode_leniently(written.as_bytes()).is_err());
    let ours = String::from_utf8(encode(Encoding::Xml, &expected)).unwrap();
    assert!(ours.contains("<content><![CDATA[<a b=\"1\">x &amp; y</content> & <c/>]]></content>"), "{ours}");
    assert_eq!(decode(Encoding::Xml, ours.as_bytes()), expected);
}

#[test]
fn rejects_parameters_without_a_form_in_jade() {
    let parameter = UserParameter { name: Word::new("X-a").unwrap(), value: "b".into() };
    let agent = AgentIdentifier { user_parameters: vec![parameter], ..AgentIdentifier::new("a") };
    let refused = Dialect::Jade.encode(Encoding::Xml, &Message::inform().to(agent)).unwrap_err();
    assert_eq!(refused.place, "a parameter of receiver 1");
    let bytes = Expression::Bytes(vec![0xFF].into());
    for encoding in Encoding::ALL {
        let message = Message::inform().language(bytes.clone());
        assert!(Dialect::Jade.encode(encoding, &message).unwrap_err().place.contains("language"), "{encoding}");
    }
    let zero = Message::inform().reply_with("a\0b");
    assert!(Dialect::Jade.encode(Encoding::BitEfficient, &zero).unwrap_err().to_string().contains("zero"));
    assert!(Dialect::Jade.decode(Encoding::String, b"(inform) x").is_err());
    assert!(Dialect::Jade.decode(Encoding::BitEfficient, b"\xFA\x10\x08\x01\x01").is_err());
}

#[test]
fn the_standard_is_a_dialect_too() {
    let message = Message::inform().content("x");
    for encoding in Encoding::ALL {
        let data = Dialect::Standard.encode(encoding, &message).unwrap();
        assert_eq!(data, encoding.encode(&message).unwrap());
        assert_eq!(Dialect::Standard.decode(encoding, &data).unwrap().message, message);
    }
    let data = bit_efficient::encode(&message).unwrap();
    assert_eq!(decode(Encoding::BitEfficient, &data).content, Some("\"x\"".into()));
}

proptest! {
    #[test]
    fn reads_the_messages_that_it_writes_for_jade(message in message()) {
        for encoding in Encoding::ALL {
            let Ok(data) = Dialect::Jade.encode(encoding, &message) else { continue };
            let read = decode(encoding, &data);
            let mut expected = arrived(&message);
            if encoding == Encoding::BitEfficient
                && let Some(Content::Text(text)) = &expected.content
                && text.contains('\0')
            {
                expected.content = Some(Content::from(text.clone().into_owned().into_bytes()));
            }
            prop_assert_eq!(arrived(&read), expected, "{}", String::from_utf8_lossy(&data));
            if encoding == Encoding::Xml {
                prop_assert!(roxmltree::Document::parse(std::str::from_utf8(&data).unwrap()).is_ok());
            }
        }
    }

    #[test]
    fn no_message_of_jade_causes_a_crash(data in prop::collection::vec(any::<u8>(), 0..200), part in TAGS) {
        for encoding in Encoding::ALL {
            if let Err(error) = Dialect::Jade.decode(encoding, &data) {
                prop_assert!(error.at() <= data.len());
            }
        }
        let document = format!("<fipa-message act=\"INFORM\" >{part}</fipa-message>");
        if let Ok(read) = Dialect::Jade.decode(Encoding::Xml, document.as_bytes()) {
            prop_assert!(read.repairs.iter().all(|repair| repair.at <= document.len()));
        }
        let _ = Dialect::Jade.decode(Encoding::String, format!("(inform {part})").as_bytes());
    }
}

/// Parts of documents and texts.
const TAGS: &str = "(<content>|</content>|<sender>|</sender>|<name id=\"|\" />|&|<|\"|\\\\\"| |<!\\[CDATA\\[|\\]\\]>\
    |:content |:language |#5\"|é|\\)|x|<url href=\"a\" b=\"c\"/>|<X-a>|</X-a>|&amp;|&#65;){0,12}";
