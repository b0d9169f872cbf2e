//! Passes messages through the text codec of the real JADE. JADE is not part of this project: `./test` downloads it,
//! and passes its location in `JADE_CLASSPATH`.

#[path = "../acl/arrived.rs"]
mod arrived;
#[path = "../acl/random_messages.rs"]
mod random_messages;

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use situated_acl::{AgentIdentifier, Content, Dialect, Encoding, Expression, Message, Time, TimeKind};

/// Number of messages.
const MESSAGES: usize = 1000;

/// JADE's answer for a message.
struct Answer {
    content: Option<Vec<u8>>,
    conversation: Option<String>,
    sender: Option<String>,
    text: Vec<u8>,
    /// Whether JADE can read the text that it has written.
    is_read_again: bool,
}

#[test]
#[ignore = "needs Java and JADE; ./test fetches JADE and runs it"]
fn messages_survive_a_round_trip_through_jade() {
    let messages = random_messages();
    let (mut unread, mut understood) = (0, 0);
    let texts: Vec<Vec<u8>> = messages
        .iter()
        .map(|message| Dialect::Jade.encode(Encoding::String, message).expect("it has a form"))
        .collect();
    let answers = ask_jade(&texts);
    for ((message, text), answer) in messages.iter().zip(&texts).zip(answers) {
        let text = String::from_utf8_lossy(text);
        let answer = answer.unwrap_or_else(|problem| panic!("JADE does not read it: {problem}: {text}"));
        let expected = arrived::arrived(message);
        assert_eq!(answer.content.as_deref(), message.content.as_ref().map(Content::as_bytes), "{text}");
        let conversation = expected.conversation_id.as_ref().and_then(Expression::as_text);
        assert_eq!(answer.conversation.as_deref(), conversation, "{text}");
        assert_eq!(answer.sender.as_deref(), message.sender_name().map(str::trim), "{text}");
        let returned = String::from_utf8_lossy(&answer.text);
        let read = Dialect::Jade.decode(Encoding::String, &answer.text);
        let read = read.map(|read| kept(arrived::arrived(&read.message)));
        if answer.is_read_again {
            assert_eq!(read, Ok(kept(expected)), "{text}\n{returned}");
            continue;
        }
        // JADE cannot always read texts that end with a backslash.
        unread += 1;
        understood += usize::from(read == Ok(kept(expected)));
    }
    assert!(unread > 0 && understood * 10 >= unread * 9, "{understood} of {unread} that JADE does not read");
}

/// Random messages that JADE can express.
fn random_messages() -> Vec<Message<'static>> {
    let mut runner = TestRunner::deterministic();
    let message = random_messages::message();
    let mut messages = Vec::with_capacity(MESSAGES);
    while messages.len() < MESSAGES {
        let mut message = message.new_tree(&mut runner).expect("there are messages").current();
        message.content.take_if(|content| content.as_bytes().is_empty());
        message.protocol.take_if(|protocol| !protocol.as_str().is_ascii());
        message.reply_by.take_if(|time| !is_kept(time));
        values(&mut message).for_each(|value| _ = value.take_if(|value| !has_form(value)));
        message.user_parameters.retain(|parameter| has_form(&parameter.value));
        agents(&mut message).for_each(retain);
        agents(&mut message).for_each(name);
        if Dialect::Jade.encode(Encoding::String, &message).is_ok() {
            messages.push(message);
        }
    }
    messages
}

/// Whether a value is a text that is not empty: JADE omits parameters without a value, except their prefix.
fn has_form(value: &Expression<'_>) -> bool {
    value.as_text() != Some("")
        && Dialect::Jade.encode(Encoding::String, &Message::inform().language(value.clone())).is_ok()
}

fn values<'m>(message: &'m mut Message<'static>) -> impl Iterator<Item = &'m mut Option<Expression<'static>>> {
    let of_content = [&mut message.language, &mut message.encoding, &mut message.ontology];
    let of_conversation = [&mut message.conversation_id, &mut message.reply_with, &mut message.in_reply_to];
    of_content.into_iter().chain(of_conversation)
}

