//! The abilities of an agent, implemented by its programmer.

use crate::content::xml;
use crate::{AgentIdentifier, Content, Expression, Message};

/// A content, in a message or in a message within it.
#[derive(Clone, Copy, Debug)]
pub struct Clause<'a> {
    /// The content.
    pub content: &'a Content<'a>,
    /// The language.
    pub language: Option<&'a Expression<'a>>,
    /// The ontology.
    pub ontology: Option<&'a Expression<'a>>,
    /// The agent that said it.
    pub said_by: Option<&'a AgentIdentifier<'a>>,
}

/// The truth value of a proposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It is true.
    True,
    /// It is false.
    False,
    /// The agent does not know.
    Unknown,
}

/// The result of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is done. The content is its result; without a result, the response repeats the action.
    Done(Option<Content<'static>>),
    /// It was attempted and failed, for this reason.
    Failed(Content<'static>),
    /// It will not be performed, for this reason.
    Refused(Content<'static>),
    /// It has begun. Call [`Responder::finished`](crate::Responder::finished) with the number of the task when it is
    /// done.
    Begun,
}

/// The number of a task that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub(super) u64);

/// The expressions that an agent can evaluate and the actions that it can perform. A [`Responder`](crate::Responder)
/// calls it to respond to other agents.
pub trait Abilities {
    /// Returns whether a proposition is true now.
    fn holds(&mut self, proposition: Clause<'_>) -> Truth;

    /// Returns what an expression refers to now, as the content of a response; `None` if the agent cannot tell. An
    /// empty set is a valid answer.
    fn refers_to(&mut self, description: Clause<'_>) -> Option<Content<'static>>;

    /// Performs an action, or starts to.
    fn perform(&mut self, action: Clause<'_>, task: TaskId) -> Outcome;

    /// Stops a task that has begun. Returns whether that was possible.
    fn stop(&mut self, _task: TaskId) -> bool {
        false
    }

    /// Returns a statement that a proposition is true or false. The default is the proposition itself, and `(not …)`.
    fn statement(&mut self, proposition: Clause<'_>, truth: bool) -> Content<'static> {
        let said = proposition.content.clone().into_owned();
        match said.as_text() {
            Some(text) if !truth => format!("(not {text})").into(),
            _ => said,
        }
    }

    /// Returns the action and the condition of a conditional request. The default takes the XML elements `message`
    /// and `condition`.
    fn action_and_condition(&mut self, content: Clause<'_>) -> Option<(Content<'static>, Content<'static>)> {
        let (action, condition) = xml::action_and_condition(content.content)?;
        Some((action.to_owned().into(), condition.to_owned().into()))
    }

    /// Whether the agent sends this message because another agent wants it to. By default it does not; it only
    /// responds to the agent that asked, for which this method is not called.
    fn may_say(&mut self, _message: &Message<'_>, _wanted_by: Option<&AgentIdentifier<'_>>) -> bool {
        false
    }
}
