//! `situated acl`: messages in files and pipes.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::{Finished, SITUATED, printed, situated};

/// The folder with conversations.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/acl");

/// Runs the command with this standard input.
fn piped(arguments: &str, input: &[u8]) -> Finished {
    run(arguments, input).into()
}

fn run(arguments: &str, input: &[u8]) -> Output {
    let mut command = Command::new(SITUATED);
    command.arg("acl").args(arguments.split_whitespace());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    child.stdin.take().expect("it has an input").write_all(input).expect("it reads");
    child.wait_with_output().expect("it ends")
}

/// Returns the output of the command if it succeeds.
fn bytes(arguments: &str, input: &[u8]) -> Vec<u8> {
    let output = run(arguments, input);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    output.stdout
}

fn parsed(arguments: &str, input: &[u8]) -> Vec<Value> {
    let Finished { code, out, err } = piped(arguments, input);
    assert_eq!((code, err.as_str()), (0, ""));
    out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

#[test]
fn parse_prints_text_for_people() {
    let Finished { code, out, .. } =
        piped("parse", br#"(inform :sender (agent-identifier :name i) :content "it  rains")"#);
    assert_eq!((code, out.as_str()), (0, "inform\n  sender   i\n  content  it rains\n"));
    let text = printed(&format!("acl parse {FOLDER}/conversation.acl"));
    let acts: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with(' ')).collect();
    assert_eq!(acts, ["cfp", "propose", "refuse", "accept-proposal", "inform"]);
    assert!(text.contains("  receiver         B, C\n"), "{text}");
}

#[test]
fn parse_prints_json_for_any_encoding() {
    let message =
        parsed("parse --json", b"(cfp :receiver (set (agent-identifier :name B)) :reply-with 3 :ontology (a \"b c\"))");
    let expected = json!({
        "performative": "cfp", "receiver": [{"name": "B"}], "reply-with": 3, "ontology": ["a", "b c"],
    });
    assert_eq!(message, [expected]);
    assert_eq!(
        parsed("parse --json", b"fa1008041604000102ff01"),
        [json!({
            "performative": "inform", "content": {"hex": "000102ff"},
        })]
    );
    let xml = b"<fipa-message act=\"CFP\"><receiver><agent-identifier><name id=\"B\"/>\
        </agent-identifier></receiver></fipa-message>";
    assert_eq!(parsed("parse --json", xml), [json!({"performative": "cfp", "receiver": [{"name": "B"}]})]);
}

#[test]
fn tokens_keep_their_letters_in_json() {
    for token in ["120000000000000000000000000001", "1.5e3", "1E5", "007", "+1", "1.50", ".5", "9007199254740993"] {
        let text = format!("(inform :conversation-id {token} :reply-with 42 :in-reply-to (-1.5 {token}))");
        let message = parsed("parse --json", text.as_bytes());
        let expected = json!({
            "performative": "inform", "conversation-id": token, "reply-with": 42, "in-reply-to": [-1.5, token],
        });
        assert_eq!(message, [expected]);
    }
}

#[test]
fn errors_of_grammar_name_their_place_and_can_be_repaired() {
    let text = b"(query-if\n:sender A:receiver B :content <p>x</p>)";
    let Finished { code, out, err } = piped("parse", text);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.starts_with("error: standard input, line 2, column 9: expected an agent"), "{err}");
    assert!(
        err.ends_with(
            "; --lenient reads it as it was probably meant\n  :sender A:receiver B :content <p>x</p>)\n          ^\n"
        ),
        "{err}"
    );
    let message = &parsed("parse --json --lenient", text)[0];
    assert_eq!(message["receiver"], json!([{"name": "B"}]));
    assert_eq!(message["content"], "<p>x</p>");
    let repairs = message["repairs"].as_array().expect("it lists repairs");
    assert_eq!(repairs[0], "standard input, line 2, column 9: a name alone was read as an agent of that name");
}

#[test]
fn messages_survive_conversion_through_all_encodings() {
    let conversation = fs::read(format!("{FOLDER}/conversation.acl")).expect("it is there");
    let first = conversation.split_inclusive(|byte| *byte == b'\n').take(3).collect::<Vec<_>>().concat();
    let text = piped("convert --to string", &first).out;
    let mut data = text.clone().into_bytes();
    for form in ["bit-efficient", "xml", "hex", "string"] {
        data = bytes(&format!("convert --to {form}"), &data);
    }
    assert_eq!(String::from_utf8(data).expect("it is text"), text);
    // Messages in the bit-efficient encoding need no separator.
    let bytes = bytes("convert --to bit-efficient", &conversation);
    let acts = parsed("parse --json", &bytes).into_iter().map(|message| message["performative"].clone());
    assert_eq!(acts.collect::<Vec<_>>(), ["cfp", "propose", "refuse", "accept-proposal", "inform"]);
}

#[test]
fn messages_can_be_converted_for_jade_and_back() {
    let message = b"(inform :content \"say \\\"hi\\\"\" :language \"two words\")\n";
    let data = bytes("convert --to bit-efficient --for jade", message);
    assert_eq!(data, b"\xFA\x10\x08\x09\x14\"two words\"\0\x04\x14say \"hi\"\0\x01");
    let Finished { code, out, .. } = piped("convert --by jade --to string", &data);
    assert_eq!((code, out.as_bytes()), (0, &message[..]));
    let document = bytes("convert --to xml --for jade", b"(inform :content #4\"\x00\x01\x02\xFF)");
    assert_eq!(parsed("parse --json --by jade", &document)[0]["content"], json!({"hex": "000102ff"}));
    // JADE writes this.
    let written = b"(INFORM\n :content  \"a\\\" \n :language  :x )";
    assert_eq!(piped("parse", written).code, 1);
    let message = &parsed("parse --json --by jade", written)[0];
    assert_eq!((&message["content"], &message["language"]), (&json!("a\\"), &json!(":x")));
    let Finished { code, err, .. } = piped("convert --to string --for jade", "(inform :protocol é)".as_bytes());
    assert!(code == 1 && err.contains("JADE reads only ASCII characters"), "{err}");
}

