//! Interaction protocols (FIPA SC00026 to SC00036) as tables of the legal messages in each state.
//!
//! [`Protocol::step`] is the only function that interprets the tables. Conversations, monitors and checkers of
//! recorded traces all use it.

mod phase;
mod table;
mod tables;

use std::str::FromStr;

pub use phase::{Answering, Phase, State, Verdict};
pub use table::{Effect, Profile, Rivalry, Role, Row, Silence, Table};

use crate::{Performative, Word};

named! {
    /// An interaction protocol, whose name stands in messages.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Protocol {
        /// Asks for an action (SC00026).
        Request => "fipa-request",
        /// Asks a question (SC00027).
        Query => "fipa-query",
        /// Asks for an action as soon as a condition is true (SC00028).
        RequestWhen => "fipa-request-when",
        /// Asks for an action each time a condition becomes true. The act is in the standard (SC00037), but without a
        /// protocol. This one is like the protocol of subscriptions, except that an action may fail and be tried again
        /// next time.
        RequestWhenever => "fipa-request-whenever",
        /// Calls for proposals, and accepts some of them (SC00029).
        ContractNet => "fipa-contract-net",
        /// A contract net with several rounds (SC00030).
        IteratedContractNet => "fipa-iterated-contract-net",
        /// An auction with a rising price (XC00031).
        EnglishAuction => "fipa-auction-english",
        /// An auction with a falling price (XC00032).
        DutchAuction => "fipa-auction-dutch",
        /// A broker finds other agents and passes on their responses (SC00033). The participant is the broker.
        Brokering => "fipa-brokering",
        /// A recruiter finds other agents, which respond themselves (SC00034). The participant is the recruiter.
        Recruiting => "fipa-recruiting",
        /// Asks to be informed of what a description refers to, now and whenever that changes (SC00035).
        Subscribe => "fipa-subscribe",
        /// Proposes to perform an action (SC00036).
        Propose => "fipa-propose",
    }
}

/// A text that names no protocol of this library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no protocol `{0}`; known are fipa-request, fipa-contract-net, and the others of `Protocol`")]
pub struct UnknownProtocol(pub String);

impl Protocol {
    /// Returns the protocol with this name, ignoring case; `fipa-english-auction` and `fipa-dutch-auction` are
    /// accepted as well.
    pub fn named(token: &str) -> Option<Protocol> {
        const ALIASES: [(&str, Protocol); 2] =
            [("fipa-english-auction", Protocol::EnglishAuction), ("fipa-dutch-auction", Protocol::DutchAuction)];
        let tokens = Protocol::ALL.into_iter().map(|protocol| (protocol.name(), protocol));
        tokens.chain(ALIASES).find(|(name, _)| name.eq_ignore_ascii_case(token)).map(|(_, protocol)| protocol)
    }

    /// Returns the protocol of a conversation that begins with this act and names none. Conversations with a broker
    /// and with a recruiter begin with the same act; the former is assumed, as is a contract net with one round for
    /// `cfp`.
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

    /// Whether a conversation can begin with this act.
    pub(crate) fn begins_with(self, act: Performative) -> bool {
        self.table().rows.iter().any(|row| row.from == Phase::Start && row.act == act)
    }

    /// The table, as printed in the book.
    pub const fn table(self) -> &'static Table {
        match self {
            Protocol::Request => &tables::REQUEST,
            Protocol::Query => &tables::QUERY,
            Protocol::RequestWhen => &tables::REQUEST_WHEN,
            Protocol::RequestWhenever => &tables::REQUEST_WHENEVER,
            Protocol::ContractNet => &tables::CONTRACT_NET,
            Protocol::IteratedContractNet => &tables::ITERATED_CONTRACT_NET,
            Protocol::EnglishAuction => &tables::ENGLISH_AUCTION,
            Protocol::DutchAuction => &tables::DUTCH_AUCTION,
            Protocol::Brokering => &tables::BROKERING,
            Protocol::Recruiting => &tables::RECRUITING,
            Protocol::Subscribe => &tables::SUBSCRIBE,
            Protocol::Propose => &tables::PROPOSE,
        }
    }

    /// Returns the verdict on an act of this role in this state.
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
        let told = match self.effect(profile, state.phase, by, act) {
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

    /// Returns the effect of an act without a cancel: that of the table and of the rules for all protocols.
    fn effect(self, profile: Profile, phase: Phase, by: Role, act: Performative) -> Option<Effect> {
        let is_stopped = matches!(phase, Phase::TimedOut | Phase::Cancelled);
        if act == Performative::NotUnderstood {
            return match phase {
                _ if is_stopped => Some(Effect::Late(None)),
                Phase::Start => None,
                _ if phase.is_terminal() => None,
                _ => Some(Effect::To(Phase::NotUnderstood)),
            };
        }
        let holds = |row: &&Row| row.by == by && row.act == act && row.only.is_none_or(|only| only == profile);
        let mut rows = self.table().rows.iter().filter(holds);
        if is_stopped {
            // Messages that were sent before the session ended by a deadline or a cancel can still arrive.
            return rows.any(|row| row.from != Phase::Start).then_some(Effect::Late(None));
        }
        rows.find(|row| row.from == phase).map(|row| row.effect)
    }

    /// Returns the legal acts of each role in a state, the initiator's first.
    pub fn legal(self, profile: Profile, state: State) -> impl Iterator<Item = (Role, Performative)> {
        let roles = [Role::Initiator, Role::Participant].into_iter();
        let moves = roles.flat_map(|role| Performative::ALL.into_iter().map(move |act| (role, act)));
        moves.filter(move |&(role, act)| {
            let verdict = |answering| self.step(profile, state, role, act, answering);
            // A result that crosses a cancel is legal, but cannot be sent knowingly, so it is not listed.
            let answering = if state.cancelling { Answering::Cancel } else { Answering::Unsaid };
            matches!(verdict(answering), Verdict::Next(_))
        })
    }

    /// Whether the table has an act for this role in a phase.
    pub fn awaits(self, phase: Phase, role: Role) -> bool {
        let is_awaited = |row: &Row| row.from == phase && row.by == role && matches!(row.effect, Effect::To(_));
        self.table().rows.iter().any(is_awaited)
    }

    /// Returns the state of a session after a deadline has passed without a message.
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

    /// Returns the phase after the first message.
    pub fn opened(self) -> Phase {
        match self.table().rows[0].effect {
            Effect::To(phase) => phase,
            Effect::Late(_) => Phase::Start,
        }
    }
}

/// Returns the verdict on a cancel of the initiator: the participant must respond, except by the tutorial's rules.
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

/// Returns the state after the response to a cancel: the session is over, or continues as before.
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

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(token: &str) -> Result<Self, UnknownProtocol> {
        Protocol::named(token).ok_or_else(|| UnknownProtocol(token.into()))
    }
}

impl From<Protocol> for Word<'_> {
    fn from(protocol: Protocol) -> Self {
        Word::known(protocol.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_protocols_by_name_ignoring_case() {
        for protocol in Protocol::ALL {
            assert_eq!(protocol.name().to_uppercase().parse(), Ok(protocol));
            assert_eq!(Word::from(protocol), protocol.name());
        }
        assert_eq!(Protocol::named("FIPA-English-Auction"), Some(Protocol::EnglishAuction));
        assert_eq!("contract-net".parse::<Protocol>(), Err(UnknownProtocol("contract-net".into())));
    }
}
