//! The messages of a tutorial of 2001, written as agents of that time write them. They are not part of this
//! repository. Tests that need them are skipped if they are missing, unless `GOLDEN_DATA=required` is set.
//! `leniency.rs` contains similar messages of this project.

use std::path::Path;

use situated_acl::string::{self, Reason, Wanted};
use situated_acl::{Message, TextPosition};

/// The expectations for each message: its line, its sender, and its parameters besides the content; the position at
/// which the strict decoder expects an agent, and what it finds there; the repairs of the lenient decoder; the
/// beginning, the end and the length of its content.
const EXPECTED: &str = include_str!("document.txt");

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

/// The messages that begin a line and are not inside another message, each with its line.
fn messages(document: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut end = 0;
    for (newline, _) in document.match_indices("\n(") {
        let start = newline + 1;
        if start >= end {
            end = start + length_in_parentheses(&document[start..]);
            found.push((TextPosition::of(document.as_bytes(), start).line, &document[start..end]));
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
fn s23_only_the_lenient_decoder_reads_the_messages_of_the_document() {
    let Some(document) = document() else { return };
    let messages = messages(&document);
    assert_eq!(messages.len(), 26);
    let expected: Vec<&str> = EXPECTED.lines().map(str::trim).collect();
    assert_eq!(expected.len(), 4 * messages.len());
    for ((line, text), expected) in messages.into_iter().zip(expected.as_chunks().0) {
        let [said, refused, repairs, content] = expected;
        let (number, said) = said.split_once(' ').expect("a line and what is said");
        assert_eq!(line.to_string(), number);

        let error = string::decode(text.as_bytes()).unwrap_err();
        let Reason::Unexpected { wanted: Wanted::Agent, found } = error.reason else { panic!("{}", error.reason) };
        assert_eq!(format!("{} {}", error.at, found.escape_default()), *refused, "line {line}");

        let read = string::decode_leniently(text.as_bytes()).unwrap_or_else(|error| panic!("line {line}: {error}"));
        let repaired: Vec<_> = read.repairs.iter().map(|repair| format!("{} {:?}", repair.at, repair.kind)).collect();
        assert_eq!(repaired.join(" "), *repairs, "line {line}");
        match (&read.message.content, content.split_once(' ')) {
            (None, None) => {}
            (Some(read), Some((first, rest))) => {
                let (last, length) = rest.rsplit_once(' ').expect("an end and a length");
                let content = read.as_text().expect("a text");
                assert!(content.starts_with(first) && content.ends_with(last), "line {line}: {content}");
                assert!(content.len().to_string() == length && text.contains(content), "line {line}: {content}");
            }
            (content, expected) => panic!("line {line}: {content:?}, expected {expected:?}"),
        }

        let (by, said) = said.split_once(' ').expect("who says it");
        let (from, to) = if by == "A" { ("A", "B") } else { ("B", "A") };
        let expected = string::decode(said.as_bytes()).expect(said).from(from).to(to);
        let expected = Message { content: read.message.content.clone(), ..expected };
        assert_eq!(read.message, expected, "line {line}");
        let written = string::encode(&expected).unwrap();
        assert_eq!(string::decode(&written), Ok(expected.clone()), "line {line}");
    }
}
