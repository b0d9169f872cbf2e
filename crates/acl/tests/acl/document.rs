//! The messages of a tutorial of 2001, which agents write as it teaches. They are not part of this repository: where
//! they are missing, tests are skipped, unless `GOLDEN_DATA=required` is set. `leniency.rs` has messages of ours that
//! leave the grammar as they do.

use std::path::Path;

use situated_acl::string::RepairKind::*;
use situated_acl::string::{self, DecodeError, Reason, RepairKind, Wanted};
use situated_acl::{Content, Message, Place};

/// What a message of the document is.
struct Example {
    /// The line where it begins.
    line: usize,
    /// At which of its bytes the strict reader wants an agent, and what it finds there.
    refused: (usize, &'static str),
    /// What the lenient reader repairs.
    repairs: Vec<(usize, RepairKind)>,
    /// How its content begins and ends, and how many bytes it has.
    content: Option<(&'static str, &'static str, usize)>,
    /// Everything else.
    rest: Message<'static>,
}

fn document() -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/acl-and-protocols.txt");
    let text = std::fs::read_to_string(&path).ok();
    let required = std::env::var("GOLDEN_DATA").is_ok_and(|value| value == "required");
    assert!(text.is_some() || !required, "there is no document at {}", path.display());
    if text.is_none() {
        println!("skipped: there is no document at {}", path.display());
    }
    text
}

/// The messages that begin a line and are in no other message, each with its line.
fn messages(document: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut end = 0;
    for (newline, _) in document.match_indices("\n(") {
        let start = newline + 1;
        if start >= end {
            end = start + length_in_parentheses(&document[start..]);
            found.push((Place::of(document.as_bytes(), start).line, &document[start..end]));
        }
    }
    found
}

fn length_in_parentheses(text: &str) -> usize {
    let mut depth = 0;
    let closes = |byte: u8| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        depth == 0
    };
    text.bytes().position(closes).expect("its parentheses are balanced") + 1
}

#[test]
fn s23_all_messages_of_the_document_are_read_leniently_and_refused_by_the_strict_reader() {
    let Some(document) = document() else { return };
    let messages = messages(&document);
    assert_eq!(messages.len(), 26);
    for ((line, text), example) in messages.into_iter().zip(examples()) {
        assert_eq!(line, example.line);
        let (at, found) = example.refused;
        let reason = Reason::Unexpected { wanted: Wanted::Agent, found: found.into() };
        assert_eq!(string::decode(text.as_bytes()), Err(DecodeError { at, reason }), "line {line}");

        let read = string::decode_leniently(text.as_bytes()).unwrap_or_else(|error| panic!("line {line}: {error}"));
        let repairs: Vec<_> = read.repairs.iter().map(|repair| (repair.at, repair.kind)).collect();
        assert_eq!(repairs, example.repairs, "line {line}");
        let content = read.message.content.as_ref().map(|content| content.as_text().expect("a text"));
        assert_eq!(content.is_some(), example.content.is_some(), "line {line}");
        if let (Some(content), Some((first, last, length))) = (content, example.content) {
            assert!(content.starts_with(first) && content.ends_with(last), "line {line}: {content}");
            assert!(content.len() == length && text.contains(content), "line {line}: {content}");
        }

        let expected = Message { content: content.map(Content::from), ..example.rest };
        assert_eq!(read.message, expected, "line {line}");
        let written = string::encode(&expected).unwrap();
        assert_eq!(string::decode(&written), Ok(expected.clone()), "line {line}");
    }
}

