//! The abilities of an agent, which its programmer writes.

use crate::content::xml;
use crate::{AgentIdentifier, Content, Expression, Message};

/// Something that is said in a message, or in a message within it.
#[derive(Clone, Copy, Debug)]
pub struct Clause<'a> {
    /// The content.
    pub content: &'a Content<'a>,
    /// In which language.
    pub language: Option<&'a Expression<'a>>,
    /// In the words of which ontology.
    pub ontology: Option<&'a Expression<'a>>,
    /// By whom.
    pub said_by: Option<&'a AgentIdentifier<'a>>,
}

/// Whether a proposition is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It is.
    True,
    /// It is not.
    False,
    /// The agent does not know.
    Unknown,
}

/// The result of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is done. The content is its result, or else the action itself is repeated.
    Done(Option<Content<'static>>),
    /// It was tried in vain, for this reason.
    Failed(Content<'static>),
    /// It will not be done, for this reason.
    Refused(Content<'static>),
    /// It has begun; [`Responder::finished`](crate::Responder::finished) is called with the number of the task.
    Begun,
}

/// The number of something that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub(super) u64);

/// The expressions that an agent can evaluate and the actions that it can do. A [`Responder`](crate::Responder) calls
/// it for requests of other agents.
pub trait Abilities {
    /// Whether a proposition is true now.
    fn holds(&mut self, proposition: Clause<'_>) -> Truth;

    /// What an expression refers to now, as the content of an answer; none if the agent cannot tell. An empty set is
    /// something that can be told.
    fn refers_to(&mut self, description: Clause<'_>) -> Option<Content<'static>>;

    /// Performs an action, or begins to.
    fn perform(&mut self, action: Clause<'_>, task: TaskId) -> Outcome;

    /// Stops what has begun; whether that was possible.
    fn stop(&mut self, _task: TaskId) -> bool {
        false
    }

    /// How it is said that a proposition is true or false: as it stands, and as `(not …)`.
    fn statement(&mut self, proposition: Clause<'_>, truth: bool) -> Content<'static> {
        let said = proposition.content.clone().into_owned();
        match said.as_text() {
            Some(text) if !truth => format!("(not {text})").into(),
            _ => said,
        }
    }

    /// The action and the condition of a conditional request: by default what stands in the elements `message` and
    /// `condition` of XML.
    fn action_and_condition(&mut self, content: Clause<'_>) -> Option<(Content<'static>, Content<'static>)> {
        let (action, condition) = xml::action_and_condition(content.content)?;
        Some((action.to_owned().into(), condition.to_owned().into()))
    }

    /// Whether the agent says this because somebody else wants it to. By default it does not: only what goes back to
    /// whoever asked, which is not asked for here, is said.
    fn may_say(&mut self, _message: &Message<'_>, _wanted_by: Option<&AgentIdentifier<'_>>) -> bool {
        false
    }
}
