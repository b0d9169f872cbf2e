//! The history of an entity's percepts: one log for all agents that perceive through it. Each agent has a cursor,
//! which is a version of this log, so no agent takes changes away from another.

use std::collections::VecDeque;

use hashbrown::HashSet;

use super::EventsHeard;
use super::perception::{Form, Moment, Perception, Since, Version};
use crate::environment::{Difference, Holding, Percepts, Shared};
use crate::ontology::Delivery;
use crate::ontology::typed::TypedPercept;

/// Maximum number of versions that an entity remembers, and of percepts that ceased to hold in them. An agent that is
/// further behind gets everything again (`resync`).
pub const CHANGES_REMEMBERED: usize = 1024;

/// Maximum number of events that an entity remembers. An agent that is further behind gets the number of lost events.
pub const EVENTS_REMEMBERED: usize = 1024;

/// Maximum number of bytes of the events that an entity remembers, and of its changes. The last event is always
/// remembered.
const BYTES_REMEMBERED: usize = 1 << 20;

/// The position of one agent in the log of one entity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    /// The acknowledged version. Without changes, nothing was acknowledged.
    pub(crate) acknowledged: Version,
    /// The last version that the agent received.
    pub(crate) told: Version,
    /// The changes of the first version that the agent received; 0 if there was none.
    first_told: u64,
    /// The number of events from which on the agent gets them. Earlier ones were for others.
    first_event: u64,
    /// Whether the agent has said that it has the acknowledged version, and has received nothing since.
    is_known: bool,
}

impl Cursor {
    /// The cursor of an agent that knows these events but no percepts.
    pub(crate) fn of_events(heard: EventsHeard) -> Self {
        let EventsHeard { acknowledged, told } = heard;
        let version = |events| Version { changes: 0, events };
        let (first_told, first_event, is_known) = (0, acknowledged, false);
        Self { acknowledged: version(acknowledged), told: version(told), first_told, first_event, is_known }
    }

    /// The events that the agent knows.
    pub(crate) fn heard(&self) -> EventsHeard {
        EventsHeard { acknowledged: self.acknowledged.events, told: self.told.events }
    }

    /// Returns the cursor for the next episode. Events of this one that the agent has not acknowledged count as lost
    /// there.
    pub(crate) fn in_next_episode(self) -> Self {
        let restart = |version: Version| Version { changes: 0, ..version };
        Self { acknowledged: restart(self.acknowledged), told: restart(self.told), first_told: 0, ..self }
    }

    /// Notes that the agent receives this version.
    pub(crate) fn tell(&mut self, version: Version) {
        (self.told, self.is_known) = (version, false);
        if self.first_told == 0 {
            self.first_told = version.changes;
        }
    }

    /// Returns the version to which the next perception is relative.
    pub(crate) fn since(&mut self, since: Since) -> Version {
        if since == Since::LastCall && !self.is_known {
            self.acknowledged = self.told;
        }
        self.acknowledged
    }

    /// Returns the version after which the agent still needs the log. An agent that has acknowledged nothing would
    /// get everything, unless it acknowledges something that it received.
    pub(crate) fn needed(&self) -> Version {
        let changes = match (self.acknowledged.changes, self.first_told) {
            (0, 0) => u64::MAX,
            (0, first_told) => first_told,
            (acknowledged, _) => acknowledged,
        };
        Version { changes, ..self.acknowledged }
    }
}

/// The percepts of an entity and their history.
#[derive(Debug)]
pub(crate) struct Log<P> {
    version: Version,
    /// The first version of the current log. Earlier versions belong to earlier logs and are forgotten.
    born: u64,
    /// The moments at which the last versions were listed, as the interface counts moments; the last one is that of
    /// `version`.
    moments: VecDeque<u64>,
    holding: Holding<P>,
    /// The last events; the last one is number `version.events`.
    events: VecDeque<P>,
    event_bytes: usize,
    /// Number of versions, changes or events before they are trimmed.
    limit: usize,
}

/// The smallest limit.
const LEAST_LIMIT: usize = 8;

