//! Accepted and rejected XML.

use proptest::prelude::*;
use situated_acl::xml::{Reason, decode, decode_leniently, encode};
use situated_acl::{AgentIdentifier, Content, Expression, Message, Number, Time, UserParameter, Word};

use crate::random_messages::message;

fn reason(document: &str) -> Reason {
    assert!(decode_leniently(document.as_bytes()).is_err(), "{document}");
    decode(document.as_bytes()).expect_err("it is refused").reason
}

fn assert_stable(message: &Message<'_>) -> String {
    let document = encode(message).unwrap();
    assert_eq!(decode(&document).as_ref(), Ok(message), "{}", String::from_utf8_lossy(&document));
    String::from_utf8(document).unwrap()
}

#[test]
fn x1_reads_messages_of_jade() {
    let document = b"<?xml version=\"1.0\"?>\n<fipa-message act=\"CFP\">\n\t<sender>\n\t\t<agent-identifier>\n\t\t\t\
        <name id=\"a@p\"/>\n\t\t\t<addresses>\n\t\t\t\t<url href=\"http://h:7778/acc\"/>\n\t\t\t</addresses>\n\t\t\
        </agent-identifier>\n\t</sender>\n\t<receiver>\n\t\t<agent-identifier><name id=\"b@q\"/></agent-identifier>\n\
        \t</receiver>\n\t<receiver><agent-identifier><name id=\"c@q\"/></agent-identifier></receiver>\n\t<content>\n\
        (x)</content>\n\t<reply-by time=\"20300317T174640000Z\"/></fipa-message>\n";
    let expected = Message::cfp()
        .from(AgentIdentifier::new("a@p").address("http://h:7778/acc"))
        .to("b@q")
        .to("c@q")
        .content("\n(x)")
        .reply_by("20300317T174640000Z".parse().unwrap());
    assert_eq!(decode(document), Ok(expected));
}

#[test]
fn x2_contents_are_escaped() {
    for content in ["a<b & \"c\"", "]]>", " \r\n\t ", "", "&amp;", "\u{85}\u{2028}"] {
        assert_stable(&Message::inform().content(content));
    }
}

#[test]
fn x4_document_types_and_unknown_entities_are_refused() {
    let with_type = "<?xml version=\"1.0\"?><!DOCTYPE fipa-message [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>\
        <fipa-message act=\"inform\"><content>&e;</content></fipa-message>";
    assert_eq!(reason(with_type), Reason::DocumentType);
    assert_eq!(reason("<!DOCTYPE fipa-message SYSTEM \"http://127.0.0.1/x\"><fipa-message/>"), Reason::DocumentType);
    let content = |text: &str| format!("<fipa-message act=\"inform\"><content>{text}</content></fipa-message>");
    assert_eq!(reason(&content("&e;")), Reason::Entity("e".into()));
    assert_eq!(reason(&content("&#1;")), Reason::Character('\u{1}'));
    assert_eq!(reason(&content("\u{1}")), Reason::Character('\u{1}'));
    assert_eq!(reason("<fipa-message act=\"inf&e;orm\"/>"), Reason::Entity("e".into()));
    assert!(matches!(reason(&content("&#xD800;")), Reason::Entity(_)));
}

