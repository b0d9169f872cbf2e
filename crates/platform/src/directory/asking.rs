//! Questions to the directory as messages, and the values in its answers, for programs.
//!
//! ```
//! use situated_platform::directory::{Answer, Description, Directory, Service, asking};
//! use situated_platform::names::DF;
//!
//! let mut directory = Directory::new();
//! let mut ask = |agent: &'static str, question: situated_acl::Message<'static>| {
//!     match directory.hear(DF, &question.from(agent), agent, &[], 0).answer {
//!         Answer::Given(answer) => *answer,
//!         other => panic!("{other:?}"),
//!     }
//! };
//! let plums = Description { agent: Some("ada".into()), ..Service::new("plums", "trade").into() };
//! asking::done(&ask("ada", asking::register(&plums)))?;
//! let answer = ask("bob", asking::search(&Service::of_type("trade").into(), 0));
//! assert_eq!(asking::found(&answer)?, [plums]);
//! # Ok::<(), asking::Declined>(())
//! ```

use situated_acl::{Expression, Message, Performative};

use super::constraints::Constraints;
use super::reading::{agent, agent_name, arguments, read, slot, word, write};
use super::{Description, ONTOLOGY};
use crate::names::{AMS, DF};

/// The reason why the directory does not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the directory answers `{act}`: {reason}")]
pub struct Declined {
    /// The act of the answer.
    pub act: Performative,
    /// The reason in the words of FIPA agent management, such as `already-registered`.
    pub reason: String,
}

/// Creates the request that registers the services of an agent.
pub fn register(description: &Description) -> Message<'static> {
    request(DF, vec![word("register"), description.into()])
}

/// Creates the request that replaces the services of an agent.
pub fn modify(description: &Description) -> Message<'static> {
    request(DF, vec![word("modify"), description.into()])
}

/// Creates the request that removes the services of an agent.
pub fn deregister(name: &str) -> Message<'static> {
    let description = Description { agent: Some(name.to_owned()), ..Description::default() };
    request(DF, vec![word("deregister"), (&description).into()])
}

/// Creates the request that searches for agents with services: all that a directory returns. The search goes on in the
/// directories of other platforms, up to `depth` one after another.
pub fn search(template: &Description, depth: u32) -> Message<'static> {
    request(DF, search_for(template.into(), depth))
}

/// Creates the request that searches for the agents that are registered with the server: all that a directory returns.
pub fn search_agents() -> Message<'static> {
    request(AMS, search_for(vec![word("ams-agent-description")].into(), 0))
}

/// Creates the request to notify an agent of changes of the descriptions that match a template, in a conversation.
pub fn subscribe(conversation: &str, template: &Description) -> Message<'static> {
    let search = vec![word("action"), agent(DF), search_for(template.into(), 0).into()].into();
    let result = vec![word("result"), search, word("?x")].into();
    let iota: Expression<'static> = vec![word("iota"), word("?x"), result].into();
    let subscribe =
        Message::subscribe().to(DF).language("fipa-sl").ontology(ONTOLOGY).content(write(&vec![iota].into()));
    subscribe.conversation_id(conversation.to_owned())
}

/// Creates the request that ends the subscription of a conversation.
pub fn cancel(conversation: &str) -> Message<'static> {
    Message::cancel().to(DF).ontology(ONTOLOGY).conversation_id(conversation.to_owned())
}

/// Reads the answer to a request without a result.
///
/// # Errors
/// Returns the reason if the directory has not done it.
pub fn done(answer: &Message<'_>) -> Result<(), Declined> {
    match answer.performative {
        Performative::Inform | Performative::Agree => Ok(()),
        act => Err(Declined { act, reason: reason(answer) }),
    }
}

/// Reads the answer to a [`search`]. Descriptions of another form are left out.
///
/// # Errors
/// Returns the reason if the directory has not searched.
pub fn found(answer: &Message<'_>) -> Result<Vec<Description>, Declined> {
    results(answer).map(|results| results.iter().filter_map(Description::read).collect())
}

/// Reads the names in the answer to [`search_agents`].
///
/// # Errors
/// Returns the reason if the directory has not searched.
pub fn found_agents(answer: &Message<'_>) -> Result<Vec<String>, Declined> {
    let name = |value: &Expression<'static>| agent_name(slot(arguments(value, "ams-agent-description")?, "name")?);
    results(answer).map(|results| results.iter().filter_map(name).collect())
}

/// Reads a notification about changes: the descriptions that match the template of the subscription now. A description
/// with nothing but a name no longer matches. Other messages return `None`.
pub fn changes(message: &Message<'_>) -> Option<Vec<Description>> {
    let Expression::List(propositions) = content(message).filter(|_| message.sender_name() == Some(DF))? else {
        return None;
    };
    let [_, value] = arguments(propositions.first()?, "=")? else { return None };
    arguments(value, "sequence").map(|listed| listed.iter().filter_map(Description::read).collect())
}

/// A search for all that matches a template.
fn search_for(template: Expression<'static>, depth: u32) -> Vec<Expression<'static>> {
    vec![word("search"), template, (&Constraints::all(depth)).into()]
}

fn request(to: &'static str, function: Vec<Expression<'static>>) -> Message<'static> {
    let action: Expression<'static> = vec![word("action"), agent(to), function.into()].into();
    Message::request().to(to).language("fipa-sl0").ontology(ONTOLOGY).content(write(&vec![action].into()))
}

fn content(message: &Message<'_>) -> Option<Expression<'static>> {
    message.content.as_ref().and_then(|content| content.as_text()).and_then(read)
}

/// The values in an answer: `((result (action …) (sequence …)))`.
pub(crate) fn results(answer: &Message<'_>) -> Result<Vec<Expression<'static>>, Declined> {
    done(answer)?;
    let listed = || match &content(answer)? {
        Expression::List(propositions) => match arguments(propositions.first()?, "result")? {
            [_, value] => arguments(value, "sequence").or_else(|| arguments(value, "set")).map(<[_]>::to_vec),
            _ => None,
        },
        _ => None,
    };
    listed().ok_or_else(|| Declined { act: answer.performative, reason: "without a list of results".into() })
}

/// The last part of a content such as `((action …) already-registered)`.
fn reason(answer: &Message<'_>) -> String {
    match content(answer) {
        Some(Expression::List(parts)) => parts.last().map(write).unwrap_or_default(),
        _ => "without a reason".into(),
    }
}
