//! Cases of the text encoding on which platforms must agree.

use std::borrow::Cow;

use situated_acl::string::{self, DecodeError, Reason, RepairKind, Wanted};
use situated_acl::{AgentIdentifier, Content, Expression, Message, Number, Performative, Time, Word};

/// Reads a text with both decoders, which must agree.
pub(crate) fn read(text: &str) -> Message<'_> {
    let message = string::decode(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    let leniently = string::decode_leniently(text.as_bytes()).unwrap();
    assert_eq!((&leniently.message, leniently.repairs.as_slice()), (&message, [].as_slice()));
    message
}

/// Returns the error, which must be the same for both decoders.
fn refused(text: &[u8]) -> DecodeError {
    let error = string::decode(text).unwrap_err();
    string::decode_leniently(text).unwrap_err();
    error
}

fn unexpected(at: usize, wanted: Wanted, found: &str) -> DecodeError {
    DecodeError { at, reason: Reason::Unexpected { wanted, found: found.into() } }
}

#[test]
fn s01_an_act_alone_is_a_message() {
    assert_eq!(read("(inform)"), Message::inform());
}

#[test]
fn s02_an_agent_tells_another_about_the_weather() {
    let text = r#"(inform :sender (agent-identifier :name i) :receiver (set (agent-identifier :name j))
        :content "weather (today, raining)" :language Prolog)"#;
    let expected = Message::inform().from("i").to("j").content("weather (today, raining)").language("Prolog");
    assert_eq!(read(text), expected);
}

#[test]
fn s03_keywords_are_read_in_capital_letters() {
    let text = "(REQUEST :SENDER (AGENT-IDENTIFIER :NAME a :ADDRESSES (SEQUENCE http://x/acc iiop://y)) \
        :RECEIVER (SET (Agent-Identifier :Name b)) :Reply-By +00000000T000500000)";
    let message = read(text);
    assert_eq!(message.performative, Performative::Request);
    assert_eq!(message.sender, Some(AgentIdentifier::new("a").address("http://x/acc").address("iiop://y")));
    assert_eq!(message.reply_by, Some(Time::after(300_000)));
    assert_eq!(message.reply_by.unwrap().moment(1_000, 0), 301_000);
}

