//! Conversations, from the point of view of one participating agent.

pub(crate) mod fingerprint;
mod judgement;
pub(crate) mod session;
pub(crate) mod sessions;

pub use judgement::{Judgement, Remark, Remarks};

use self::session::Said;
use self::sessions::Sessions;
use crate::{Expression, Message, Performative, Phase, Profile, Protocol, Role, State, Verdict};

/// A conversation of one agent, which is either its initiator or a participant. Pass it each message that the agent
/// sends and receives. It judges the message by the protocol, and reports which messages are legal next, with whom,
/// and until when.
///
/// An initiator has a session with each participant, since each participant responds on its own. Agents that a
/// recruiter has found respond without having been addressed; up to 10,000 of them are followed. The caller passes
/// the time in milliseconds since the beginning of 1970, and calls [`Conversation::advance`] at the
/// [`Conversation::deadline`].
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
/// assert!(wrong.to_string().contains("legal acts are `failure`, `inform`, `not-understood`"));
/// assert_eq!(conversation.state_with("B").phase, Phase::Agreed);
/// ```
#[derive(Clone, Debug)]
pub struct Conversation {
    id: Expression<'static>,
    id_fingerprint: u64,
    role: Role,
    /// Difference between local time and UTC, in minutes.
    offset: i32,
    sessions: Sessions,
}

impl Conversation {
    /// Creates a conversation without messages.
    pub fn new<'a>(protocol: Protocol, profile: Profile, role: Role, id: impl Into<Expression<'a>>) -> Self {
        let id = id.into().into_owned();
        let id_fingerprint = fingerprint::of_token(Some(&id));
        Self { id, id_fingerprint, role, offset: 0, sessions: Sessions::new(protocol, profile) }
    }

    /// Sets the time to wait for a promised result, in milliseconds. Without it, the wait is unlimited: `reply-by`
    /// only concerns the next message.
    pub fn result_timeout(mut self, milliseconds: u64) -> Self {
        self.sessions.patience.result = Some(milliseconds);
        self
    }

    /// Sets the time to wait for the response to a cancel, in milliseconds. After that the session is cancelled.
    pub fn cancel_timeout(mut self, milliseconds: u64) -> Self {
        self.sessions.patience.cancel = Some(milliseconds);
        self
    }

    /// Sets the difference between local time and UTC, in minutes. A `reply-by` without a time zone is in local time.
    pub fn local_time(mut self, offset: i32) -> Self {
        self.offset = offset;
        self
    }

    /// Sets the protocol of the message that a broker or a recruiter passes on; the conversation continues with it.
    /// Without it, one response is expected, as for a request.
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

    /// The role of the agent.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether a message names this conversation, and no other protocol. An agent with several conversations uses
    /// this to find the one to which a message belongs.
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

    /// Processes a message that the agent has sent. Each receiver is judged separately: a message that is legal for
    /// one receiver counts there, even if it is illegal for another.
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

    /// Processes a message that the agent has received.
    ///
    /// A `failure` from a platform's management agent (`ams`, `ams@…`) reports that a message could not be delivered.
    /// It ends the session of the participant who was sent the message, if there was only one. Otherwise use
    /// [`Conversation::undelivered`].
    pub fn received(&mut self, message: &Message<'_>, now: i64) -> Judgement {
        let said = Said::new(message, self.role.other(), now, self.offset);
        if let Some(judgement) = self.misdirected(message, said) {
            return judgement;
        }
        let Some(sender) = &message.sender else { return self.refused(said, Verdict::NotMember) };
        if message.is_delivery_report() {
            let known = self.sessions.fail_only_one_awaiting(said.answers);
            let next = Verdict::Next(State::at(Phase::Failed));
            return self.refused(said, if known { next } else { Verdict::NotMember });
        }
        with_remarks(self.sessions.hear(&sender.name, said, now), message)
    }

    /// Judges a message without sending it. Returns the judgement for the first receiver for which it is illegal, or
    /// else for the last one.
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

    /// Notes that a message to this agent could not be delivered. Its session fails.
    pub fn undelivered(&mut self, agent: &str) {
        self.sessions.fail(agent);
    }

    /// Processes all deadlines that have passed. Call this before you ask for states and awaited agents.
    pub fn advance(&mut self, now: i64) {
        self.sessions.expire(now);
    }

    /// Returns the first millisecond at which the next deadline has passed.
    pub fn deadline(&self) -> Option<i64> {
        let deadlines = self.sessions.iter().filter_map(|party| party.session.deadline);
        deadlines.min().map(|deadline| deadline.saturating_add(1))
    }

    /// Returns the state of the session with this agent.
    pub fn state_with(&self, agent: &str) -> State {
        self.sessions.with(agent).map_or(State::START, |party| party.session.state)
    }

    /// Returns the acts that the agent may send to this one.
    pub fn legal_with(&self, agent: &str) -> impl Iterator<Item = Performative> + use<> {
        self.legal(agent, self.role)
    }

    /// Returns the acts that this agent may send to the conversation's agent.
    pub fn legal_from(&self, agent: &str) -> impl Iterator<Item = Performative> + use<> {
        self.legal(agent, self.role.other())
    }

    /// Returns all other participants, with the states of their sessions.
    pub fn parties(&self) -> impl Iterator<Item = (&str, State)> {
        self.sessions.iter().map(|party| (&*party.name, party.session.state))
    }

    /// Returns the participants whose sessions are in this phase. For example, proposals without a response are in
    /// [`Phase::Proposed`].
    pub fn in_phase(&self, phase: Phase) -> impl Iterator<Item = &str> {
        self.parties().filter(move |(_, state)| state.phase == phase).map(|(name, _)| name)
    }

    /// Returns the participants whose response is expected and whose time has not run out. When it is empty, the
    /// initiator decides: in a contract net, all participants have proposed, refused, or missed the deadline.
    pub fn awaited(&self) -> impl Iterator<Item = &str> {
        self.sessions.iter().filter(|party| party.session.awaits_participant()).map(|party| &*party.name)
    }

    /// Whether no further message is expected.
    pub fn is_over(&self) -> bool {
        self.sessions.are_over()
    }

    fn legal(&self, agent: &str, role: Role) -> impl Iterator<Item = Performative> + use<> {
        let party = self.sessions.with(agent).map(|party| (party.session.protocol, party.session.state));
        let (protocol, state) = party.unwrap_or((self.sessions.protocol, State::START));
        protocol.legal(self.sessions.profile, state).filter(move |(by, _)| *by == role).map(|(_, act)| act)
    }

    /// Judges a message that does not belong to this conversation or, as the standard requires, does not name it.
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

fn with_remarks(mut judgement: Judgement, message: &Message<'_>) -> Judgement {
    if message.protocol.is_some() && message.conversation_id.is_none() {
        judgement.remarks.add(Remark::NoConversationId);
    }
    judgement
}
