//! The conversations that a monitor remembers.

use std::collections::BTreeSet;

use hashbrown::HashTable;

use crate::conversation::fingerprint;
use crate::conversation::session::Said;
use crate::conversation::sessions::Sessions;
use crate::{AgentIdentifier, Judgement, Message, Protocol, Role};

/// A bounded number of conversations and sessions.
#[derive(Clone, Debug)]
pub(super) struct Conversations {
    most_conversations: usize,
    most_sessions: usize,
    /// The conversations. Free places are reused.
    places: Vec<Option<Watched>>,
    free: Vec<usize>,
    /// The keys of the conversations, with their places.
    by_key: HashTable<(u64, usize)>,
    /// The order of forgetting: whether the conversation is running, when it began, and its place.
    ages: BTreeSet<(bool, u64, usize)>,
    begun: u64,
    sessions: usize,
}

/// A remembered conversation.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    id: Box<str>,
    initiator: Box<str>,
    /// The agent that gets the responses: the initiator, unless it named another one.
    answered: Box<str>,
    sessions: Sessions,
    going_on: bool,
    /// Its number: later conversations have higher ones.
    pub(super) begun: u64,
}

impl Watched {
    pub(super) fn new(id: &str, initiator: &str, answered: &str, sessions: Sessions) -> Self {
        let (id, initiator, answered) = (id.into(), initiator.into(), answered.into());
        Self { id, initiator, answered, sessions, going_on: true, begun: 0 }
    }

    pub(super) fn is_initiator(&self, agent: &str) -> bool {
        self.initiator.eq_ignore_ascii_case(agent)
    }

    pub(super) fn protocol(&self) -> Protocol {
        self.sessions.protocol
    }

    /// Returns the properties of a message in this conversation, and the participants in whose sessions it is.
    pub(super) fn said<'m>(&self, message: &'m Message<'_>, now: i64) -> (Said, &'m [AgentIdentifier<'m>]) {
        match &message.sender {
            Some(sender) if self.is_initiator(&sender.name) => {
                (Said::new(message, Role::Initiator, now, 0), &message.receivers)
            }
            sender => (Said::new(message, Role::Participant, now, 0), sender.as_slice()),
        }
    }

    /// Whether a message is legal in one of its sessions.
    pub(super) fn allows(&self, message: &Message<'_>, now: i64) -> bool {
        let (said, participants) = self.said(message, now);
        participants.iter().any(|agent| !self.sessions.judge(&agent.name, said, now).is_violation())
    }

    /// Its keys: one for the initiator, and one for the agent that gets the responses if that is another.
    fn keys(&self) -> impl Iterator<Item = u64> + use<> {
        let id = fingerprint::of_text(&self.id);
        let (initiator, answered) = (key(id, &self.initiator), key(id, &self.answered));
        std::iter::once(initiator).chain((answered != initiator).then_some(answered))
    }
}

impl Conversations {
    pub(super) fn new(most_conversations: usize, most_sessions: usize) -> Self {
        Self {
            most_conversations,
            most_sessions,
            places: Vec::new(),
            free: Vec::new(),
            by_key: HashTable::new(),
            ages: BTreeSet::new(),
            begun: 0,
            sessions: 0,
        }
    }

    pub(super) fn conversations(&self) -> usize {
        self.ages.len()
    }

    pub(super) fn sessions(&self) -> usize {
        self.sessions
    }

    /// Returns the places of the conversations with this id to which a message can belong: its sender has begun them,
    /// or one of its receivers gets their responses.
    pub(super) fn known<'m>(&'m self, id: &'m str, message: &'m Message<'_>) -> impl Iterator<Item = usize> + 'm {
        let fingerprint = fingerprint::of_text(id);
        let sender = message.sender.iter().map(|agent| (agent, true));
        let receivers = message.receivers.iter().map(|agent| (agent, false));
        sender.chain(receivers).flat_map(move |(agent, sends)| {
            let places = self.by_key.iter_hash(key(fingerprint, &agent.name)).map(|(_, place)| *place);
            places.filter(move |place| {
                let watched = self.at(*place);
                let begun = message.sender_name().is_some_and(|sender| watched.is_initiator(sender));
                begun == sends
                    && (watched.is_initiator(&agent.name) || watched.answered.eq_ignore_ascii_case(&agent.name))
                    && *watched.id == *id
                    && watched.sessions.have(message.protocol.as_ref())
            })
        })
    }

    pub(super) fn at(&self, place: usize) -> &Watched {
        self.places[place].as_ref().expect("a place that was found has a conversation")
    }

    /// Adds a conversation. If the memory is full, forgets another one.
    pub(super) fn open(&mut self, watched: Watched) -> usize {
        if self.ages.len() >= self.most_conversations {
            self.forget_other_than(None);
        }
        let place = self.free.pop().unwrap_or(self.places.len());
        if place == self.places.len() {
            self.places.push(None);
        }
        self.begun += 1;
        self.ages.insert((true, self.begun, place));
        for key in watched.keys() {
            self.by_key.insert_unique(key, (key, place), |(key, _)| *key);
        }
        self.places[place] = Some(Watched { begun: self.begun, ..watched });
        place
    }

    /// Judges a message and changes the state; returns `None` if there is no memory for another session.
    pub(super) fn hear(&mut self, place: usize, participant: &str, said: Said, now: i64) -> Option<Judgement> {
        let is_new = self.at(place).sessions.with(participant).is_none();
        while is_new && self.sessions >= self.most_sessions {
            if !self.forget_other_than(Some(place)) {
                return None;
            }
        }
        let watched = self.places[place].as_mut().expect("a place that was found has a conversation");
        let before = watched.sessions.len();
        let judgement = watched.sessions.hear(participant, said, now);
        self.sessions += watched.sessions.len() - before;
        let going_on = !watched.sessions.are_over();
        if going_on != watched.going_on {
            self.ages.remove(&(watched.going_on, watched.begun, place));
            self.ages.insert((going_on, watched.begun, place));
            watched.going_on = going_on;
        }
        Some(judgement)
    }

    /// Forgets the oldest conversation, preferably one that is over. Returns whether there was one.
    fn forget_other_than(&mut self, kept: Option<usize>) -> bool {
        let Some(oldest) = self.ages.iter().find(|(.., place)| Some(*place) != kept).copied() else { return false };
        let (.., place) = oldest;
        self.ages.remove(&oldest);
        if let Some(watched) = self.places[place].take() {
            self.sessions -= watched.sessions.len();
            for key in watched.keys() {
                if let Ok(entry) = self.by_key.find_entry(key, |entry| *entry == (key, place)) {
                    entry.remove();
                }
            }
        }
        self.free.push(place);
        true
    }
}

/// The key of the conversations with an id, as a fingerprint, that concern an agent.
fn key(id: u64, agent: &str) -> u64 {
    id.rotate_left(1) ^ fingerprint::of_name(agent)
}