#[test]
fn s04_quotation_marks_are_escaped() {
    let message = read(r#"(inform :content "say \"hi\" now" :language fipa-sl)"#);
    assert_eq!(message.content, Some(r#"say "hi" now"#.into()));
    let other_backslashes = read(r#"(inform :content "\n \\ \\" x")"#);
    assert_eq!(other_backslashes.content, Some(r#"\n \\ \" x"#.into()));
}

#[test]
fn s05_bytes_have_their_length() {
    let message = read(r#"(inform :content #8"a"b)c d\ :language fipa-sl)"#);
    assert_eq!(message.content, Some(br#"a"b)c d\"#[..].into()));
    assert_eq!(message.language, Some("fipa-sl".into()));
}

#[test]
fn s06_lengths_count_bytes() {
    let message = read("(inform :content #2\"é :language x)");
    assert_eq!(message.content, Some(Content::Bytes(Cow::Borrowed(&[0xC3, 0xA9]))));
    assert_eq!(message.language, Some("x".into()));
}

#[test]
fn s07_lists_keep_their_structure() {
    let text = r#"(inform :sender (agent-identifier :name a
        :resolvers (sequence (agent-identifier :name r :addresses (sequence http://r/acc))) :X-role seller)
        :X-priority (level 3 "very high" ()))"#;
    let message = read(text);
    let sender = message.sender.unwrap();
    assert_eq!(sender.resolvers, [AgentIdentifier::new("r").address("http://r/acc")]);
    assert_eq!(sender.user_parameters[0].name, "X-role");
    let list = vec!["level".into(), 3.into(), "very high".into(), Expression::List(vec![])];
    assert_eq!(message.user_parameters[0].value, Expression::List(list));
}

#[test]
fn s08_numbers_stay_as_they_are_written() {
    let message = read("(inform :conversation-id 200006101030 :reply-with 1.5e3 :in-reply-to -0.50)");
    assert_eq!(message.conversation_id, Some(Expression::Number(Number::new("200006101030").unwrap())));
    assert_eq!(message.reply_with.unwrap().as_text(), Some("1.5e3"));
    assert_eq!(message.in_reply_to.unwrap().as_text(), Some("-0.50"));
}

#[test]
fn s09_quotes_texts_that_begin_with_a_digit_and_are_not_numbers() {
    let text = b"(inform :conversation-id 2000-06-10-384)";
    assert_eq!(string::decode(text), Err(unexpected(25, Wanted::Value, "2000-06-10-384")));
    let read = string::decode_leniently(text).unwrap();
    assert_eq!(read.message.conversation_id, Some(Expression::String("2000-06-10-384".into())));
    assert_eq!(
        read.repairs.iter().map(|repair| (repair.at, repair.kind)).collect::<Vec<_>>(),
        [(25, RepairKind::UnquotedText)]
    );
}

#[test]
fn s10_agents_can_be_bare_names_and_content_can_be_raw() {
    let text = b"(query-if :sender A:receiver B :content <p>x</p> :language XML :ontology mp.xsd)";
    assert_eq!(string::decode(text), Err(unexpected(18, Wanted::Agent, "A:receiver")));
    let expected = Message::query_if().from("A").to("B").content("<p>x</p>").language("XML").ontology("mp.xsd");
    assert_eq!(string::decode_leniently(text).unwrap().message, expected);
}

#[test]
fn s11_a_message_in_a_message_keeps_its_parameters() {
    let inner = "(inform-if :sender B :receiver A :content (<p>x</p>) :language xml)";
    let text = format!("(request :sender A :receiver B :content {inner} :reply-with q1 :language sl)");
    let read = string::decode_leniently(text.as_bytes()).unwrap();
    let expected = Message::request().from("A").to("B").content(inner).reply_with("q1").language("sl");
    assert_eq!(read.message, expected);
    assert_eq!(read.repairs.last().unwrap().kind, RepairKind::NestedParameters);
}

#[test]
fn s12_a_text_in_quotes_ends() {
    let error = refused(b"(inform :content \"unterminated)");
    assert_eq!(error, DecodeError { at: 17, reason: Reason::UnclosedText });
}

#[test]
fn s13_checks_lengths() {
    let reason = Reason::LengthBeyondInput { length: 50, left: 4 };
    assert_eq!(refused(b"(inform :content #50\"abc)"), DecodeError { at: 17, reason });
    let reason = Reason::LengthBeyondInput { length: usize::MAX, left: 0 };
    assert_eq!(refused(b"(inform :reply-with #99999999999999999999999\""), DecodeError { at: 20, reason });
}

#[test]
fn s14_rejects_invalid_times() {
    for parameter in ["reply-by", "reply-with"] {
        let text = format!("(inform :{parameter} 20301341T250000000Z)");
        let found = "20301341T250000000Z".into();
        let reason = Reason::NoSuchTime { found, part: "month", value: 13 };
        assert_eq!(refused(text.as_bytes()), DecodeError { at: 10 + parameter.len(), reason });
    }
}

#[test]
fn s15_parameters_are_unique() {
    let duplicate = |name: &str| Reason::Duplicate { name: name.into() };
    let error = refused(b"(inform :content \"a\" :Content \"b\")");
    assert_eq!(error, DecodeError { at: 21, reason: duplicate("Content") });
    assert_eq!(refused(b"(inform :X-a b :x-A b)").reason, duplicate("x-A"));
    assert_eq!(refused(b"(inform :sender (agent-identifier :name a :name a))").reason, duplicate("name"));
}

#[test]
fn s16_only_another_message_can_follow_a_message() {
    let text = b"(inform :content \"x\") trailing";
    assert_eq!(refused(text), DecodeError { at: 22, reason: Reason::DataAfterEnd { found: "trailing".into() } });
    let (message, length) = string::decode_prefix(text).unwrap();
    assert_eq!((message, length), (Message::inform().content("x"), 21));
}

#[test]
fn s17_parameters_of_users_are_marked() {
    let text = b"(inform :foo bar :langage x)";
    let reason = Reason::UnknownParameter { name: "foo".into(), nearest: None };
    assert_eq!(string::decode(text), Err(DecodeError { at: 8, reason }));
    let read = string::decode_leniently(text).unwrap();
    assert_eq!(read.message.user_parameters[0].name, "foo");
    assert_eq!(read.message.user_parameters[0].value, "bar".into());
    assert_eq!(read.repairs[1].kind, RepairKind::UnknownParameter);
    let error = string::decode(b"(inform :langage x)").unwrap_err();
    let nearest = Some("language");
    assert_eq!(error.reason, Reason::UnknownParameter { name: "langage".into(), nearest });
    let written = string::encode(&read.message).unwrap();
    assert_eq!(written, b"(inform :X-foo bar :X-langage x)");
}

#[test]
fn s18_rejects_acts_that_are_not_in_the_standard() {
    let reason = |name: &str, nearest| Reason::UnknownAct { name: name.into(), nearest };
    assert_eq!(refused(b"(xyzzy :content \"x\")"), DecodeError { at: 1, reason: reason("xyzzy", None) });
    assert_eq!(refused(b"(infrom)").reason, reason("infrom", Some(Performative::Inform)));
    assert_eq!(refused(b"(greet :content \"x\")").reason, reason("greet", Some(Performative::Agree)));
    assert_eq!(refused(b"()").reason, reason(")", None));
}

#[test]
fn s19_nesting_is_bounded() {
    let nested = |depth: usize| format!("(inform :reply-with {}{})", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(refused(nested(100_000).as_bytes()), DecodeError { at: 276, reason: Reason::TooDeep { most: 256 } });
    assert_eq!(refused(nested(257).as_bytes()).reason, Reason::TooDeep { most: 256 });
    read(&nested(256));
    let known = |depth: usize| {
        let opening = "(agent-identifier :name a :resolvers (sequence ".repeat(depth);
        format!("(inform :sender {opening}(agent-identifier :name a){})", "))".repeat(depth))
    };
    read(&known(16));
    assert_eq!(refused(known(17).as_bytes()).reason, Reason::TooDeep { most: 16 });
    assert_eq!(refused(known(10_000).as_bytes()).reason, Reason::TooDeep { most: 16 });
}

#[test]
fn s20_a_set_can_be_empty() {
    assert_eq!(read("(inform :receiver (set) :reply-to (set ))"), Message::inform());
}

#[test]
fn s21_an_agent_has_a_name() {
    let error = refused(b"(inform :sender (agent-identifier :addresses (sequence http://x/acc)))");
    assert_eq!(error, DecodeError { at: 16, reason: Reason::NamelessAgent });
}

#[test]
fn s22_reads_what_it_writes() {
    let word = |text: &'static str| Expression::Word(Word::new(text).unwrap());
    for message in [
        Message::inform().content("a\\").conversation_id("b c"),
        Message::inform().content(&b"a\\"[..]).conversation_id("b\\"),
        Message::inform().content("").reply_with("").language(Expression::Bytes(Cow::Borrowed(b""))),
        Message::inform().content(" \"\\\" ").from("a\\").to("a b").reply_to(":name"),
        Message::inform().reply_with(word("a\"b\"")).in_reply_to(Expression::List(vec![word(":a")])),
    ] {
        let text = string::encode(&message).unwrap();
        assert_eq!(string::decode(&text), Ok(message));
    }
    assert_eq!(string::encode(&Message::inform().content("a\\")).unwrap(), b"(inform :content #02\"a\\)");
    let colon = Message::inform().language(word(":a"));
    assert_eq!(string::encode(&colon).unwrap(), b"(inform :language \":a\")");
}

// S23, the messages of the document, is in `document.rs`.

#[test]
fn detects_missing_values() {
    let missing = |name: &str| Reason::MissingValue { name: name.into() };
    for (text, at, name) in [
        ("(inform :language :content \"x\")", 8, "language"),
        ("(inform :language :x)", 8, "language"),
        ("(inform :content :language x)", 8, "content"),
        ("(inform :content)", 8, "content"),
        ("(inform :sender (agent-identifier :name :addresses))", 34, "name"),
    ] {
        assert_eq!(refused(text.as_bytes()), DecodeError { at, reason: missing(name) }, "{text}");
    }
}

#[test]
fn errors_name_the_unexpected_text() {
    for (text, at, wanted, found) in [
        ("", 0, Wanted::Message, ""),
        (" inform", 1, Wanted::Message, "inform"),
        ("(inform", 7, Wanted::Parameter, ""),
        ("(inform content \"x\")", 8, Wanted::Parameter, "content"),
        ("(inform :sender (agent :name a))", 16, Wanted::Agent, "("),
        ("(inform :receiver (set ()))", 23, Wanted::Agent, "("),
        ("(inform :receiver (sequence a))", 18, Wanted::Agents, "("),
        ("(inform :sender (agent-identifier :name (a)))", 40, Wanted::Name, "("),
        ("(inform :sender (agent-identifier :name a :addresses http://x))", 53, Wanted::Addresses, "http://x"),
        ("(inform :sender (agent-identifier :name a :addresses (sequence (x))))", 63, Wanted::Address, "("),
        ("(inform :sender (agent-identifier :name a :resolvers (set)))", 53, Wanted::Resolvers, "("),
        ("(inform :protocol \"fipa-request\")", 18, Wanted::Word, "\"fipa-request\""),
        ("(inform :protocol (a))", 18, Wanted::Word, "("),
        ("(inform :reply-by tomorrow)", 18, Wanted::Time, "tomorrow"),
        ("(inform :language", 17, Wanted::Value, ""),
        ("(inform :language (a", 20, Wanted::Value, ""),
    ] {
        assert_eq!(refused(text.as_bytes()), unexpected(at, wanted, found), "{text}");
    }
}

#[test]
fn words_are_utf_8_and_quoted_texts_can_be_any_bytes() {
    assert_eq!(refused(b"(inform :language \xE9)"), DecodeError { at: 18, reason: Reason::NotUtf8 });
    assert_eq!(refused(b"(inform :sender (agent-identifier :name \"\xE9\"))").reason, Reason::NotUtf8);
    let message = string::decode(b"(inform :content \"\xE9\\\"\\\" \\\")").unwrap_err();
    assert_eq!(message.reason, Reason::UnclosedText);
    let message = string::decode(b"(inform :content \"\xE9\\\"\\\" \\\\ \")").unwrap();
    assert_eq!(message.content, Some(b"\xE9\"\" \\\\ "[..].into()));
}

#[test]
fn limits_the_number_of_user_parameters() {
    let many = |count: usize| {
        let parameters: String = (0..count).map(|index| format!(" :X-{index} a")).collect();
        format!("(inform{parameters})")
    };
    assert_eq!(read(&many(256)).user_parameters.len(), 256);
    assert_eq!(refused(many(257).as_bytes()).reason, Reason::TooManyParameters { most: 256 });
}

#[test]
fn rejects_messages_without_a_form() {
    let word = |text: &'static str| Word::new(text).unwrap();
    let nested = (0..256).fold(Expression::from("a"), |inner, _| Expression::List(vec![inner]));
    let parameter = |name: &'static str| situated_acl::UserParameter { name: word(name), value: 1.into() };
    let mut twice = Message::inform();
    twice.user_parameters = vec![parameter("X-a"), parameter("A")];
    let time = Time { month: 13, ..Time::at(0) };
    for (message, place) in [
        (Message::inform().to("a").to(AgentIdentifier::new("b").address("http://b c")), "an address of receiver 2"),
        (
            Message::inform().from(AgentIdentifier::new("a").resolver(AgentIdentifier::new("b").address(""))),
            "an address of resolver 1 of sender",
        ),
        (Message::inform().protocol(word(":a")), "protocol"),
        (Message::inform().language(Expression::List(vec![nested])), "the value of language"),
        (twice, "a parameter"),
        (Message::inform().reply_by(time), "the month of reply-by"),
    ] {
        let refused = string::encode(&message).unwrap_err();
        assert_eq!(refused.place, place, "{refused}");
    }
}