#[test]
fn convert_lists_repairs_and_writes_correct_messages() {
    let Finished { code, out, err } =
        piped("convert --lenient --to string", b"(request :sender A :content (inform-if :x y))");
    assert_eq!(code, 0);
    assert_eq!(out, "(request :sender (agent-identifier :name A) :content \"(inform-if :x y)\")\n");
    assert!(
        err.lines().count() >= 2 && err.lines().all(|line| line.starts_with("repaired: standard input, line 1")),
        "{err}"
    );
    assert_eq!(piped("parse", out.as_bytes()).code, 0);
}

#[test]
fn errors_of_conversion_name_the_place_of_the_message() {
    let Finished { code, out, err } =
        piped("convert --to xml", b"(inform :sender (agent-identifier :name \"a\x01b\"))");
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(
        err.starts_with("error: the message at standard input, line 1, column 1 cannot be written in this encoding: "),
        "{err}"
    );
    assert!(err.contains("sender") && err.contains("a\\u{1}b"), "{err}");
}

#[test]
fn conversations_are_checked_against_their_protocols() {
    let said = printed(&format!("acl check {FOLDER}/conversation.acl"));
    assert_eq!(said, "5 messages in 1 conversation follow their protocols.\n");
    let rules = "check --lenient --profile tutorial --protocol fipa-subscribe";
    let Finished { code, out, .. } =
        piped(rules, &fs::read(format!("{FOLDER}/subscription.acl")).expect("it is there"));
    assert_eq!((code, out.as_str()), (0, "4 messages in 1 conversation follow their protocols.\n"));
}

#[test]
fn the_first_violation_is_explained() {
    let conversation = fs::read_to_string(format!("{FOLDER}/conversation.acl")).expect("it is there");
    let (before, after) = conversation.split_once("(accept-proposal").expect("there is one");
    let without_acceptance = format!("{before}{}", &after[after.find("(inform").expect("there is one")..]);
    let Finished { code, out, err } = piped("check", without_acceptance.as_bytes());
    assert_eq!((code, out.as_str()), (1, ""));
    assert_eq!(
        err,
        "error: message 4 (standard input, line 10, column 1): `B` in conversation `market-1`: fipa-contract-net, Proposed: \
         `inform` by the participant is out of sequence; legal acts are `not-understood`; its `in-reply-to` is not the \
         `reply-with` of a message that expects a response\n",
    );
}

#[test]
fn messages_without_a_protocol_are_not_checked() {
    let Finished { code, out, err } = piped("check", b"(inform :content \"x\")");
    assert_eq!((code, out.as_str()), (0, "0 messages in 0 conversations follow their protocols.\n"));
    assert!(err.contains("--protocol"), "{err}");
}

#[test]
fn no_stranger_passes_a_parameter_for_one_of_the_standard() {
    let read = parsed("parse --json", b"fa1008 00 10706572666f726d617469766500 106d00 01");
    assert_eq!(read, [json!({ "performative": "inform", "X-performative": "m" })]);
}

#[test]
fn control_characters_in_messages_are_not_printed() {
    let Finished { code, out, .. } = piped("parse", b"(inform :content \"a\x1b[31mb\")");
    assert_eq!((code, out.as_str()), (0, "inform\n  content  a [31mb\n"));
    let agreed = b"(agree :sender (agent-identifier :name \"\x1bA\") :protocol fipa-request :conversation-id c)";
    let Finished { code, err, .. } = piped("check", agreed);
    assert_eq!((code, err.contains("` A` in conversation"), err.contains('\x1b')), (1, true, false), "{err}");
}

#[test]
fn byte_order_marks_and_whitespace_around_messages_are_ignored() {
    let read = parsed("parse --json", b"\xEF\xBB\xBF(inform)\r\n\0(agree)\r\n\0");
    assert_eq!(read, [json!({ "performative": "inform" }), json!({ "performative": "agree" })]);
}

#[cfg(unix)]
#[test]
fn an_endless_file_is_an_error() {
    let Finished { code, err, .. } = situated("acl parse /dev/zero");
    assert_eq!(code, 1);
    assert!(err.contains("/dev/zero has more than 256 MiB"), "{err}");
}

#[test]
fn messages_are_written_even_if_the_standard_error_is_closed() {
    let input = b"(inform :sender A)\n".repeat(5_000);
    let mut command = Command::new(SITUATED);
    command.args(["acl", "convert", "--lenient", "--to", "string"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    drop(child.stderr.take());
    child.stdin.take().expect("it has an input").write_all(&input).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 5_000);
}

#[test]
fn errors_name_the_place_among_thousands_of_messages_on_a_line() {
    let input = [b"(inform :sender A) ".repeat(20_000), b"(inform".to_vec()].concat();
    let Finished { code, err, .. } = piped("convert --lenient --to hex", &input);
    assert_eq!(code, 1);
    assert!(err.contains("line 1, column 379998: a name alone"), "{}", err.lines().rev().nth(3).unwrap_or_default());
}
