//! The communicative acts (FIPA SC00037): the purposes of messages.

use std::str::FromStr;

named! {
    /// One of the 22 communicative acts of the standard.
    ///
    /// Its number is its code in the bit-efficient encoding (SC00069), which is its position in the alphabet, from 1.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Performative {
        /// Accepts a proposal to perform an action.
        AcceptProposal = 1 => "accept-proposal",
        /// Agrees to perform an action, possibly in the future.
        Agree => "agree",
        /// Withdraws a request for an action.
        Cancel => "cancel",
        /// Calls for proposals to perform an action.
        Cfp => "cfp",
        /// Tells an agent that is uncertain about a proposition that it is true.
        Confirm => "confirm",
        /// Tells an agent that believes a proposition that it is false.
        Disconfirm => "disconfirm",
        /// Reports that an action was attempted and has failed.
        Failure => "failure",
        /// Tells that a proposition is true.
        Inform => "inform",
        /// Macro act: tells whether a proposition is true. It can be requested, and is performed with an `inform`.
        InformIf => "inform-if",
        /// Macro act: tells what a description refers to. It can be requested, and is performed with an `inform`.
        InformRef => "inform-ref",
        /// Reports that an action of the receiver was not understood.
        NotUnderstood => "not-understood",
        /// Asks the receiver to act on the message in the content, and to pass it on.
        Propagate => "propagate",
        /// Proposes to perform an action under conditions.
        Propose => "propose",
        /// Asks the receiver to find agents, and to send them the message in the content.
        Proxy => "proxy",
        /// Asks whether a proposition is true.
        QueryIf => "query-if",
        /// Asks what a description refers to.
        QueryRef => "query-ref",
        /// Refuses to perform an action, and gives the reason.
        Refuse => "refuse",
        /// Rejects a proposal to perform an action.
        RejectProposal => "reject-proposal",
        /// Asks the receiver to perform an action.
        Request => "request",
        /// Asks the receiver to perform an action when a proposition becomes true.
        RequestWhen => "request-when",
        /// Asks the receiver to perform an action each time a proposition becomes true.
        RequestWhenever => "request-whenever",
        /// Asks to be informed of what a description refers to, now and whenever that changes.
        Subscribe => "subscribe",
    }
}

/// A name that belongs to no communicative act.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no communicative act `{0}`")]
pub struct UnknownAct(pub String);

impl Performative {
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
