//! The communicative acts (FIPA SC00037): the purposes of messages.

use std::fmt;
use std::str::FromStr;

/// One of the 22 communicative acts of the standard.
///
/// Its number is its code in the bit-efficient encoding (SC00069), which is its position in the alphabet, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Performative {
    /// Accepts a proposal to perform an action.
    AcceptProposal = 1,
    /// Agrees to perform an action, possibly in the future.
    Agree,
    /// Withdraws a request for an action.
    Cancel,
    /// Calls for proposals to perform an action.
    Cfp,
    /// Tells an agent that is uncertain about a proposition that it is true.
    Confirm,
    /// Tells an agent that believes a proposition that it is false.
    Disconfirm,
    /// Reports that an action was attempted and has failed.
    Failure,
    /// Tells that a proposition is true.
    Inform,
    /// Macro act: tells whether a proposition is true. It can be requested, and is performed with an `inform`.
    InformIf,
    /// Macro act: tells what a description refers to. It can be requested, and is performed with an `inform`.
    InformRef,
    /// Reports that an action of the receiver was not understood.
    NotUnderstood,
    /// Asks the receiver to act on the message in the content, and to pass it on.
    Propagate,
    /// Proposes to perform an action under conditions.
    Propose,
    /// Asks the receiver to find agents, and to send them the message in the content.
    Proxy,
    /// Asks whether a proposition is true.
    QueryIf,
    /// Asks what a description refers to.
    QueryRef,
    /// Refuses to perform an action, and gives the reason.
    Refuse,
    /// Rejects a proposal to perform an action.
    RejectProposal,
    /// Asks the receiver to perform an action.
    Request,
    /// Asks the receiver to perform an action when a proposition becomes true.
    RequestWhen,
    /// Asks the receiver to perform an action each time a proposition becomes true.
    RequestWhenever,
    /// Asks to be informed of what a description refers to, now and whenever that changes.
    Subscribe,
}

/// The kind of content that the standard requires for an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKind {
    /// An action.
    Action,
    /// A proposition.
    Proposition,
    /// An expression that refers to something.
    ReferentialExpression,
    /// An action and a condition, or an action and a reason.
    ActionAndProposition,
    /// An action, a condition and a reason.
    ActionConditionAndReason,
    /// An action, and an expression that refers to its preconditions.
    ActionAndReferentialExpression,
    /// A description of agents, a message, and a condition.
    AgentsMessageAndCondition,
}

/// A name that belongs to no communicative act.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no communicative act `{0}`")]
pub struct UnknownAct(pub String);

impl Performative {
    /// All acts, in the order of the alphabet.
    pub const ALL: [Performative; 22] = [
        Performative::AcceptProposal,
        Performative::Agree,
        Performative::Cancel,
        Performative::Cfp,
        Performative::Confirm,
        Performative::Disconfirm,
        Performative::Failure,
        Performative::Inform,
        Performative::InformIf,
        Performative::InformRef,
        Performative::NotUnderstood,
        Performative::Propagate,
        Performative::Propose,
        Performative::Proxy,
        Performative::QueryIf,
        Performative::QueryRef,
        Performative::Refuse,
        Performative::RejectProposal,
        Performative::Request,
        Performative::RequestWhen,
        Performative::RequestWhenever,
        Performative::Subscribe,
    ];

    /// The name: `accept-proposal`.
    pub const fn name(self) -> &'static str {
        match self {
            Performative::AcceptProposal => "accept-proposal",
            Performative::Agree => "agree",
            Performative::Cancel => "cancel",
            Performative::Cfp => "cfp",
            Performative::Confirm => "confirm",
            Performative::Disconfirm => "disconfirm",
            Performative::Failure => "failure",
            Performative::Inform => "inform",
            Performative::InformIf => "inform-if",
            Performative::InformRef => "inform-ref",
            Performative::NotUnderstood => "not-understood",
            Performative::Propagate => "propagate",
            Performative::Propose => "propose",
            Performative::Proxy => "proxy",
            Performative::QueryIf => "query-if",
            Performative::QueryRef => "query-ref",
            Performative::Refuse => "refuse",
            Performative::RejectProposal => "reject-proposal",
            Performative::Request => "request",
            Performative::RequestWhen => "request-when",
            Performative::RequestWhenever => "request-whenever",
            Performative::Subscribe => "subscribe",
        }
    }

    /// Returns the act with this name, ignoring case.
    pub fn named(name: &[u8]) -> Option<Performative> {
        Performative::ALL.into_iter().find(|act| name.eq_ignore_ascii_case(act.name().as_bytes()))
    }

    /// The code in the bit-efficient encoding, 1 to 22.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the act with this code.
    pub fn with_code(code: u8) -> Option<Performative> {
        Performative::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// Whether it is a macro act, which occurs in the content of other acts and is never sent itself.
    pub const fn is_macro(self) -> bool {
        matches!(self, Performative::InformIf | Performative::InformRef)
    }

    /// The kind of its content.
    pub const fn content_kind(self) -> ContentKind {
        use Performative::*;
        match self {
            Cancel | Request => ContentKind::Action,
            Confirm | Disconfirm | Inform | InformIf | QueryIf => ContentKind::Proposition,
            InformRef | QueryRef | Subscribe => ContentKind::ReferentialExpression,
            AcceptProposal | Agree | Failure | NotUnderstood | Propose | Refuse | RequestWhen | RequestWhenever => {
                ContentKind::ActionAndProposition
            }
            RejectProposal => ContentKind::ActionConditionAndReason,
            Cfp => ContentKind::ActionAndReferentialExpression,
            Propagate | Proxy => ContentKind::AgentsMessageAndCondition,
        }
    }
}

impl fmt::Display for Performative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Performative {
    type Err = UnknownAct;

    fn from_str(name: &str) -> Result<Self, UnknownAct> {
        Performative::named(name.as_bytes()).ok_or_else(|| UnknownAct(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_are_in_alphabetical_order_and_their_codes_are_their_positions() {
        assert!(Performative::ALL.windows(2).all(|pair| pair[0].name() < pair[1].name()));
        for act in Performative::ALL {
            assert_eq!(Performative::with_code(act.code()), Some(act));
            assert_eq!(act.name().to_uppercase().parse(), Ok(act));
        }
        assert_eq!([0, 23, 255].map(Performative::with_code), [None; 3]);
        assert_eq!("greet".parse::<Performative>(), Err(UnknownAct("greet".into())));
    }
}
