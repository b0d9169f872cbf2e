//! Interaction protocols (FIPA SC00026 to SC00036) as tables: who may say what when, and where that leads.
//!
//! [`Protocol::step`] is all there is to it; conversations, monitors and whoever checks a recorded trace call it alike.

mod compiled;
mod phase;
mod table;
mod tables;

use std::fmt;
use std::str::FromStr;

pub use phase::{Answering, Phase, State, Verdict};
pub use table::{Effect, Rivalry, Row, Silence, Table};

use crate::{Performative, Word};

/// An interaction protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Protocol {
    /// Somebody is to do something (SC00026).
    Request,
    /// Somebody is asked something (SC00027).
    Query,
    /// Somebody is to do something as soon as something is true (SC00028).
    RequestWhen,
    /// Somebody is to do something each time that something becomes true. The act is of the standard (SC00037), but it
    /// has no protocol for it: this one is that of subscriptions, except that an action may fail and be tried again
    /// next time.
    RequestWhenever,
    /// Somebody calls for proposals, and accepts some (SC00029).
    ContractNet,
    /// A contract net of several rounds (SC00030).
    IteratedContractNet,
    /// An auction whose price rises (XC00031).
    EnglishAuction,
    /// An auction whose price falls (XC00032).
    DutchAuction,
    /// A broker finds others and passes on what they answer (SC00033). The participant is the broker.
    Brokering,
    /// A recruiter finds others, who answer by themselves (SC00034). The participant is the recruiter.
    Recruiting,
    /// Somebody wants to be told what something refers to, now and whenever that changes (SC00035).
    Subscribe,
    /// Somebody proposes to do something (SC00036).
    Propose,
}

/// A text that names no protocol of this library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no protocol `{0}`; known are fipa-request, fipa-contract-net, and the others of `Protocol`")]
pub struct UnknownProtocol(pub String);

/// On which side of a conversation somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    /// The agent that begins the conversation.
    Initiator,
    /// The agent that is addressed.
    Participant,
}

/// The set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Profile {
    /// Those of FIPA.
    #[default]
    Standard,
    /// Those of the tutorial *ACL & Protocols* (A. Mehlenbacher, 2001) where it differs: `confirm` and `disconfirm`
    /// answer a query, `cancel` needs no answer, conditional requests need no `agree`, and neither protocol nor
    /// `in-reply-to` is asked for.
    Tutorial,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 12] = [
        Protocol::Request,
        Protocol::Query,
        Protocol::RequestWhen,
        Protocol::RequestWhenever,
        Protocol::ContractNet,
        Protocol::IteratedContractNet,
        Protocol::EnglishAuction,
        Protocol::DutchAuction,
        Protocol::Brokering,
        Protocol::Recruiting,
        Protocol::Subscribe,
        Protocol::Propose,
    ];

    /// How messages name it: `fipa-request`.
    pub const fn token(self) -> &'static str {
        match self {
            Protocol::Request => "fipa-request",
            Protocol::Query => "fipa-query",
            Protocol::RequestWhen => "fipa-request-when",
            Protocol::RequestWhenever => "fipa-request-whenever",
            Protocol::ContractNet => "fipa-contract-net",
            Protocol::IteratedContractNet => "fipa-iterated-contract-net",
            Protocol::EnglishAuction => "fipa-auction-english",
            Protocol::DutchAuction => "fipa-auction-dutch",
            Protocol::Brokering => "fipa-brokering",
            Protocol::Recruiting => "fipa-recruiting",
            Protocol::Subscribe => "fipa-subscribe",
            Protocol::Propose => "fipa-propose",
        }
    }

    /// The protocol of this name, in capital or small letters; `fipa-english-auction` and `fipa-dutch-auction` are
    /// names, too.
    pub fn named(token: &str) -> Option<Protocol> {
        const ALIASES: [(&str, Protocol); 2] =
            [("fipa-english-auction", Protocol::EnglishAuction), ("fipa-dutch-auction", Protocol::DutchAuction)];
        let tokens = Protocol::ALL.into_iter().map(|protocol| (protocol.token(), protocol));
        tokens.chain(ALIASES).find(|(name, _)| name.eq_ignore_ascii_case(token)).map(|(_, protocol)| protocol)
    }

    /// The protocol that a conversation follows which begins with this act and does not say. A brokered conversation
    /// and one with a recruiter begin alike; it is taken for the former, as `cfp` is for a contract net of one round.
    pub fn opened_by(act: Performative) -> Option<Protocol> {
        match act {
            Performative::Request => Some(Protocol::Request),
            Performative::QueryIf | Performative::QueryRef => Some(Protocol::Query),
            Performative::RequestWhen => Some(Protocol::RequestWhen),
            Performative::RequestWhenever => Some(Protocol::RequestWhenever),
            Performative::Cfp => Some(Protocol::ContractNet),
            Performative::Proxy => Some(Protocol::Brokering),
            Performative::Subscribe => Some(Protocol::Subscribe),
            Performative::Propose => Some(Protocol::Propose),
            _ => None,
        }
    }

    /// Its table, as it stands in the book.
    pub const fn table(self) -> &'static Table {
        tables::of(self)
    }

    /// What follows when somebody does this.
    ///
    /// ```
    /// use situated_acl::{Answering, Performative, Phase, Profile, Protocol, Role, State, Verdict};
    ///
    /// let step = |state, by, act| Protocol::Request.step(Profile::Standard, state, by, act, Answering::Unsaid);
    /// let requested = State::at(Phase::Requested);
    /// assert_eq!(step(State::START, Role::Initiator, Performative::Request), Verdict::Next(requested));
    /// assert_eq!(step(requested, Role::Participant, Performative::Propose), Verdict::OutOfSequence);
    /// ```
    pub fn step(self, profile: Profile, state: State, by: Role, act: Performative, answering: Answering) -> Verdict {
        if by == Role::Initiator && act == Performative::Cancel {
            return cancelled(profile, state);
        }
        let told = match compiled::effect(self, profile, state.phase, by, act) {
            Some(Effect::To(phase)) => Verdict::Next(State { phase, ..state }),
            Some(Effect::Late(answer)) => Verdict::Late { answer },
            None => Verdict::OutOfSequence,
        };
        if !state.cancelling {
            return told;
        }
        let answer = answer_to_cancel(state, by, act);
        match answering {
            Answering::Cancel => answer,
            _ if by == Role::Initiator || act == Performative::NotUnderstood => answer,
            Answering::Other => told,
            Answering::Unsaid if told == Verdict::OutOfSequence => answer,
            Answering::Unsaid => told,
        }
    }

    /// What each role may do in a state, the initiator first.
    pub fn legal(self, profile: Profile, state: State) -> impl Iterator<Item = (Role, Performative)> {
        let roles = [Role::Initiator, Role::Participant].into_iter();
        let moves = roles.flat_map(|role| Performative::ALL.into_iter().map(move |act| (role, act)));
        moves.filter(move |&(role, act)| {
            let verdict = |answering| self.step(profile, state, role, act, answering);
            // A result that crosses a cancel is legal, but nothing to be done now.
            let answering = if state.cancelling { Answering::Cancel } else { Answering::Unsaid };
            matches!(verdict(answering), Verdict::Next(_))
        })
    }

    /// Whether the table has something for this role to do in a phase.
    pub fn awaits(self, phase: Phase, role: Role) -> bool {
        compiled::awaits(self, phase, role)
    }

    /// Where a session stands when nobody has said anything until the deadline.
    pub fn after_silence(self, state: State) -> State {
        if state.cancelling {
            return State::at(if state.phase.is_terminal() { state.phase } else { Phase::Cancelled });
        }
        if state.phase.is_terminal() || state.phase == Phase::Start {
            return state;
        }
        let silence = self.table().silences.iter().find(|silence| silence.in_phase == state.phase);
        State::at(silence.map_or(Phase::TimedOut, |silence| silence.to))
    }

    /// Where a session stands after its first message.
    pub fn opened(self) -> Phase {
        match self.table().rows[0].effect {
            Effect::To(phase) => phase,
            Effect::Late(_) => Phase::Start,
        }
    }
}

