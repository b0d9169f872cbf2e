//! Where a session can stand, and what is said of a message there.

use std::fmt;

use crate::Performative;

/// Declares the phases, first those in which something is still to come.
macro_rules! phases {
    (
        running { $($running:ident: $running_says:literal,)* }
        terminal { $($terminal:ident: $terminal_says:literal,)* }
    ) => {
        /// How far a session of a protocol has come. Which of them a protocol knows is said by its table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Phase {
            $(#[doc = $running_says] $running,)*
            $(#[doc = $terminal_says] $terminal,)*
        }

        impl Phase {
            /// All of them.
            pub const ALL: &'static [Phase] = &[$(Phase::$running,)* $(Phase::$terminal,)*];

            /// Whether nothing more is to come.
            pub const fn is_terminal(self) -> bool {
                matches!(self, $(Phase::$terminal)|*)
            }

            /// Its name: `CfpSent`.
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
        Start: "Nobody has said anything.",
        Requested: "The participant has been asked, and has not answered.",
        Agreed: "The participant has agreed; its result is to come.",
        Waiting: "The participant waits for a condition to become true.",
        Active: "The participant tells whatever is new, each time.",
        CfpSent: "The participant has been called for a proposal.",
        Proposed: "A proposal has been made and is to be answered.",
        Awarded: "The participant's proposal has been accepted; its result is to come.",
        Open: "The auction has been announced.",
        Bidding: "The participant may bid in this round.",
        Bid: "The participant has bid and is to be answered.",
        Idle: "The participant has not bid in this round, or in vain.",
        Leading: "The participant's bid is the best of this round.",
        Defending: "The participant's bid is the best of an earlier round, and others may bid more.",
        Ended: "The auction is over; whoever has won is asked to settle.",
        Settling: "The participant has won and is asked to settle.",
        Won: "The participant has bought; there may be more to be sold.",
        Proxied: "The broker has passed on what it was asked to; answers are to come.",
    }
    terminal {
        Done: "The participant has done or told what it was asked for.",
        Failed: "The participant has failed.",
        Refused: "The participant has refused.",
        Accepted: "The proposal has been accepted.",
        Rejected: "The proposal has been rejected, or nobody has answered it in time.",
        NoBid: "The participant has proposed nothing in time.",
        Settled: "The participant has settled what it has bought.",
        Lost: "The auction is over, and the participant has not won.",
        Closed: "The auction is over.",
        NotUnderstood: "One side has not understood the other.",
        Cancelled: "The initiator has cancelled.",
        TimedOut: "Somebody has not answered in time.",
    }
}

impl Phase {
    /// Whether the participant owes a result in it.
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
    /// How far it has come.
    pub phase: Phase,
    /// Whether the initiator has cancelled and the participant has not answered that. Results may still arrive.
    pub cancelling: bool,
}

impl State {
    /// Before the first message.
    pub const START: State = State::at(Phase::Start);

    /// A phase, with no cancel to be answered.
    pub const fn at(phase: Phase) -> State {
        State { phase, cancelling: false }
    }

    /// Whether nothing more is to come.
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
    /// It is legal, and leads here.
    Next(State),
    /// It is too late, or has crossed another, which is nobody's fault. Nothing changes.
    Late {
        /// The response that informs the sender.
        answer: Option<Performative>,
    },
    /// It is not legal here. Nothing changes.
    OutOfSequence,
    /// Its sender, or its receiver, is not a part of the conversation.
    NotMember,
    /// It is of another conversation, or does not say of which.
    OtherConversation,
}

impl Verdict {
    /// Whether somebody has broken a rule.
    pub const fn is_violation(self) -> bool {
        !matches!(self, Verdict::Next(_) | Verdict::Late { .. })
    }
}

/// What a message answers while a cancel is to be answered, by its `in-reply-to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    /// The cancel.
    Cancel,
    /// Something else: it has crossed the cancel.
    Other,
    /// It does not say: it is taken for a result if one is legal, and otherwise for the answer to the cancel.
    Unsaid,
}
