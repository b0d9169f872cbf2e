//! `situated acl parse`: shows the contents of messages, for people or for programs.

use std::io::{self, Write};

use situated_acl::{AgentIdentifier, Content, Expression, Message};

use super::json;
use super::printable;
use super::source::{Letter, Source};
use crate::table;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Print one JSON object per line for each message.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  echo '(inform :content \"it rains\" :language English)' | situated acl parse
  echo '(query-if :sender A :receiver B :content <p>plums</p>)' | situated acl parse --lenient --json
  echo 'fa1008041604000102ff01' | situated acl parse

Exit codes:
  0  all messages could be read
  1  one could not, or a file";

/// Prints the contents of messages.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let mut count = 0;
    arguments.source.for_each(|letter| {
        if arguments.json {
            writeln!(out, "{}", json::letter(&letter))?;
        } else {
            let separator = if count > 0 { "\n" } else { "" };
            write!(out, "{separator}{}{}", shown(&letter.message), repairs(&letter))?;
        }
        count += 1;
        Ok(())
    })
}

/// Returns a message as a table for people.
pub(crate) fn shown(message: &Message<'_>) -> String {
    let rows: Vec<[String; 2]> =
        parameters(message).map(|(name, value)| [printable(&name), printable(&value)]).collect();
    let table = table::render(&rows, 2, table::columns());
    format!("{}\n{table}", message.performative)
}

fn repairs(letter: &Letter) -> String {
    letter.repairs.iter().map(|repair| format!("  repaired: {repair}\n")).collect()
}

/// Returns the parameters of a message, with their values in readable form.
fn parameters<'m>(message: &'m Message<'_>) -> impl Iterator<Item = (String, String)> + use<'m> {
    let agents = |agents: &[AgentIdentifier<'_>]| {
        (!agents.is_empty()).then(|| agents.iter().map(agent).collect::<Vec<_>>().join(", "))
    };
    let value = |value: &Option<Expression<'_>>| value.as_ref().map(expression);
    let standard = [
        ("sender", message.sender.as_ref().map(agent)),
        ("receiver", agents(&message.receivers)),
        ("reply-to", agents(&message.reply_to)),
        ("content", message.content.as_ref().map(content)),
        ("language", value(&message.language)),
        ("encoding", value(&message.encoding)),
        ("ontology", value(&message.ontology)),
        ("protocol", message.protocol.as_ref().map(|protocol| protocol.to_string())),
        ("conversation-id", value(&message.conversation_id)),
        ("reply-with", value(&message.reply_with)),
        ("in-reply-to", value(&message.in_reply_to)),
        ("reply-by", message.reply_by.map(|time| time.to_string())),
    ];
    let present = |(name, value): (&str, Option<String>)| Some((name.to_owned(), value?));
    let others = message.user_parameters.iter();
    let others = others.map(|parameter| (parameter.name.to_string(), expression(&parameter.value)));
    standard.into_iter().filter_map(present).chain(others)
}

fn agent(agent: &AgentIdentifier<'_>) -> String {
    let mut text = agent.name.to_string();
    for address in &agent.addresses {
        text += &format!(" at {address}");
    }
    for resolver in &agent.resolvers {
        text += &format!(", known to {}", resolver.name);
    }
    text
}

fn content(content: &Content<'_>) -> String {
    match content.as_text() {
        Some(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        None => format!("{} bytes", content.as_bytes().len()),
    }
}

fn expression(value: &Expression<'_>) -> String {
    match value {
        Expression::Word(word) => word.to_string(),
        Expression::String(text) => format!("{text:?}"),
        Expression::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Expression::Number(number) => number.to_string(),
        Expression::Time(time) => time.to_string(),
        Expression::List(values) => format!("({})", values.iter().map(expression).collect::<Vec<_>>().join(" ")),
    }
}