fn said_by_a(message: Message<'static>) -> Message<'static> {
    message.from("A").to("B")
}

fn said_by_b(message: Message<'static>) -> Message<'static> {
    message.from("B").to("A")
}

fn examples() -> [Example; 26] {
    [
        Example {
            line: 221,
            refused: (18, "A:receiver"),
            repairs: vec![
                (18, BareName),
                (19, NameEndsAtParameter),
                (29, NoSet),
                (29, BareName),
                (42, UnquotedContent),
                (139, NoBreakSpaces),
            ],
            content: Some(("<marketplace>", "</marketplace>", 71)),
            rest: said_by_a(Message::query_if()).language("XML").ontology("mp.xsd"),
        },
        Example {
            line: 240,
            refused: (18, "B"),
            repairs: vec![(18, BareName), (30, NoSet), (30, BareName), (43, UnquotedContent), (140, NoBreakSpaces)],
            content: Some(("<marketplace>", "</marketplace>", 71)),
            rest: said_by_b(Message::confirm()).language("XML").ontology("mp.xsd"),
        },
        Example {
            line: 260,
            refused: (20, "B:receiver"),
            repairs: vec![
                (20, BareName),
                (21, NameEndsAtParameter),
                (31, NoSet),
                (31, BareName),
                (44, UnquotedContent),
                (141, NoBreakSpaces),
            ],
            content: Some(("<marketplace>", "</marketplace>", 71)),
            rest: said_by_b(Message::disconfirm()).language("XML").ontology("mp.xsd"),
        },
        Example {
            line: 279,
            refused: (16, "B"),
            repairs: vec![(16, BareName), (28, NoSet), (28, BareName), (40, UnquotedContent), (138, NoBreakSpaces)],
            content: Some(("<marketplace>", "</marketplace>", 73)),
            rest: said_by_b(Message::inform()).language("XML").ontology("mp.xsd"),
        },
        Example {
            line: 303,
            refused: (18, "A"),
            repairs: vec![(18, BareName), (30, NoSet), (30, BareName), (41, UnquotedContent), (169, NoBreakSpaces)],
            content: Some(("<task>", "</task>", 85)),
            rest: said_by_a(Message::request()).language("XML").ontology("task.xsd").reply_with("of01"),
        },
        Example {
            line: 324,
            refused: (15, "B"),
            repairs: vec![(15, BareName), (27, NoSet), (27, BareName), (39, UnquotedContent), (168, NoBreakSpaces)],
            content: Some(("<task>", "</task>", 85)),
            rest: said_by_b(Message::agree()).language("XML").ontology("task.xsd").in_reply_to("of01"),
        },
        Example {
            line: 346,
            refused: (17, "B"),
            repairs: vec![(17, BareName), (29, NoSet), (29, BareName), (41, UnquotedContent), (237, NoBreakSpaces)],
            content: Some(("<task>", "</task>", 152)),
            rest: said_by_b(Message::failure()).language("XML").ontology("task.xsd").in_reply_to("of01"),
        },
        Example {
            line: 374,
            refused: (13, "A"),
            repairs: vec![
                (13, BareName),
                (25, NoSet),
                (25, BareName),
                (38, UnquotedContent),
                (175, UnquotedText),
                (215, NoBreakSpaces),
            ],
            content: Some(("<proposal>", "</proposal>", 118)),
            rest: said_by_a(Message::cfp()).language("XML").ontology("bid.xsd").conversation_id("2000-06-10-384"),
        },
        Example {
            line: 400,
            refused: (18, "B"),
            repairs: vec![
                (18, BareName),
                (31, NoSet),
                (31, BareName),
                (44, UnquotedContent),
                (201, UnquotedText),
                (240, NoBreakSpaces),
            ],
            content: Some(("<proposal>", "</proposal>", 138)),
            rest: said_by_b(Message::propose()).language("XML").ontology("bid.xsd").conversation_id("2000-06-10-384"),
        },
        Example {
            line: 427,
            refused: (26, "A"),
            repairs: vec![
                (26, BareName),
                (39, NoSet),
                (39, BareName),
                (52, UnquotedContent),
                (209, UnquotedText),
                (249, NoBreakSpaces),
            ],
            content: Some(("<proposal>", "</proposal>", 138)),
            rest: said_by_a(Message::accept_proposal())
                .language("XML")
                .ontology("bid.xsd")
                .conversation_id("2000-06-10-384"),
        },
        Example {
            line: 455,
            refused: (26, "A"),
            repairs: vec![
                (26, BareName),
                (39, NoSet),
                (39, BareName),
                (51, UnquotedContent),
                (208, UnquotedText),
                (248, NoBreakSpaces),
            ],
            content: Some(("<proposal>", "</proposal>", 138)),
            rest: said_by_a(Message::reject_proposal())
                .language("XML")
                .ontology("bid.xsd")
                .conversation_id("2000-06-10-384"),
        },
        Example {
            line: 486,
            refused: (24, "A"),
            repairs: vec![(24, BareName), (37, NoSet), (37, BareName), (50, UnquotedContent)],
            content: Some(("<reason>", "</reason>", 25)),
            rest: said_by_a(Message::not_understood()).language("xml").conversation_id(200006101030),
        },
        Example {
            line: 507,
            refused: (17, "B"),
            repairs: vec![
                (17, BareName),
                (30, NoSet),
                (30, BareName),
                (43, NoBreakSpaces),
                (54, UnquotedContent),
                (123, UnquotedText),
            ],
            content: Some(("<reason>", "</reason>", 35)),
            rest: said_by_b(Message::refuse()).language("xml").conversation_id("2000-06-10-384"),
        },
        Example {
            line: 529,
            refused: (17, "A"),
            repairs: vec![(17, BareName), (30, NoSet), (30, BareName), (50, UnquotedText)],
            content: None,
            rest: said_by_a(Message::cancel()).conversation_id("2000-06-10-384"),
        },
        Example {
            line: 545,
            refused: (18, "A"),
            repairs: vec![
                (18, BareName),
                (31, NoSet),
                (31, BareName),
                (44, NoBreakSpaces),
                (55, UnquotedContent),
                (55, NestedParameters),
            ],
            content: Some(("(inform-if", ":language xml)", 172)),
            rest: said_by_a(Message::request()).language("sl").reply_with("query1"),
        },
        Example {
            line: 571,
            refused: (16, "B"),
            repairs: vec![(16, BareName), (18, NoBreakSpaces), (35, NoSet), (35, BareName), (54, UnquotedContent)],
            content: Some(("<product>", "</status>", 53)),
            rest: said_by_b(Message::inform()).language("xml").in_reply_to("query1"),
        },
        Example {
            line: 591,
            refused: (18, "A"),
            repairs: vec![
                (18, BareName),
                (31, NoSet),
                (31, BareName),
                (44, NoBreakSpaces),
                (51, UnquotedContent),
                (51, NestedParameters),
            ],
            content: Some(("(inform-ref", ":language xml)", 97)),
            rest: said_by_a(Message::request()).language("sl").reply_with("query2"),
        },
        Example {
            line: 619,
            refused: (17, "B\u{a0}"),
            repairs: vec![(17, BareName), (18, NoBreakSpaces), (32, NoSet), (32, BareName), (45, UnquotedContent)],
            content: Some(("<product>", "</product>", 26)),
            rest: said_by_b(Message::inform()).language("xml").in_reply_to("query2"),
        },
        Example {
            line: 641,
            refused: (20, "A"),
            repairs: vec![(20, BareName), (33, NoSet), (33, BareName), (46, NoBreakSpaces), (59, UnquotedContent)],
            content: Some(("<products>", "</products>", 21)),
            rest: said_by_a(Message::query_ref()),
        },
        Example {
            line: 655,
            refused: (17, "B"),
            repairs: vec![(17, BareName), (30, NoSet), (30, BareName), (43, NoBreakSpaces), (56, UnquotedContent)],
            content: Some(("<products>", "</products>", 134)),
            rest: said_by_b(Message::inform()),
        },
        Example {
            line: 681,
            refused: (20, "A"),
            repairs: vec![
                (20, BareName),
                (33, NoSet),
                (33, BareName),
                (46, NoBreakSpaces),
                (59, UnquotedContent),
                (114, UnquotedText),
            ],
            content: Some(("<products>", "</products>", 21)),
            rest: said_by_a(Message::subscribe()).language("xml").conversation_id("2000-06-11-908"),
        },
        Example {
            line: 699,
            refused: (17, "B"),
            repairs: vec![
                (17, BareName),
                (30, NoSet),
                (30, BareName),
                (43, NoBreakSpaces),
                (56, UnquotedContent),
                (173, UnquotedText),
            ],
            content: Some(("<products>", "</products>", 83)),
            rest: said_by_b(Message::inform()).language("xml").conversation_id("2000-06-11-908"),
        },
        Example {
            line: 721,
            refused: (17, "B"),
            repairs: vec![
                (17, BareName),
                (30, NoSet),
                (30, BareName),
                (43, NoBreakSpaces),
                (56, UnquotedContent),
                (223, UnquotedText),
            ],
            content: Some(("<products>", "</products>", 133)),
            rest: said_by_b(Message::inform()).language("xml").conversation_id("2000-06-11-908"),
        },
        Example {
            line: 745,
            refused: (17, "A"),
            repairs: vec![(17, BareName), (30, NoSet), (30, BareName), (65, UnquotedText)],
            content: None,
            rest: said_by_a(Message::cancel()).language("xml").conversation_id("2000-06-11-908"),
        },
        Example {
            line: 765,
            refused: (23, "A"),
            repairs: vec![
                (23, BareName),
                (36, NoSet),
                (36, BareName),
                (49, NoBreakSpaces),
                (66, UnquotedContent),
                (77, NestedParameters),
                (325, UnquotedText),
            ],
            content: Some(("<message>", "</condition>", 225)),
            rest: said_by_a(Message::request_when()).language("xml").conversation_id("2000-06-12-908"),
        },
        Example {
            line: 805,
            refused: (27, "A"),
            repairs: vec![
                (27, BareName),
                (40, NoSet),
                (40, BareName),
                (53, NoBreakSpaces),
                (68, UnquotedContent),
                (79, NestedParameters),
                (340, UnquotedText),
            ],
            content: Some(("<message>", "</condition>", 238)),
            rest: said_by_a(Message::request_whenever()).language("xml").conversation_id("2000-06-12-768"),
        },
    ]
}
