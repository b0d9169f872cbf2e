//! Requests to an owner as values, so that simulations can draw and compare them.

use situated::iil::{Action, EcoString};
use situated::interface::Moment;
use situated_runtime::{Input, Speed};

/// A request to an owner.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Request {
    Input(Input),
    Act { agent: EcoString, action: Action, entities: Vec<EcoString>, number: Option<u64> },
    Pass { agent: EcoString, entities: Vec<EcoString> },
    Wait { after: Moment },
    Advance { steps: u64, at_once: bool },
    SetSpeed(Speed),
}
