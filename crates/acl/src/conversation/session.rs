//! One session: the automaton of one initiator and one participant, with its deadline and the expected responses.

use super::fingerprint;
use super::judgement::{Remark, Remarks};
use crate::{Answering, Message, Performative, Phase, Profile, Protocol, Role, State, Verdict};

/// The properties of a message that a session needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    pub by: Role,
    pub act: Performative,
    /// The fingerprint of its `reply-with`, or 0.
    pub asks: u64,
    /// The fingerprint of its `in-reply-to`, or 0.
    pub answers: u64,
    /// Its `reply-by`.
    pub until: Option<i64>,
}

impl Said {
    /// Extracts the properties of a message that this role sends at this time. Local time is `offset` minutes ahead
    /// of UTC.
    pub(crate) fn new(message: &Message<'_>, by: Role, now: i64, offset: i32) -> Self {
        Self {
            by,
            act: message.performative,
            asks: fingerprint::of_token(message.reply_with.as_ref()),
            answers: fingerprint::of_token(message.in_reply_to.as_ref()),
            until: message.reply_by.map(|time| time.moment(now, offset)),
        }
    }
}

/// The times to wait where no message sets one, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Patience {
    pub result: Option<u64>,
    pub cancel: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    pub protocol: Protocol,
    pub state: State,
    /// The time at which waiting ends.
    pub deadline: Option<i64>,
    /// Whether the last deadline has passed without a message since.
    pub silent: bool,
    /// The messages of the initiator and the participant that expect responses.
    asked: [Asked; 2],
    /// The fingerprint of the cancel's `reply-with`, or 0.
    cancel: u64,
}

/// The messages of one side that expect responses, as fingerprints.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    newest: u64,
    answered: bool,
    /// The earlier message that expected a response and got none.
    superseded: u64,
    /// The message that may be answered after the end; 0 if it has no `reply-with`.
    late: Option<u64>,
}

impl Session {
    pub(crate) fn new(protocol: Protocol, phase: Phase) -> Self {
        let asked = [Asked::default(); 2];
        Self { protocol, state: State::at(phase), deadline: None, silent: false, asked, cancel: 0 }
    }

    /// Whether it waits for the participant, whose time has not run out.
    pub(crate) fn awaits_participant(&self) -> bool {
        let awaited = self.state.cancelling || self.protocol.awaits(self.state.phase, Role::Participant);
        awaited && !self.silent && !self.state.is_over()
    }

    /// Whether the message with this `reply-with` is the initiator's last one.
    pub(crate) fn awaits_answer_to(&self, token: u64) -> bool {
        token != 0 && self.asked[Role::Initiator as usize].newest == token
    }

    /// Changes the state if the deadline has passed.
    pub(crate) fn expire(&mut self, now: i64) {
        if self.deadline.is_some_and(|deadline| deadline < now) {
            self.state = self.protocol.after_silence(self.state);
            self.deadline = None;
            self.silent = true;
        }
    }

    /// Ends the session because a message cannot be delivered.
    pub(crate) fn fail(&mut self) {
        if !self.state.is_over() {
            self.state = State::at(Phase::Failed);
            self.deadline = None;
        }
    }

    /// Judges a message, without changing the state.
    pub(crate) fn judge(&self, profile: Profile, said: Said) -> (Verdict, Remarks) {
        let mut remarks = Remarks::default();
        if said.act.is_macro() {
            remarks.add(Remark::MacroAct);
        }
        let answering = self.answering(said);
        if answering != Answering::Cancel
            && let Some(verdict) = self.threaded(profile, said, &mut remarks)
        {
            return (verdict, remarks);
        }
        let verdict = self.protocol.step(profile, self.state, said.by, said.act, answering);
        let answers_late = self.asked[said.by.other() as usize].late == Some(said.answers);
        match verdict {
            Verdict::OutOfSequence if answers_late && self.state.is_over() => (Verdict::Late { answer: None }, remarks),
            verdict => (verdict, remarks),
        }
    }

    /// Enters the state that follows a legal message.
    pub(crate) fn follow(&mut self, said: Said, next: State, now: i64, patience: Patience) {
        let before = std::mem::replace(&mut self.state, next);
        self.silent = false;
        if next.cancelling && !before.cancelling {
            self.cancel = said.asks;
            if said.asks == 0 {
                // A report that crosses the cancel may be taken for its response, which then comes late.
                self.note_late(said);
            }
            self.deadline = patience.cancel.map(|wait| after(now, wait)).or(said.until);
            return;
        }
        self.asked[said.by.other() as usize].answered = true;
        let awaited = self.protocol.awaits(next.phase, said.by.other());
        if awaited && said.asks != 0 {
            self.asked[said.by as usize].supersede(said.asks);
        }
        if next.cancelling {
            return;
        }
        let result = patience.result.filter(|_| next.phase.awaits_result()).map(|wait| after(now, wait));
        self.deadline = said.until.filter(|_| awaited).or(result).filter(|_| !next.is_over());
    }

    /// Remembers a message that may be answered after the end, so that this breaks no rule.
    pub(crate) fn note_late(&mut self, said: Said) {
        self.asked[said.by as usize].late = Some(said.asks);
    }

    fn answering(&self, said: Said) -> Answering {
        match said.answers {
            _ if !self.state.cancelling => Answering::Unsaid,
            // Neither the initiator's cancel nor its response has a token.
            0 if self.cancel == 0 && matches!(said.act, Performative::Inform | Performative::Failure) => {
                Answering::Cancel
            }
            0 => Answering::Unsaid,
            token if token == self.cancel => Answering::Cancel,
            // The initiator's cancel has no `reply-with` by which its response could be recognised.
            token if self.cancel == 0 && !self.awaits_answer_to(token) => Answering::Cancel,
            _ => Answering::Other,
        }
    }

    /// Returns the verdict on a message by its `in-reply-to` alone, if there is one.
    fn threaded(&self, profile: Profile, said: Said, remarks: &mut Remarks) -> Option<Verdict> {
        use Performative::{AcceptProposal, Cancel, NotUnderstood, Propose, RejectProposal};
        let asked = self.asked[said.by.other() as usize];
        let replies = said.by == Role::Participant || matches!(said.act, AcceptProposal | RejectProposal);
        match said.answers {
            _ if asked.newest == 0 || matches!(said.act, NotUnderstood | Cancel) => None,
            token if token == asked.newest => None,
            token if token != 0 && (Some(token) == asked.late || token == self.cancel) => None,
            0 if replies && asked.superseded != 0 && profile == Profile::Standard => {
                remarks.add(Remark::Ambiguous);
                Some(Verdict::OutOfSequence)
            }
            0 => {
                if replies && profile == Profile::Standard {
                    remarks.add(Remark::NoInReplyTo);
                }
                None
            }
            token if token == asked.superseded => {
                Some(Verdict::Late { answer: (said.act == Propose).then_some(RejectProposal) })
            }
            _ => {
                remarks.add(Remark::AnswersNothing);
                Some(Verdict::OutOfSequence)
            }
        }
    }
}

impl Asked {
    fn supersede(&mut self, token: u64) {
        let superseded = if self.newest != 0 && !self.answered { self.newest } else { 0 };
        *self = Asked { newest: token, answered: false, superseded, late: self.late };
    }
}

fn after(now: i64, wait: u64) -> i64 {
    now.saturating_add_unsigned(wait)
}
