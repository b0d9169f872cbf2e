//! Messages written by JADE, with the contents that JADE reports. They cannot be published with this project; the
//! tests need a copy beside the checkout.

use std::fs;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use situated_acl::{AgentIdentifier, Dialect, Encoding, Expression, Message, Performative, Time, UserParameter, Word};

/// The folder of the messages.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/jade/messages.jsonl");

/// A message in the three encodings of JADE.
struct Recorded {
    truth: Message<'static>,
    string: String,
    bytes: Vec<u8>,
    xml: String,
}

/// The messages written by JADE; empty if they are missing and not required.
fn recorded() -> Vec<Recorded> {
    let Ok(lines) = fs::read_to_string(RECORDED) else {
        let required = std::env::var("GOLDEN_DATA").is_ok_and(|value| value == "required");
        assert!(!required, "the messages of JADE are missing at {RECORDED}");
        return Vec::new();
    };
    let read = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a line is an object");
        let text = |name: &str| row[name].as_str().expect("it is a text").to_owned();
        let bytes = BASE64_STANDARD.decode(text("be")).expect("bytes are in Base64");
        Recorded { truth: truth(&row["message"]), string: text("string"), bytes, xml: text("xml") }
    };
    let all: Vec<Recorded> = lines.lines().map(read).collect();
    assert_eq!(all.len(), 300);
    all
}

/// The contents of a message, as JADE reports them.
fn truth(received: &Value) -> Message<'static> {
    let text = |name: &str| received[name].as_str().map(str::to_owned);
    let value = |name: &str| text(name).map(Expression::from);
    let agents = |name: &str| received[name].as_array().expect("agents are a list").iter().map(agent).collect();
    assert!(received["bytes"].is_null(), "no message has bytes");
    Message {
        sender: Some(&received["sender"]).filter(|sender| !sender.is_null()).map(agent),
        receivers: agents("receiver"),
        reply_to: agents("replyTo"),
        content: text("content").map(Into::into),
        language: value("language"),
        encoding: value("encoding"),
        ontology: value("ontology"),
        protocol: text("protocol").map(|text| Word::new(text).expect("a protocol is a word")),
        conversation_id: value("conversationId"),
        reply_with: value("replyWith"),
        in_reply_to: value("inReplyTo"),
        reply_by: received["replyBy"].as_i64().map(Time::at),
        user_parameters: parameters(&received["user"], ""),
        ..Message::new(received["act"].as_str().and_then(|act| act.parse::<Performative>().ok()).expect("an act"))
    }
}

fn agent(received: &Value) -> AgentIdentifier<'static> {
    let each = |name: &str| received[name].as_array().expect("a list").iter();
    AgentIdentifier {
        name: received["name"].as_str().expect("an agent has a name").to_owned().into(),
        addresses: each("addresses").map(|url| url.as_str().expect("a URL").to_owned().into()).collect(),
        resolvers: each("resolvers").map(agent).collect(),
        user_parameters: parameters(&received["user"], "X-"),
    }
}

/// Parameters, which JADE distinguishes by names without this prefix.
fn parameters(received: &Value, prefix: &str) -> Vec<UserParameter<'static>> {
    let parameter = |(name, value): (&String, &Value)| UserParameter {
        name: Word::new(format!("{prefix}{name}")).expect("a name is a word"),
        value: value.as_str().expect("values are texts").to_owned().into(),
    };
    received.as_object().expect("parameters have names").iter().map(parameter).collect()
}

/// Removes what JADE omits in XML.
fn without_parameters(message: &Message<'static>) -> Message<'static> {
    let bare = |agent: &AgentIdentifier<'static>| AgentIdentifier {
        resolvers: Vec::new(),
        user_parameters: Vec::new(),
        ..agent.clone()
    };
    Message {
        sender: message.sender.as_ref().map(bare),
        receivers: message.receivers.iter().map(bare).collect(),
        reply_to: message.reply_to.iter().map(bare).collect(),
        user_parameters: Vec::new(),
        ..message.clone()
    }
}

/// Sorts the parameters, whose order has no meaning.
fn sorted(mut message: Message<'_>) -> Message<'_> {
    fn sort(agent: &mut AgentIdentifier<'_>) {
        agent.user_parameters.sort_by(|a, b| a.name.cmp(&b.name));
        agent.resolvers.iter_mut().for_each(sort);
    }
    message.user_parameters.sort_by(|a, b| a.name.cmp(&b.name));
    message.sender.iter_mut().chain(&mut message.receivers).chain(&mut message.reply_to).for_each(sort);
    message
}

fn assert_reads(encoding: Encoding, data: &[u8], truth: &Message<'static>) {
    let read = Dialect::Jade.decode(encoding, data);
    let read = read.unwrap_or_else(|error| panic!("{encoding}: {error}: {}", String::from_utf8_lossy(data)));
    assert_eq!(sorted(read.message), sorted(truth.clone()), "{encoding}: {}", String::from_utf8_lossy(data));
}

#[test]
fn reads_messages_of_jade_as_jade_does() {
    for Recorded { truth, string, bytes, xml } in recorded() {
        assert_reads(Encoding::String, string.as_bytes(), &truth);
        assert_reads(Encoding::BitEfficient, &bytes, &truth);
        assert_reads(Encoding::Xml, xml.as_bytes(), &without_parameters(&truth));
    }
}

#[test]
fn writes_the_same_messages_as_jade() {
    let all = recorded();
    let mut same_documents = 0;
    for Recorded { truth, bytes, xml, .. } in &all {
        let ours = Dialect::Jade.encode(Encoding::BitEfficient, truth).expect("it has a form");
        assert_eq!(ours, *bytes, "{}", String::from_utf8_lossy(&ours));
        let text = Dialect::Jade.encode(Encoding::String, truth).expect("it has a form");
        assert_reads(Encoding::String, &text, truth);
        let bare = without_parameters(truth);
        let document = String::from_utf8(Dialect::Jade.encode(Encoding::Xml, &bare).expect("it has a form")).unwrap();
        assert!(roxmltree::Document::parse(&document).is_ok(), "{document}");
        assert_reads(Encoding::Xml, document.as_bytes(), &bare);
        // If JADE has written no unescaped characters, both documents are equal.
        if !xml.contains('&') && !xml.contains("\\\"") {
            assert_eq!(document, *xml);
            same_documents += 1;
        }
    }
    assert!(same_documents * 10 >= all.len(), "only {same_documents} documents could be compared");
}
