//! The communicative acts (FIPA SC00037): what somebody does by sending a message.

use std::fmt;
use std::str::FromStr;

/// One of the 22 communicative acts of the standard.
///
/// Its number is its code in the bit-efficient encoding (SC00069), which is its place in the alphabet, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Performative {
    /// Accepts a proposal to perform an action.
    AcceptProposal = 1,
    /// Agrees to perform an action, possibly in the future.
    Agree,
    /// No longer wants that an action be performed.
    Cancel,
    /// Calls for proposals to perform an action.
    Cfp,
    /// Tells somebody who is uncertain of it that a proposition is true.
    Confirm,
    /// Tells somebody who believes in it that a proposition is false.
    Disconfirm,
    /// Tells that an action was tried and has failed.
    Failure,
    /// Tells that a proposition is true.
    Inform,
    /// Macro act: tells whether a proposition is true. It is asked for, and done by an `inform`.
    InformIf,
    /// Macro act: tells what a description refers to. It is asked for, and done by an `inform`.
    InformRef,
    /// Tells that something that the receiver did was not understood.
    NotUnderstood,
    /// Wants the receiver to act on the message in the content, and to pass it on.
    Propagate,
    /// Proposes to perform an action under conditions.
    Propose,
    /// Wants the receiver to find agents, and to send them the message in the content.
    Proxy,
    /// Asks whether a proposition is true.
    QueryIf,
    /// Asks what a description refers to.
    QueryRef,
    /// Refuses to perform an action, and tells why.
    Refuse,
    /// Rejects a proposal to perform an action.
    RejectProposal,
    /// Wants the receiver to perform an action.
    Request,
    /// Wants the receiver to perform an action when a proposition becomes true.
    RequestWhen,
    /// Wants the receiver to perform an action each time a proposition becomes true.
    RequestWhenever,
    /// Wants to be told what a description refers to, now and whenever that changes.
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

/// A name that no communicative act has.
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

    /// Its name: `accept-proposal`.
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

    /// The act of this name, in capital or small letters.
    pub fn named(name: &[u8]) -> Option<Performative> {
        Performative::ALL.into_iter().find(|act| name.eq_ignore_ascii_case(act.name().as_bytes()))
    }

    /// Its code in the bit-efficient encoding, 1 to 22.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The act with this code.
    pub fn with_code(code: u8) -> Option<Performative> {
        Performative::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// Whether it is a macro act: asked for in the content of other acts, and never sent itself.
    pub const fn is_macro(self) -> bool {
        matches!(self, Performative::InformIf | Performative::InformRef)
    }

    /// What its content is.
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
    fn acts_are_in_the_order_of_the_alphabet_and_have_their_place_as_code() {
        assert!(Performative::ALL.windows(2).all(|pair| pair[0].name() < pair[1].name()));
        for act in Performative::ALL {
            assert_eq!(Performative::with_code(act.code()), Some(act));
            assert_eq!(act.name().to_uppercase().parse(), Ok(act));
        }
        assert_eq!([0, 23, 255].map(Performative::with_code), [None; 3]);
        assert_eq!("greet".parse::<Performative>(), Err(UnknownAct("greet".into())));
    }
}
