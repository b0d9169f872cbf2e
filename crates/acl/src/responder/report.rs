//! What has come of what somebody asked for, before it is put into a message.

use super::abilities::Outcome;
use crate::content::xml;
use crate::{Content, Expression};

/// What is to be told about what was asked for.
pub(super) enum Report {
    /// It is done; what was asked for is repeated, unless there is something else to be told.
    Inform(Option<Told>),
    Failure(Content<'static>),
    Refuse(Content<'static>),
    Later,
}

/// Something to be told, in the language of the question unless it has one of its own.
pub(super) struct Told {
    pub content: Content<'static>,
    pub language: Option<Expression<'static>>,
    pub ontology: Option<Expression<'static>>,
}

impl Report {
    pub(super) fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done(result) => result.map_or(Report::Inform(None), Report::result),
            Outcome::Failed(reason) => Report::Failure(reason),
            Outcome::Refused(reason) => Report::Refuse(reason),
            Outcome::Begun => Report::Later,
        }
    }

    pub(super) fn result(content: Content<'static>) -> Self {
        Report::Inform(Some(Told { content, language: None, ontology: None }))
    }

    pub(super) fn unknown() -> Self {
        Report::Refuse(xml::reason("unknown"))
    }
}
