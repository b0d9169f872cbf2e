//! The phases and states of sessions, and verdicts.

use std::fmt;

use crate::Performative;

/// Declares the phases, first those that expect further messages.
macro_rules! phases {
    (
        running { $($running:ident: $running_says:literal,)* }
        terminal { $($terminal:ident: $terminal_says:literal,)* }
    ) => {
        /// The phase of a session. The table of each protocol says which phases it has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Phase {
            $(#[doc = $running_says] $running,)*
            $(#[doc = $terminal_says] $terminal,)*
        }

        impl Phase {
            /// All phases.
            pub const ALL: &'static [Phase] = &[$(Phase::$running,)* $(Phase::$terminal,)*];

            /// Whether no further message is expected.
            pub const fn is_terminal(self) -> bool {
                matches!(self, $(Phase::$terminal)|*)
            }

            /// The name: `CfpSent`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Phase::$running => stringify!($running),)*
                    $(Phase::$terminal => stringify!($terminal),)*
                }
            }
        }
    };
}

phases! {
    running {
        Start: "No message has been sent.",
        Requested: "The participant has received the request, and has not responded.",
        Agreed: "The participant has agreed, and owes the result.",
        Waiting: "The participant waits for a condition to become true.",
        Active: "The participant reports each change.",
        CfpSent: "The initiator has called for a proposal.",
        Proposed: "There is a proposal without a response.",
        Awarded: "The initiator has accepted the proposal, and the participant owes the result.",
        Open: "The auction has been announced.",
        Bidding: "The participant may bid in this round.",
        Bid: "The participant has bid, and waits for the response.",
        Idle: "The participant has not bid in this round, or another bid won.",
        Leading: "The participant's bid is the best of this round.",
        Defending: "The participant's bid is the best of an earlier round, and others may bid more.",
        Ended: "The auction is over; the initiator will ask the winner to settle.",
        Settling: "The participant has won, and has been asked to settle.",
        Won: "The participant has bought; more may be for sale.",
        Proxied: "The broker has passed on the message, and waits for responses.",
    }
    terminal {
        Done: "The participant has fulfilled the request.",
        Failed: "The participant has failed.",
        Refused: "The participant has refused.",
        Accepted: "The proposal has been accepted.",
        Rejected: "The proposal has been rejected, or got no response in time.",
        NoBid: "The participant has made no proposal in time.",
        Settled: "The participant has settled the purchase.",
        Lost: "The auction is over, and the participant has not won.",
        Closed: "The auction is over.",
        NotUnderstood: "One side has not understood the other.",
        Cancelled: "The initiator has cancelled.",
        TimedOut: "A response did not arrive in time.",
    }
}

impl Phase {
    /// Whether the participant owes a result in this phase.
    pub(crate) const fn awaits_result(self) -> bool {
        matches!(self, Phase::Agreed | Phase::Awarded | Phase::Settling | Phase::Proxied)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The state of a session: its phase, and whether a cancel awaits a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The phase.
    pub phase: Phase,
    /// Whether the initiator has cancelled and the participant has not responded to that. Results may still arrive.
    pub cancelling: bool,
}

impl State {
    /// Before the first message.
    pub const START: State = State::at(Phase::Start);

    /// A phase without a pending cancel.
    pub const fn at(phase: Phase) -> State {
        State { phase, cancelling: false }
    }

    /// Whether no further message is expected.
    pub const fn is_over(self) -> bool {
        self.phase.is_terminal() && !self.cancelling
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cancelling { write!(f, "Cancelling ({})", self.phase) } else { self.phase.fmt(f) }
    }
}

/// The verdict on a message in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is legal, and leads to this state.
    Next(State),
    /// It is too late, or has crossed another message, which breaks no rule. The state does not change.
    Late {
        /// The response that informs the sender.
        answer: Option<Performative>,
    },
    /// It is not legal here. The state does not change.
    OutOfSequence,
    /// Its sender or its receiver does not participate in the conversation.
    NotMember,
    /// It belongs to another conversation, or names none.
    OtherConversation,
}

impl Verdict {
    /// Whether a rule is broken.
    pub const fn is_violation(self) -> bool {
        !matches!(self, Verdict::Next(_) | Verdict::Late { .. })
    }
}

/// The message to which a message responds while a cancel is pending, by its `in-reply-to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    /// The cancel.
    Cancel,
    /// Another message: it has crossed the cancel.
    Other,
    /// Not stated. The message counts as a result if one is legal, and otherwise as the response to the cancel.
    Unsaid,
}