fn agents<'m>(message: &'m mut Message<'static>) -> impl Iterator<Item = &'m mut AgentIdentifier<'static>> {
    message.sender.iter_mut().chain(&mut message.receivers).chain(&mut message.reply_to)
}

/// Removes the parameters of an agent and its resolvers that JADE cannot express.
fn retain(agent: &mut AgentIdentifier<'static>) {
    agent.user_parameters.retain(|parameter| has_form(&parameter.value));
    agent.resolvers.iter_mut().for_each(retain);
}

/// Whether JADE writes a time unchanged: it is not relative, and not in another calendar.
fn is_kept(time: &Time) -> bool {
    time.kind == TimeKind::Absolute && time.zone == Some(b'Z') && time.year >= 1600
}

/// Removes what JADE drops: blanks at the ends of contents, names and numbers, and empty contents.
fn kept(mut message: Message<'static>) -> Message<'static> {
    if let Some(Content::Text(text)) = &message.content {
        let text = text.trim_matches(|letter| letter <= ' ').to_owned();
        message.content = Some(text).filter(|text| !text.is_empty()).map(Content::from);
    }
    values(&mut message).flatten().for_each(trim_number);
    message.user_parameters.iter_mut().for_each(|parameter| trim_number(&mut parameter.value));
    agents(&mut message).for_each(trim);
    message
}

/// Names agents whose name consists of blanks: JADE would omit it.
fn name(agent: &mut AgentIdentifier<'static>) {
    if agent.name.trim().is_empty() {
        agent.name = "nameless".into();
    }
    agent.resolvers.iter_mut().for_each(name);
}

/// Removes blanks around a name and around numbers.
fn trim(agent: &mut AgentIdentifier<'static>) {
    agent.name = agent.name.trim().to_owned().into();
    agent.user_parameters.iter_mut().for_each(|parameter| trim_number(&mut parameter.value));
    agent.resolvers.iter_mut().for_each(trim);
}

/// Removes blanks around texts that Java parses as numbers: JADE writes them without quotation marks.
fn trim_number(value: &mut Expression<'static>) {
    let number = value.as_text().map(str::trim).filter(|text| text.parse::<f64>().is_ok());
    if let Some(number) = number {
        *value = Expression::String(number.to_owned().into());
    }
}

/// Lets JADE read texts, and returns what it writes.
fn ask_jade(texts: &[Vec<u8>]) -> Vec<Result<Answer, String>> {
    let classpath = std::env::var_os("JADE_CLASSPATH").expect("JADE_CLASSPATH says where JADE lies");
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/jade/Driver.java");
    let mut java = Command::new("java");
    // JADE also prints messages of its own.
    java.arg("-cp").arg(classpath).arg(driver).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut java = java.spawn().expect("Java starts");
    let mut input = java.stdin.take().expect("it has an input");
    let lines: String = texts.iter().map(|text| BASE64_STANDARD.encode(text) + "\n").collect();
    let writing = thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = java.wait_with_output().expect("it ends");
    writing.join().expect("nothing panics").expect("it reads");
    assert!(output.status.success(), "{}", output.status);
    let answers: Vec<_> = String::from_utf8(output.stdout).expect("it is text").lines().map(answer).collect();
    assert_eq!(answers.len(), texts.len());
    answers
}

fn answer(line: &str) -> Result<Answer, String> {
    if let Some(problem) = line.strip_prefix("! ") {
        return Err(problem.to_owned());
    }
    let field = |text: &str| match text {
        "-" => None,
        "=" => Some(Vec::new()),
        text => Some(BASE64_STANDARD.decode(text).expect("it is in Base64")),
    };
    let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8(bytes).expect("it is text"));
    let (line, again) = line.rsplit_once(' ').expect("there are five fields");
    let mut fields = line.split(' ').map(field);
    let mut next = || fields.next().expect("there are five fields");
    Ok(Answer {
        content: next(),
        conversation: text(next()),
        sender: text(next()),
        text: next().expect("JADE writes what it has read"),
        is_read_again: again != "!",
    })
}
