//! The deviations from the grammar in messages of people and older platforms, and how they are read.

use situated_acl::string::RepairKind::*;
use situated_acl::string::{self, DecodeError, Reason, RepairKind, Wanted};
use situated_acl::{AgentIdentifier, Content, Expression, Message};

/// Reads a text that the strict decoder rejects. Returns the position and the reason of its error.
fn read<'a>(text: &'a str, repairs: &[(usize, RepairKind)]) -> (Message<'a>, usize, Reason) {
    let DecodeError { at, reason } = string::decode(text.as_bytes()).unwrap_err();
    let read = string::decode_leniently(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    let found: Vec<_> = read.repairs.iter().map(|repair| (repair.at, repair.kind)).collect();
    assert_eq!(found, repairs, "{text}");
    (read.message, at, reason)
}

fn refused(text: &str) -> DecodeError {
    string::decode(text.as_bytes()).unwrap_err();
    string::decode_leniently(text.as_bytes()).unwrap_err()
}

fn unexpected(wanted: Wanted, found: &str) -> Reason {
    Reason::Unexpected { wanted, found: found.into() }
}

#[test]
fn a_bare_name_is_an_agent() {
    let text = "(inform :sender ann :receiver (set bob@home:1099/x \"the third\"))";
    let (message, at, reason) = read(text, &[(16, BareName), (35, BareName), (51, BareName)]);
    assert_eq!((at, reason), (16, unexpected(Wanted::Agent, "ann")));
    assert_eq!(message, Message::inform().from("ann").to("bob@home:1099/x").to("the third"));
}

#[test]
fn an_agent_is_a_set_of_one() {
    let text = "(inform :receiver (agent-identifier :name bob) :reply-to (agent-identifier :name cat))";
    let (message, at, reason) = read(text, &[(18, NoSet), (57, NoSet)]);
    assert_eq!((at, reason), (18, unexpected(Wanted::Agents, "(")));
    assert_eq!(message, Message::inform().to("bob").reply_to("cat"));
}

#[test]
fn a_name_ends_where_a_parameter_begins() {
    let text = "(inform :sender ann:X-mood calm)";
    let (message, at, reason) = read(text, &[(16, BareName), (19, NameEndsAtParameter)]);
    assert_eq!((at, reason), (16, unexpected(Wanted::Agent, "ann:X-mood")));
    assert_eq!(message.sender, Some("ann".into()));
    assert_eq!(message.user_parameters[0].value, "calm".into());
}

#[test]
fn content_without_quotes_ends_at_the_next_parameter() {
    let text = "(inform :content it is: 5 o'clock (or \"6)\" :so) :ontology clock)";
    let (message, at, reason) = read(text, &[(17, UnquotedContent)]);
    assert_eq!((at, reason), (17, unexpected(Wanted::Text, "it")));
    assert_eq!(message, Message::inform().content("it is: 5 o'clock (or \"6)\" :so)").ontology("clock"));
    for (text, content) in [
        ("(inform :content  :smile: \t)", ":smile:"),
        ("(inform :content a \"b\" :c d:language )", "a \"b\" :c d:language"),
        ("(inform :content #5 is alive)", "#5 is alive"),
        ("(inform :content 12)", "12"),
        ("(inform :content a\n:X-b c)", "a"),
    ] {
        let read = string::decode_leniently(text.as_bytes()).unwrap();
        assert_eq!((read.message.content, read.repairs.len()), (Some(content.into()), 1), "{text}");
    }
}

#[test]
fn parameters_in_parentheses_belong_to_the_content() {
    let text = "(request :content do (inform :content (a) :language b) :reply-with r)";
    let (message, at, reason) = read(text, &[(18, UnquotedContent), (21, NestedParameters)]);
    assert_eq!((at, reason), (18, unexpected(Wanted::Text, "do")));
    assert_eq!(message, Message::request().content("do (inform :content (a) :language b)").reply_with("r"));
}

#[test]
fn content_can_be_nested_deeply() {
    let content = format!("{}{}", "(".repeat(100_000), ")".repeat(100_000));
    let text = format!("(inform :content {content})");
    assert_eq!(string::decode_leniently(text.as_bytes()).unwrap().message.content, Some(content.into()));
}

#[test]
fn reads_values_without_a_kind_as_texts() {
    let text = "(inform :sender (agent-identifier :name 7up) :conversation-id 2000-06-10 :reply-with (@a -b #c 1))";
    let unquoted = [40, 62, 86, 89, 92].map(|at| (at, UnquotedText));
    let (message, at, reason) = read(text, &unquoted);
    assert_eq!((at, reason), (40, unexpected(Wanted::Name, "7up")));
    assert_eq!(message.sender, Some("7up".into()));
    assert_eq!(message.conversation_id, Some("2000-06-10".into()));
    let list = ["@a", "-b", "#c"].map(Expression::from).into_iter().chain([1.into()]);
    assert_eq!(message.reply_with, Some(Expression::List(list.collect())));
}

#[test]
fn no_break_spaces_are_blanks_outside_of_texts() {
    let text =
        "(inform :sender (agent-identifier :name\u{a0}ann\u{a0}) :content\u{a0}\"a\u{a0}b\" :language\u{a0}c\u{a0})";
    let (message, at, reason) = read(text, &[(39, NoBreakSpaces)]);
    let name = "name\u{a0}ann\u{a0}".into();
    assert_eq!((at, reason), (34, Reason::UnknownParameter { name, nearest: Some("name") }));
    assert_eq!(message, Message::inform().from("ann").content("a\u{a0}b").language("c"));
    let text = "(inform :content \u{a0}a\u{a0}b\u{a0} )";
    let read = string::decode_leniently(text.as_bytes()).unwrap();
    assert_eq!(read.message.content, Some("a\u{a0}b".into()));
}

#[test]
fn no_break_spaces_in_words_of_strict_messages_are_letters() {
    let text = "(inform :language a\u{a0}b)".as_bytes();
    let read = string::decode_leniently(text).unwrap();
    assert_eq!((read.message.language, read.repairs.as_slice()), (Some("a\u{a0}b".into()), [].as_slice()));
}

#[test]
fn does_not_parse_the_content() {
    let broken = "<task>\\a.txt\\<task> <b /b> &c; </d>";
    let text = format!("(inform :content {broken} :language XML)");
    let (message, ..) = read(&text, &[(17, UnquotedContent)]);
    assert_eq!(message.content, Some(Content::from(broken)));
}

#[test]
fn compares_languages_ignoring_case() {
    for name in ["XML", "xml", "\"Xml\""] {
        let text = format!("(inform :language {name})");
        let message = string::decode(text.as_bytes()).unwrap();
        assert!(message.is_in("xml") && !message.is_in("sl"));
        assert_eq!(string::encode(&message).unwrap(), text.as_bytes());
    }
}

#[test]
fn unknown_parameters_are_kept() {
    let text = "(inform :envelope (sent 5) :sender (agent-identifier :name a :role buyer))";
    let (message, at, _) = read(text, &[(8, UnknownParameter), (61, UnknownParameter)]);
    assert_eq!(at, 8);
    assert_eq!(message.user_parameters[0].name, "envelope");
    let mut sender = AgentIdentifier::new("a");
    sender.user_parameters = message.sender.clone().unwrap().user_parameters;
    assert_eq!(sender.user_parameters[0].value, "buyer".into());
    let again = string::encode(&message).unwrap();
    assert_eq!(string::decode(&again).unwrap().user_parameters[0].name, "X-envelope");
}

#[test]
fn rejects_ambiguous_texts() {
    for (text, at, reason) in [
        ("(inform :content (a (b)", 17, Reason::UnclosedParenthesis),
        ("(inform :content (a \"b))", 20, Reason::UnclosedText),
        ("(inform :content a", 18, unexpected(Wanted::Parameter, "")),
        ("(inform :content a))", 19, Reason::DataAfterEnd { found: ")".into() }),
        ("(inform :content a :content b)", 19, Reason::Duplicate { name: "content".into() }),
        ("(inform :sender :receiver b)", 8, Reason::MissingValue { name: "sender".into() }),
        ("(inform :sender a b)", 18, unexpected(Wanted::Parameter, "b")),
        ("(inform :foo :content a)", 8, Reason::MissingValue { name: "foo".into() }),
        ("(inform :2 a)", 8, Reason::UnknownParameter { name: "2".into(), nearest: None }),
        ("(inform : a)", 8, Reason::UnknownParameter { name: "".into(), nearest: None }),
        ("(inform :sender)", 8, Reason::MissingValue { name: "sender".into() }),
        ("(inform :receiver (ann bob))", 18, unexpected(Wanted::Agent, "(")),
    ] {
        assert_eq!(refused(text), DecodeError { at, reason }, "{text}");
    }
}

#[test]
fn a_million_no_break_spaces_are_read() {
    // This would take minutes if each blank caused the rest of the text to be searched.
    for (before, unit, behind) in
        [("(inform :receiver (set a", "\u{a0}a", "))"), ("(inform :content a", "\u{a0}:a", ")")]
    {
        let text = format!("{before}{}{behind}", unit.repeat(1_000_000));
        assert!(string::decode_leniently(text.as_bytes()).is_ok());
    }
}