impl<P: TypedPercept> Log<P> {
    /// Creates the log of an entity that was created at this moment of the environment, and whose events are numbered
    /// from `events`. Its versions are later than those of any log that ended before: in one moment, a log gets at
    /// most two new versions (one by listing and one by forgetting), and there is room for four.
    pub(crate) fn new(moment: u64, events: u64) -> Self {
        Self::beginning_at(Version { changes: 4 * moment, events })
    }

    fn beginning_at(version: Version) -> Self {
        Self {
            version,
            born: version.changes,
            moments: VecDeque::new(),
            holding: Holding::new(),
            events: VecDeque::new(),
            event_bytes: 0,
            limit: LEAST_LIMIT,
        }
    }

    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// Returns whether this version belongs to the present log.
    pub(crate) fn knows(&self, version: Version) -> bool {
        version.changes >= self.born
    }

    /// Returns the cursor of an agent that begins to perceive: it knows nothing, and gets later events only.
    pub(crate) fn beginning(&self) -> Cursor {
        let events = self.version.events;
        Cursor::of_events(EventsHeard { acknowledged: events, told: events })
    }

    /// Notes that an agent has this version, as it says itself. If it was never told this version, or the version is of
    /// an earlier log, it has no percepts.
    pub(crate) fn know(&self, cursor: &mut Cursor, version: Version) {
        let was_told =
            self.knows(version) && version.changes <= cursor.told.changes && version.events >= cursor.first_event;
        let changes = if was_told { version.changes } else { 0 };
        let events = version.events.max(cursor.first_event).min(self.version.events);
        (cursor.acknowledged, cursor.is_known) = (Version { changes, events }, true);
    }

    /// Adds an event.
    pub(crate) fn push_event(&mut self, percept: P) {
        self.version.events += 1;
        let bytes = percept.bytes();
        while self.events.len() == EVENTS_REMEMBERED || self.event_bytes + bytes > BYTES_REMEMBERED {
            let Some(oldest) = self.events.pop_front() else { break };
            self.event_bytes -= oldest.bytes();
        }
        self.event_bytes += bytes;
        self.events.push_back(percept);
    }