/// What follows when the initiator cancels: the participant has to answer, unless the tutorial's rules hold.
fn cancelled(profile: Profile, state: State) -> Verdict {
    match (state.phase, profile) {
        (Phase::Start, _) => Verdict::OutOfSequence,
        _ if state.cancelling => Verdict::OutOfSequence,
        (phase, Profile::Standard) if phase.is_terminal() => Verdict::Late { answer: Some(Performative::Failure) },
        (phase, Profile::Tutorial) if phase.is_terminal() => Verdict::Late { answer: None },
        (phase, Profile::Standard) => Verdict::Next(State { phase, cancelling: true }),
        (_, Profile::Tutorial) => Verdict::Next(State::at(Phase::Cancelled)),
    }
}

/// The state after the response to a cancel: everything is over, or continues as before.
fn answer_to_cancel(state: State, by: Role, act: Performative) -> Verdict {
    match act {
        Performative::Inform if by == Role::Participant && !state.phase.is_terminal() => {
            Verdict::Next(State::at(Phase::Cancelled))
        }
        Performative::Inform | Performative::Failure if by == Role::Participant => {
            Verdict::Next(State::at(state.phase))
        }
        Performative::NotUnderstood if state.phase.is_terminal() => Verdict::Next(State::at(state.phase)),
        Performative::NotUnderstood => Verdict::Next(State::at(Phase::NotUnderstood)),
        _ => Verdict::OutOfSequence,
    }
}

impl Role {
    /// The other one.
    pub const fn other(self) -> Role {
        match self {
            Role::Initiator => Role::Participant,
            Role::Participant => Role::Initiator,
        }
    }

    /// Its name: `initiator`.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Initiator => "initiator",
            Role::Participant => "participant",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.token())
    }
}

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(token: &str) -> Result<Self, UnknownProtocol> {
        Protocol::named(token).ok_or_else(|| UnknownProtocol(token.into()))
    }
}

impl From<Protocol> for Word<'_> {
    fn from(protocol: Protocol) -> Self {
        Word::known(protocol.token())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_are_found_by_their_names_whatever_the_case() {
        for protocol in Protocol::ALL {
            assert_eq!(protocol.token().to_uppercase().parse(), Ok(protocol));
            assert_eq!(Word::from(protocol), protocol.token());
        }
        assert_eq!(Protocol::named("FIPA-English-Auction"), Some(Protocol::EnglishAuction));
        assert_eq!("contract-net".parse::<Protocol>(), Err(UnknownProtocol("contract-net".into())));
    }
}
