//! The conversations that a monitor remembers.

use std::collections::BTreeSet;

use hashbrown::HashTable;

use crate::Judgement;
use crate::conversation::fingerprint;
use crate::conversation::session::Said;
use crate::conversation::sessions::Sessions;

/// A bounded number of conversations and sessions.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    most_conversations: usize,
    most_sessions: usize,
    /// The conversations. Free places are reused.
    places: Vec<Option<Watched>>,
    free: Vec<usize>,
    by_id: HashTable<usize>,
    /// The order of forgetting: whether the conversation is running, when it began, and its place.
    ages: BTreeSet<(bool, u64, usize)>,
    begun: u64,
    sessions: usize,
}

/// A remembered conversation.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    id: Box<str>,
    fingerprint: u64,
    initiator: Box<str>,
    /// Whether the response goes to another agent than the sender.
    redirected: bool,
    sessions: Sessions,
    going_on: bool,
    begun: u64,
}

impl Watched {
    pub(super) fn new(id: &str, initiator: &str, redirected: bool, sessions: Sessions) -> Self {
        let fingerprint = fingerprint::of_text(id);
        Self { id: id.into(), fingerprint, initiator: initiator.into(), redirected, sessions, going_on: true, begun: 0 }
    }

    pub(super) fn is_initiator(&self, agent: &str) -> bool {
        self.initiator.eq_ignore_ascii_case(agent)
    }

    pub(super) fn is_redirected(&self) -> bool {
        self.redirected
    }
}

impl Memory {
    pub(super) fn new(most_conversations: usize, most_sessions: usize) -> Self {
        Self {
            most_conversations,
            most_sessions,
            places: Vec::new(),
            free: Vec::new(),
            by_id: HashTable::new(),
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

    /// Finds a conversation by its id, among those that match a condition.
    pub(super) fn find(&self, id: &str, is_it: impl Fn(&Sessions) -> bool) -> Option<usize> {
        let same = |place: &usize| {
            self.places[*place].as_ref().is_some_and(|watched| *watched.id == *id && is_it(&watched.sessions))
        };
        self.by_id.find(fingerprint::of_text(id), same).copied()
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
        let fingerprint = watched.fingerprint;
        self.places[place] = Some(Watched { begun: self.begun, ..watched });
        let places = &self.places;
        self.by_id.insert_unique(fingerprint, place, |place| fingerprint_at(places, *place));
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
            if let Ok(entry) = self.by_id.find_entry(watched.fingerprint, |other| *other == place) {
                entry.remove();
            }
        }
        self.free.push(place);
        true
    }
}

fn fingerprint_at(places: &[Option<Watched>], place: usize) -> u64 {
    places[place].as_ref().map_or(0, |watched| watched.fingerprint)
}
