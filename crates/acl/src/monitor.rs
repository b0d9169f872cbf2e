//! A monitor of all messages in a system, which reports broken rules.

mod finding;
mod memory;

pub use finding::{Finding, Problem};

use self::finding::LONGEST_NAME;
use self::memory::{Conversations, Watched};
use crate::conversation::fingerprint;
use crate::conversation::sessions::Sessions;
use crate::{Judgement, Message, Profile, Protocol, Verdict};

/// Default maximum number of remembered sessions.
const SESSIONS: usize = 1_000_000;
/// Default maximum number of remembered conversations.
const CONVERSATIONS: usize = 100_000;

/// Judges all messages of any number of agents, in the order in which they are sent.
///
/// It identifies a conversation by its protocol, its initiator and its `conversation-id`, or else by the `reply-with`
/// of its first message. It sees all messages in one order, so each session has one automaton for both sides; if two
/// messages cross, one of them is late, but breaks no rule. With the standard's rules, it judges only messages that
/// name a protocol; others continue the conversation that they name, if they can. With the tutorial's rules, the first
/// act determines the protocol. A `failure` from a platform's management agent (`ams`, `ams@…`), which reports that a
/// message could not be delivered, breaks no rule.
///
/// Its memory is bounded. Above the maximum numbers of conversations and sessions, it forgets the oldest ones,
/// starting with those that are over.
///
/// ```
/// use situated_acl::{Message, Monitor, Performative, Profile, Protocol};
///
/// let mut monitor = Monitor::new(Profile::Standard);
/// let cfp = Message::cfp().from("A").to("B").to("C").protocol(Protocol::ContractNet).conversation_id("c1");
/// assert!(monitor.observe(&cfp, 0).is_empty());
/// let found = monitor.observe(&cfp.reply(Performative::Inform).from("B"), 1);
/// assert_eq!(
///     found[0].to_string(),
///     "`B` in conversation `c1`: fipa-contract-net, CfpSent: `inform` by the participant is out of sequence; \
///      legal acts are `not-understood`, `propose`, `refuse`",
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Monitor {
    profile: Profile,
    memory: Conversations,
}

impl Monitor {
    /// Creates a monitor that remembers at most 100,000 conversations and a million sessions.
    pub fn new(profile: Profile) -> Self {
        Self::with_bounds(profile, CONVERSATIONS, SESSIONS)
    }

    /// Creates a monitor that remembers at most this many conversations and sessions, and at least one of each.
    pub fn with_bounds(profile: Profile, conversations: usize, sessions: usize) -> Self {
        Self { profile, memory: Conversations::new(conversations.max(1), sessions.max(1)) }
    }

    /// The number of remembered conversations.
    pub fn conversations(&self) -> usize {
        self.memory.conversations()
    }

    /// The number of remembered sessions.
    pub fn sessions(&self) -> usize {
        self.memory.sessions()
    }

    /// Processes a message that was sent at this time, in milliseconds since 1970. Returns its findings, usually
    /// none.
    pub fn observe(&mut self, message: &Message<'_>, now: i64) -> Vec<Finding> {
        let mut problems = Vec::new();
        if message.protocol.is_some() && message.conversation_id.is_none() {
            problems.push(Problem::NoConversationId { standard: self.profile == Profile::Standard });
        }
        match self.conversation_of(message, now) {
            Ok(Some(place)) => self.judge(place, message, now, &mut problems),
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
        if message.protocol.is_none() && self.profile == Profile::Standard || message.is_delivery_report() {
            problems.clear();
        }
        if message.performative.is_macro() && !problems.iter().any(|problem| matches!(problem, Problem::Judged(_))) {
            problems.push(Problem::MacroAct);
        }
        problems.into_iter().map(|problem| Finding::new(message, problem)).collect()
    }

    /// Returns the conversation to which a message belongs, which may begin with it; `None` if it belongs to none.
    fn conversation_of(&mut self, message: &Message<'_>, now: i64) -> Result<Option<usize>, Problem> {
        let named = message.protocol.as_ref().map(|token| token.as_str());
        let protocol = match named.map(|token| Protocol::named(token).ok_or(token)) {
            Some(Ok(protocol)) => Some(protocol),
            Some(Err(unknown)) => return Err(Problem::UnknownProtocol(unknown.chars().take(LONGEST_NAME).collect())),
            None => None,
        };
        let id = match (&message.conversation_id, self.profile) {
            (None, Profile::Tutorial) => message.in_reply_to.as_ref().or(message.reply_with.as_ref()),
            (id, _) => id.as_ref(),
        };
        let Some(id) = id.map(fingerprint::text_of) else { return Ok(None) };
        // Ids are unique only among the conversations of one initiator. Among several, the newest is the likeliest.
        let known = || self.memory.known(&id, message).map(|place| (place, self.memory.at(place)));
        let likeliest = known().map(|(place, watched)| (watched.allows(message, now), watched.begun, place)).max();
        let act = message.performative;
        let inferred = || Protocol::opened_by(act).filter(|_| self.profile == Profile::Tutorial);
        let protocol = protocol.or_else(inferred);
        let opening = protocol.filter(|protocol| protocol.begins_with(act));
        let is_others = |watched: &Watched| {
            Some(watched.protocol()) == opening && message.sender_name().is_some_and(|name| !watched.is_initiator(name))
        };
        if let Some((is_legal, _, place)) = likeliest
            && (is_legal || message.in_reply_to.is_some() || !known().all(|(_, watched)| is_others(watched)))
        {
            return Ok(Some(place));
        }
        let Some(protocol) = protocol else { return Ok(None) };
        if opening.is_none() {
            return Err(Problem::UnknownConversation(protocol));
        }
        let initiator = message.sender_name().ok_or(Problem::NoSender)?;
        let answered = message.reply_to.first().map_or(initiator, |agent| &agent.name);
        if id.len().max(initiator.len()).max(answered.len()) > LONGEST_NAME {
            return Err(Problem::TooLong);
        }
        let sessions = Sessions::new(protocol, self.profile);
        Ok(Some(self.memory.open(Watched::new(&id, initiator, answered, sessions))))
    }

    /// Judges a message in each of its sessions in a remembered conversation.
    fn judge(&mut self, place: usize, message: &Message<'_>, now: i64, problems: &mut Vec<Problem>) {
        if message.sender.is_none() {
            return problems.push(Problem::NoSender);
        }
        let (said, participants) = self.memory.at(place).said(message, now);
        for (receiver, participant) in participants.iter().enumerate() {
            if participant.name.len() > LONGEST_NAME {
                problems.push(Problem::TooLong);
                continue;
            }
            match self.memory.hear(place, &participant.name, said, now) {
                None => problems.push(Problem::TooMany),
                Some(plain) if matches!(plain.verdict, Verdict::Next(_)) && plain.remarks.is_empty() => {}
                Some(judgement) => problems.push(Problem::Judged(Judgement { receiver, ..judgement })),
            }
        }
    }
}