#[test]
fn reads_variants_of_other_platforms() {
    let document = b"\xEF\xBB\xBF<fipa-message act='request' conversation-id='c 1'><!-- why --><?p q?>
        <receiver>
            <agent-identifier><name>\n  b@q </name><addresses><url>\n http://h/acc\n</url></addresses>
            </agent-identifier>
            <agent-identifier><name refid='c@q'/><resolvers><agent-identifier><name id='r'/></agent-identifier>
            </resolvers><user-defined href='X-a'>1</user-defined></agent-identifier>
        </receiver>
        <content><![CDATA[<x> &amp; ]]>&#x41;&lt;</content>
        <language> fipa-sl0 </language>
        <ontology href='http://o/x'/>
        <reply-by>20300317T174640000Z</reply-by>
        <X-mine>(a \"b c\" 12)</X-mine>
    </fipa-message>";
    let list = vec![Expression::from("a"), Expression::String("b c".into()), Expression::from(12)];
    let name = |name| Word::new(name).unwrap();
    let mut third = AgentIdentifier::new("c@q").resolver("r");
    third.user_parameters = vec![UserParameter { name: name("X-a"), value: Expression::from(1) }];
    let expected = Message::request()
        .to(AgentIdentifier::new("b@q").address("http://h/acc"))
        .to(third)
        .content("<x> &amp; A<")
        .language("fipa-sl0")
        .ontology(Expression::String("http://o/x".into()))
        .conversation_id("c 1")
        .reply_by("20300317T174640000Z".parse().unwrap())
        .user_parameter(name("X-mine"), list);
    assert_eq!(decode(document), Ok(expected));
}

#[test]
fn values_keep_their_kinds() {
    for (value, text) in [
        (Expression::from("fipa-sl"), "fipa-sl"),
        (Expression::String("two words".into()), "two words"),
        (Expression::String("fipa-sl".into()), "\"fipa-sl\""),
        (Expression::String("12".into()), "\"12\""),
        (Expression::String("2000-06-10-384".into()), "2000-06-10-384"),
        (Expression::String("".into()), ""),
        (Expression::String(" a ".into()), "\" a \""),
        (Expression::String(" a b ".into()), "&#32;a b&#32;"),
        (Expression::Number(Number::new("1.50").unwrap()), "1.50"),
        (Expression::Time(Time::at(0)), "19700101T000000000Z"),
        (Expression::Bytes(b"ab".into()), "#2\"ab"),
        (Expression::List(vec![Expression::List(vec![]), Expression::from("<")]), "(() &lt;)"),
    ] {
        let document = assert_stable(&Message::inform().reply_with(value));
        let start = document.find("<reply-with>").expect(&document) + "<reply-with>".len();
        assert_eq!(&document[start..document.find("</reply-with>").unwrap()], text);
    }
}

#[test]
fn texts_with_invalid_characters_are_in_base64() {
    let base64 = |message: &Message<'_>| assert!(assert_stable(message).contains("encoding=\"base64\""));
    base64(&Message::inform().content(&b"\x00\xFF"[..]));
    base64(&Message::inform().content("\u{1}"));
    base64(&Message::inform().content("\0"));
    base64(&Message::inform().reply_with(Expression::String("\u{FFFE}".into())));
    base64(&Message::inform().reply_with(Expression::Bytes(b"\xFF".into())));
    base64(&Message::inform().protocol(Word::new("a\u{FFFF}").unwrap()));
    let content = |attributes: &str, text: &str| {
        format!("<fipa-message act='inform'><content {attributes}>{text}</content></fipa-message>")
    };
    let spread = content("encoding='Base64'", "\n AAE\n CAw== ");
    let expected = Message::inform().content(Content::Bytes(b"\x00\x01\x02\x03".into()));
    assert_eq!(decode(spread.as_bytes()), Ok(expected));
    assert_eq!(reason(&content("encoding='base64'", "A")), Reason::NotBase64);
    assert_eq!(reason(&content("encoding='base64' type='text'", "/w==")), Reason::NotUtf8);
    assert_eq!(reason(&content("encoding='gzip'", "")), Reason::UnknownEncoding("gzip".into()));
    let named = Message::inform().from("a\u{1}");
    assert_eq!(encode(&named).unwrap_err().place, "the name of sender");
}

#[test]
fn rejects_documents_that_are_not_messages() {
    let element = |found: &str, expected| Reason::Element { found: found.into(), expected };
    let lacks = |element: &str, what| Reason::Missing { element: element.into(), what };
    let inside = |text: &str| format!("<fipa-message act=\"inform\">{text}</fipa-message>");
    for (document, expected) in [
        (String::new(), Reason::Truncated("fipa-message".into())),
        ("<envelope/>".into(), element("envelope", "fipa-message")),
        ("<fipa-message/>".into(), lacks("fipa-message", "attribute `act`")),
        (inside("<sender/>"), lacks("sender", "agent identifier")),
        (inside("<sender><agent-identifier/></sender>"), lacks("agent-identifier", "name")),
        (
            inside("<user-defined>1</user-defined>"),
            lacks("user-defined", "attribute `href`, the name of the parameter"),
        ),
        (inside("<priority>1</priority>"), element("priority", "a parameter of a message")),
        (inside("<language>x</language><language/>"), Reason::Duplicate("`<language>`".into())),
        (inside("x"), Reason::Text("fipa-message".into())),
        (inside("<content><b/></content>"), element("b", "a text")),
        (inside("") + "<x/>", Reason::Outside),
        (inside("") + "x", Reason::Outside),
        ("<fipa-message act=\"inform\">".into(), Reason::Truncated("fipa-message".into())),
    ] {
        assert_eq!(reason(&document), expected, "{document}");
    }
    assert!(matches!(reason("<fipa-message act=\"greet\"/>"), Reason::UnknownAct(_)));
    assert!(matches!(reason(&inside("<protocol>a b</protocol>")), Reason::NotAWord(_)));
    assert!(matches!(reason(&inside("<reply-by time=\"soon\"/>")), Reason::NotATime(_)));
    assert!(matches!(reason(&inside("</sender>")), Reason::IllFormed(_)));
    let nested = format!("<sender>{}", "<agent-identifier><name id='a'/><resolvers>".repeat(100_000));
    assert_eq!(reason(&inside(&nested)), Reason::TooDeep);
    assert_eq!(decode(b"<fipa-message act=\"\xFF\"/>").unwrap_err().reason, Reason::NotUtf8);
}

/// Documents that are not well-formed, with `¦` at the place of the error.
const ILL_FORMED: [&str; 31] = [
    "<fipa-message act=\"inform\"><sender><agent-identifier><name id=\"say \"¦hi\"@p\"/></agent-identifier></sender></fipa-message>",
    "<fipa-message act=\"inform\" a=\"1\" ¦a=\"2\"/>",
    "<fipa-message act=\"inform\" ¦act=\"inform\"/>",
    "<fipa-message act=\"inform\" ¦=x/>",
    "<fipa-message act=\"inform\"¦b=\"x\"/>",
    "<fipa-message act=¦inform/>",
    "<fipa-message act=\"inform\" b¦/>",
    "<fipa-message act=\"inform\" b=¦/>",
    "<fipa-message act=\"inform\" b=\"¦<\"/>",
    "<fipa-message act=\"inform\" ¦b=\"&x;\"/>",
    "<fipa-message act=\"inform\" ¦b=\"&\"/>",
    "<fipa-message act=\"inform\" ¦b=\"&#1;\"/>",
    "<fipa-message act=\"inform\" ¦b=\"&#+65;\"/>",
    "<fipa-message act=\"inform\" ¦1b=\"\"/>",
    "<fipa-message act=\"inform\" ¦/ />",
    "<fipa-message act=\"inform\" ¦x:b=\"\"/>",
    "<fipa-message act=\"inform\" xmlns:x=\"u\" xmlns:y=\"u\" x:a=\"\" ¦y:a=\"\"/>",
    "<fipa-message act=\"inform\"><receiver xmlns:x=\"u\"/><receiver ¦x:a=\"\"/></fipa-message>",
    "<fipa-message act=\"inform\"><¦X-a!b>1</X-a!b></fipa-message>",
    "<fipa-message act=\"inform\"><¦X-a:b>1</X-a:b></fipa-message>",
    "<fipa-message act=\"inform\"><content>a]]¦></content></fipa-message>",
    "<fipa-message act=\"inform\"><content>¦&#X41;</content></fipa-message>",
    "<fipa-message act=\"inform\"><content>¦&#;</content></fipa-message>",
    "<fipa-message act=\"inform\"><content>¦& b</content></fipa-message>",
    "<fipa-message act=\"inform\">¦<!-- a -- b --></fipa-message>",
    "<fipa-message act=\"inform\">¦<!-- a---></fipa-message>",
    "<fipa-message act=\"inform\">¦<?xml version=\"1.0\"?></fipa-message>",
    "<fipa-message act=\"inform\">¦<?1?></fipa-message>",
    " ¦<?xml version=\"1.0\"?><fipa-message act=\"inform\"/>",
    "<?xml¦ encoding=\"utf-8\"?><fipa-message act=\"inform\"/>",
    "<?xml version=\"1.0\" encoding=\"utf-8\" ¦version=\"1.0\"?><fipa-message act=\"inform\"/>",
];

#[test]
fn reports_the_place_of_malformed_xml() {
    for marked in ILL_FORMED {
        let document = marked.replace('¦', "");
        assert!(roxmltree::Document::parse(&document).is_err(), "{marked}");
        let error = decode(document.as_bytes()).expect_err(marked);
        assert_eq!(Some(error.at), marked.find('¦'), "{marked}: {error}");
        assert_eq!(decode_leniently(document.as_bytes()), Err(error));
    }
}

#[test]
fn ignores_unknown_attributes() {
    let document = "\u{feff}<?xml version='1.0' encoding=\"UTF-8\" standalone='yes' ?>\n\
        <fipa-message xmlns='u' xmlns:x = 'v' x:y='&lt;' z='' xml:lang=\"de\"\tact='&#105;nform' \
        conversation-id='a\r\n\tb'><content x:z='>'>x</content ><!-- - --><?p?></fipa-message >\n<!---->";
    assert_eq!(decode(document.as_bytes()), Ok(Message::inform().content("x").conversation_id("a  b")));
}

proptest! {
    #[test]
    fn decodes_the_messages_that_it_encodes(message in message()) {
        let document = encode(&message).unwrap();
        prop_assert_eq!(decode(&document), Ok(message.clone()), "{}", String::from_utf8_lossy(&document));
        let repaired = decode_leniently(&document).unwrap();
        prop_assert_eq!((repaired.message, repaired.repairs), (message, vec![]));
    }
}
