//! Conversations, as one agent sees them that takes part.

pub(crate) mod fingerprint;
mod judgement;
pub(crate) mod session;
pub(crate) mod sessions;

pub use judgement::{Judgement, Remark, Remarks};

use self::session::Said;
use self::sessions::Sessions;
use crate::{Expression, Message, Performative, Phase, Profile, Protocol, Role, State, Verdict};

/// A conversation of one agent, which is either its initiator or a participant. Give it each message that the agent
/// sends and receives; it judges the message by the protocol, and returns which messages are legal next, with whom,
/// and until when.
///
/// An initiator has a session with each participant, since each answers for itself; whom a recruiter has found answers
/// unasked, and up to 10,000 of those are listened to. The owner passes the time in, in milliseconds since the beginning
/// of 1970, and comes again at the [`Conversation::deadline`].
///
/// ```
/// use situated_acl::{Conversation, Message, Performative, Phase, Profile, Protocol, Role};
///
/// let request = Message::request().from("A").to("B").protocol(Protocol::Request).conversation_id("c1");
/// let request = request.reply_with("r1");
/// let mut conversation = Conversation::new(Protocol::Request, Profile::Standard, Role::Initiator, "c1");
/// assert!(!conversation.sent(&request, 0).is_violation());
///
/// let agreed = request.reply(Performative::Agree);
/// assert!(!conversation.received(&agreed, 1).is_violation());
/// let wrong = conversation.received(&request.reply(Performative::Refuse), 2);
/// assert!(wrong.to_string().contains("legal would be `failure`, `inform`, `not-understood`"));
/// assert_eq!(conversation.state_with("B").phase, Phase::Agreed);
/// ```
#[derive(Clone, Debug)]
pub struct Conversation {
    id: Expression<'static>,
    id_fingerprint: u64,
    role: Role,
    /// How far local time is ahead of UTC, in minutes.
    offset: i32,
    sessions: Sessions,
}