    /// Lists the percepts that hold at this moment of the environment, unless they are known already.
    pub(crate) fn list(&mut self, moment: u64, shared: &mut Shared<P>, list: impl FnOnce(&mut Percepts<'_, P>)) {
        if self.moments.back() == Some(&moment) {
            return;
        }
        let changed = self.holding.list(moment, shared, list);
        match self.moments.back_mut() {
            Some(last) if !changed => *last = moment,
            _ => {
                debug_assert!(self.holding.is_sound(shared), "a percept is listed twice");
                self.version.changes += 1;
                self.moments.push_back(moment);
            }
        }
        self.forget_versions(|log| {
            let (changes, bytes) = log.holding.remembered();
            log.moments.len().max(changes) > CHANGES_REMEMBERED || bytes > BYTES_REMEMBERED
        });
    }

    /// Returns the perception for an agent at version `since`. `word` translates each percept.
    pub(crate) fn tell<'a, Q>(
        &'a self,
        moment: Moment,
        since: Version,
        form: Form,
        shared: &'a Shared<P>,
        word: impl Fn(&'a P) -> Q,
    ) -> Perception<Q> {
        let difference = match form {
            Form::Snapshot => None,
            Form::Update => self.difference(since.changes, shared),
            Form::Telling => self.telling(since.changes, shared),
        };
        let resync = difference.is_none();
        let Difference { begun, ceased, .. } = difference.unwrap_or_else(|| self.holding.all(shared));
        let [add, delete] = [begun, ceased].map(|percepts| percepts.into_iter().map(&word).collect());
        let (events, lost) = self.events_since(since.events, word);
        Perception { moment, since, version: self.version, resync, add, delete, events, lost }
    }

    /// Returns whether it is time to forget changes that no agent needs any more.
    pub(crate) fn is_full(&self) -> bool {
        self.length() >= self.limit
    }

    /// Forgets the changes that all agents have acknowledged. The limit grows with the rest, so that searching for
    /// the oldest cursor costs little per change.
    pub(crate) fn trim(&mut self, acknowledged: Version) {
        self.forget_versions(|log| log.oldest() < acknowledged.changes);
        let unheard = self.version.events.saturating_sub(acknowledged.events);
        let heard = self.events.len().saturating_sub(unheard as usize);
        self.event_bytes -= self.events.drain(..heard).map(|event| event.bytes()).sum::<usize>();
        self.limit = (2 * self.length()).max(LEAST_LIMIT);
    }

    /// Forgets all changes and events, of which agents then get the number of lost ones and everything that holds. The
    /// percepts are listed again, so that earlier ones take no memory.
    pub(crate) fn forget_history(
        &mut self,
        moment: u64,
        shared: &mut Shared<P>,
        list: impl FnOnce(&mut Percepts<'_, P>),
    ) {
        if !self.moments.is_empty() {
            self.list(moment, shared, list);
        }
        self.forget_versions(|_| true);
        (self.events, self.event_bytes) = Default::default();
    }

    /// Forgets everything, because no agent perceives through the entity any more. Versions continue from here.
    pub(crate) fn forget(&mut self) {
        *self = Self::beginning_at(Version { changes: self.version.changes + 1, ..self.version });
    }

    /// The larger of the numbers of versions, changes and events.
    fn length(&self) -> usize {
        self.moments.len().max(self.holding.remembered().0).max(self.events.len())
    }

    /// Returns the first version of which the later changes are known.
    fn oldest(&self) -> u64 {
        self.version.changes + 1 - self.moments.len() as u64
    }

    /// Forgets the oldest versions, but not the last one, while `is_forgotten` returns true.
    fn forget_versions(&mut self, is_forgotten: impl Fn(&Self) -> bool) {
        while let Some(oldest) = self.moments.front() {
            self.holding.forget_until(*oldest);
            if self.moments.len() == 1 || !is_forgotten(self) {
                break;
            }
            self.moments.pop_front();
        }
    }

    /// Returns the difference to version `since`; `None` if not all changes after it are remembered.
    fn difference<'a>(&'a self, since: u64, shared: &'a Shared<P>) -> Option<Difference<'a, P>> {
        if since == self.version.changes {
            return Some(Difference::new(since));
        }
        let place = since.checked_sub(self.oldest())?;
        self.holding.difference(*self.moments.get(place as usize)?, shared)
    }

    /// Like `difference`, in the form of the Blocks World for Teams specification: percepts to report, and percepts
    /// to report as `not(...)`.
    fn telling<'a>(&'a self, since: u64, shared: &'a Shared<P>) -> Option<Difference<'a, P>> {
        let mut difference = self.difference(since, shared)?;
        let Difference { begun: say, ceased: deny, .. } = &mut difference;
        // The variants whose percepts are all reported again because one of them differs.
        let differs: HashSet<usize> = say
            .iter()
            .chain(&*deny)
            .filter(|percept| percept.delivery() == Delivery::OnChange)
            .map(|percept| percept.variant())
            .collect();
        if !differs.is_empty() || P::has_delivery_always() {
            let again = |percept: &&P| match percept.delivery() {
                Delivery::Always => true,
                Delivery::OnChange => differs.contains(&percept.variant()),
                Delivery::Once | Delivery::OnChangeWithNegation | Delivery::Event => false,
            };
            say.retain(|percept| !again(percept));
            say.extend(self.holding.all(shared).begun.into_iter().filter(again));
        }
        deny.retain(|percept| percept.delivery() == Delivery::OnChangeWithNegation);
        Some(difference)
    }

    /// Returns the events after number `since`, and how many of them are no longer remembered.
    fn events_since<'a, Q>(&'a self, since: u64, word: impl Fn(&'a P) -> Q) -> (Vec<Q>, u64) {
        let unheard = self.version.events.saturating_sub(since);
        if unheard == 0 {
            return (Vec::new(), 0);
        }
        let remembered = self.events.len() as u64;
        let told = unheard.min(remembered);
        let events = self.events.range((remembered - told) as usize..).map(word).collect();
        (events, unheard - told)
    }
}