impl Conversation {
    /// A conversation in which nothing has been said.
    pub fn new<'a>(protocol: Protocol, profile: Profile, role: Role, id: impl Into<Expression<'a>>) -> Self {
        let id = id.into().into_owned();
        let id_fingerprint = fingerprint::of_token(Some(&id));
        Self { id, id_fingerprint, role, offset: 0, sessions: Sessions::new(protocol, profile) }
    }

    /// How long to wait for a result that was promised, in milliseconds. Without it, that has no end: `reply-by` is
    /// about the next message only.
    pub fn result_timeout(mut self, milliseconds: u64) -> Self {
        self.sessions.patience.result = Some(milliseconds);
        self
    }

    /// How long to wait for the answer to a cancel, in milliseconds. After that it is cancelled.
    pub fn cancel_timeout(mut self, milliseconds: u64) -> Self {
        self.sessions.patience.cancel = Some(milliseconds);
        self
    }

    /// How far the local time, in which a `reply-by` without zone is meant, is ahead of UTC, in minutes.
    pub fn local_time(mut self, offset: i32) -> Self {
        self.offset = offset;
        self
    }

    /// Sets the protocol of the message that a broker or a recruiter passes on; the conversation continues by it.
    /// Without it, one response is expected, as in a request.
    pub fn embedding(mut self, protocol: Protocol) -> Self {
        self.sessions.embedded = Some(protocol);
        self
    }

    /// Its name.
    pub fn id(&self) -> &Expression<'static> {
        &self.id
    }

    /// Its protocol.
    pub fn protocol(&self) -> Protocol {
        self.sessions.protocol
    }

    /// On which side the agent is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether a message names this conversation, and no other protocol: so an agent that has several finds the one to
    /// which a message belongs.
    ///
    /// ```
    /// use situated_acl::{Conversation, Message, Profile, Protocol, Role};
    ///
    /// let call = |id| Conversation::new(Protocol::ContractNet, Profile::Standard, Role::Initiator, id);
    /// let calls = [call("c1"), call("c2")];
    /// let offer = Message::propose().from("B").to("A").protocol(Protocol::ContractNet).conversation_id("c2");
    /// assert_eq!(calls.iter().position(|call| call.has(&offer)), Some(1));
    /// assert!(!calls.iter().any(|call| call.has(&offer.clone().protocol(Protocol::Query))));
    /// ```
    pub fn has(&self, message: &Message<'_>) -> bool {
        message.conversation_id.as_ref().is_some_and(|id| self.is_named(id))
            && self.sessions.have(message.protocol.as_ref())
    }

    /// Takes a message that the agent has sent. Each receiver is judged by itself: what is legal for one counts there,
    /// even if it is not for another.
    pub fn sent(&mut self, message: &Message<'_>, now: i64) -> Judgement {
        let said = Said::new(message, self.role, now, self.offset);
        if let Some(judgement) = self.misdirected(message, said) {
            return judgement;
        }
        let mut overall: Option<Judgement> = None;
        for (receiver, agent) in message.receivers.iter().enumerate() {
            let judgement = Judgement { receiver, ..self.sessions.hear(&agent.name, said, now) };
            if !overall.is_some_and(|overall| overall.is_violation()) {
                overall = Some(judgement);
            }
        }
        overall.map_or_else(|| self.refused(said, Verdict::NotMember), |judgement| with_remarks(judgement, message))
    }

    /// Takes a message that the agent has received.
    ///
    /// A `failure` of a platform's management (`ams`, `ams@…`) says that something could not be delivered; it ends the
    /// session of the only participant who was sent it. If several were, see [`Conversation::undelivered`].
    pub fn received(&mut self, message: &Message<'_>, now: i64) -> Judgement {
        let said = Said::new(message, self.role.other(), now, self.offset);
        if let Some(judgement) = self.misdirected(message, said) {
            return judgement;
        }
        let Some(sender) = &message.sender else { return self.refused(said, Verdict::NotMember) };
        if said.act == Performative::Failure && is_management(&sender.name) {
            let known = self.sessions.fail_only_one_awaiting(said.answers);
            let next = Verdict::Next(State::at(Phase::Failed));
            return self.refused(said, if known { next } else { Verdict::NotMember });
        }
        with_remarks(self.sessions.hear(&sender.name, said, now), message)
    }

    /// What would be said of a message if it were sent, for the first of its receivers who objects, or the last.
    pub fn before_sending(&self, message: &Message<'_>, now: i64) -> Judgement {
        let said = Said::new(message, self.role, now, self.offset);
        if let Some(judgement) = self.misdirected(message, said) {
            return judgement;
        }
        let judge = |(receiver, agent): (usize, &crate::AgentIdentifier<'_>)| Judgement {
            receiver,
            ..self.sessions.judge(&agent.name, said, now)
        };
        let mut judgements = message.receivers.iter().enumerate().map(judge);
        let mut last = judgements.next();
        while let Some(judgement) = last.filter(|judgement| !judgement.is_violation())
            && let Some(next) = judgements.next()
        {
            last = Some(Judgement { remarks: judgement.remarks, ..next });
        }
        last.map_or_else(|| self.refused(said, Verdict::NotMember), |judgement| with_remarks(judgement, message))
    }

    /// A message to this agent could not be delivered: its session has failed.
    pub fn undelivered(&mut self, agent: &str) {
        self.sessions.fail(agent);
    }

    /// Lets all deadlines pass that have. Whoever asks for states and for who is awaited calls this before.
    pub fn advance(&mut self, now: i64) {
        self.sessions.expire(now);
    }

    /// When the next deadline passes: the first millisecond at which it has.
    pub fn deadline(&self) -> Option<i64> {
        let deadlines = self.sessions.iter().filter_map(|party| party.session.deadline);
        deadlines.min().map(|deadline| deadline.saturating_add(1))
    }

    /// Where the session with this agent stands.
    pub fn state_with(&self, agent: &str) -> State {
        self.sessions.with(agent).map_or(State::START, |party| party.session.state)
    }

    /// Returns the acts that the agent may send to this one.
    pub fn legal_with(&self, agent: &str) -> impl Iterator<Item = Performative> + use<> {
        self.legal(agent, self.role)
    }

    /// What this one may send to the agent.
    pub fn legal_from(&self, agent: &str) -> impl Iterator<Item = Performative> + use<> {
        self.legal(agent, self.role.other())
    }

    /// All others who take part, with where their sessions stand.
    pub fn parties(&self) -> impl Iterator<Item = (&str, State)> {
        self.sessions.iter().map(|party| (&*party.name, party.session.state))
    }

    /// Returns the others whose sessions are in this phase; proposals without a response are in [`Phase::Proposed`].
    pub fn in_phase(&self, phase: Phase) -> impl Iterator<Item = &str> {
        self.parties().filter(move |(_, state)| state.phase == phase).map(|(name, _)| name)
    }

    /// Returns the participants whose response is expected and whose time has not run out. When the list is empty,
    /// the initiator decides: in a contract net, everybody has proposed, refused, or missed the deadline.
    pub fn awaited(&self) -> impl Iterator<Item = &str> {
        self.sessions.iter().filter(|party| party.session.awaits_participant()).map(|party| &*party.name)
    }

    /// Whether nothing more is to come.
    pub fn is_over(&self) -> bool {
        self.sessions.are_over()
    }

    fn legal(&self, agent: &str, role: Role) -> impl Iterator<Item = Performative> + use<> {
        let party = self.sessions.with(agent).map(|party| (party.session.protocol, party.session.state));
        let (protocol, state) = party.unwrap_or((self.sessions.protocol, State::START));
        protocol.legal(self.sessions.profile, state).filter(move |(by, _)| *by == role).map(|(_, act)| act)
    }

    /// What is said of a message that is not of this conversation, or, by the standard, does not say so.
    fn misdirected(&self, message: &Message<'_>, said: Said) -> Option<Judgement> {
        let mut judgement = self.refused(said, Verdict::OtherConversation);
        if !self.sessions.have(message.protocol.as_ref()) {
            return Some(judgement);
        }
        match &message.conversation_id {
            Some(id) => (!self.is_named(id)).then_some(judgement),
            None if self.sessions.profile == Profile::Tutorial => None,
            None => {
                judgement.remarks.add(Remark::NoConversationId);
                Some(judgement)
            }
        }
    }

    fn is_named(&self, id: &Expression<'_>) -> bool {
        fingerprint::of_token(Some(id)) == self.id_fingerprint && id.says_same(&self.id)
    }

    fn refused(&self, said: Said, verdict: Verdict) -> Judgement {
        Judgement {
            verdict,
            remarks: Remarks::default(),
            protocol: self.sessions.protocol,
            profile: self.sessions.profile,
            by: said.by,
            act: said.act,
            state: State::START,
            receiver: 0,
        }
    }
}

/// Whether an agent manages a platform, which tells what could not be delivered (FIPA SC00023).
fn is_management(name: &str) -> bool {
    name.split('@').next().is_some_and(|own| own.eq_ignore_ascii_case("ams"))
}

fn with_remarks(mut judgement: Judgement, message: &Message<'_>) -> Judgement {
    if message.protocol.is_some() && message.conversation_id.is_none() {
        judgement.remarks.add(Remark::NoConversationId);
    }
    judgement
}
