//! The history of an entity's percepts: one log for all agents that perceive through it. Each agent has a cursor,
//! which is a version of this log, so no agent takes changes away from another.

use std::collections::{VecDeque, vec_deque};
use std::iter;

use hashbrown::HashMap;

use super::EventsHeard;
use super::perception::{Form, Moment, Perception, Version};
use crate::environment::{Change, Changes, Holding, Percepts, Shared};
use crate::ontology::Delivery;
use crate::ontology::typed::TypedPercept;

/// Maximum number of changes that an entity remembers. An agent that is further behind gets everything again
/// (`resync`).
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
}

impl Cursor {
    /// The cursor of an agent that knows these events but no percepts.
    pub(crate) fn of_events(heard: EventsHeard) -> Self {
        let version = |events| Version { changes: 0, events };
        Self { acknowledged: version(heard.acknowledged), told: version(heard.told), first_told: 0 }
    }

    /// The events that the agent knows.
    pub(crate) fn heard(&self) -> EventsHeard {
        EventsHeard { acknowledged: self.acknowledged.events, told: self.told.events }
    }

    /// Returns the cursor for the next episode. Events of this one that the agent has not acknowledged count as lost
    /// there.
    pub(crate) fn in_next_episode(self) -> Self {
        let restart = |version: Version| Version { changes: 0, ..version };
        Self { acknowledged: restart(self.acknowledged), told: restart(self.told), first_told: 0 }
    }

    /// Notes that the agent receives this version.
    pub(crate) fn tell(&mut self, version: Version) {
        self.told = version;
        if self.first_told == 0 {
            self.first_told = version.changes;
        }
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
    /// The moment of the environment at which the percepts were listed, as the interface counts moments.
    listed_at: u64,
    version: Version,
    /// The first version of the current log. Earlier versions belong to earlier logs and are forgotten.
    born: u64,
    /// The last change that is no longer remembered.
    forgotten: u64,
    /// Boxed, so that unchanged entities need little memory traffic.
    memory: Box<Memory<P>>,
}

#[derive(Debug)]
struct Memory<P> {
    holding: Holding<P>,
    /// The last changes, oldest first.
    changes: VecDeque<Change<P>>,
    /// The versions of the last changes, oldest first.
    versions: VecDeque<Changed>,
    /// The last events; the last one is number `version.events`.
    events: VecDeque<P>,
    /// The sizes of the changes and of the events.
    change_bytes: usize,
    event_bytes: usize,
    /// Number of changes or events before they are trimmed.
    limit: usize,
}

/// The number of changes in a version. A percept changes at most once in a version.
#[derive(Debug)]
struct Changed {
    version: u64,
    count: usize,
    bytes: usize,
}

/// The smallest limit: a short log of an agent that keeps up stays in the cache.
const LEAST_LIMIT: usize = 8;

impl<P: TypedPercept> Log<P> {
    /// Creates the log of an entity that was created at this moment of the environment, and whose events are numbered
    /// from `events`. Its versions are later than those of any log that ended before: in one moment, a log gets at
    /// most two new versions (one by listing and one by forgetting), and there is room for four.
    pub(crate) fn new(moment: u64, events: u64) -> Self {
        let born = 4 * moment;
        let (version, memory) = (Version { changes: born, events }, Box::new(Memory::new()));
        Self { listed_at: 0, version, born, forgotten: born - 1, memory }
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
        let beginning = Version { changes: 0, events: self.version.events };
        Cursor { acknowledged: beginning, told: beginning, first_told: 0 }
    }

    /// Adds an event.
    pub(crate) fn push_event(&mut self, percept: P) {
        self.version.events += 1;
        let Memory { events, event_bytes, .. } = &mut *self.memory;
        let bytes = percept.bytes();
        while events.len() == EVENTS_REMEMBERED || *event_bytes + bytes > BYTES_REMEMBERED {
            let Some(oldest) = events.pop_front() else { break };
            *event_bytes -= oldest.bytes();
        }
        *event_bytes += bytes;
        events.push_back(percept);
    }

    /// Lists the percepts that hold at this moment of the environment, unless they are known already.
    pub(crate) fn list(&mut self, moment: u64, shared: &mut Shared<P>, list: impl FnOnce(&mut Percepts<'_, P>)) {
        if self.listed_at == moment {
            return;
        }
        self.listed_at = moment;
        let Changes { list: mut changes, resync } = self.memory.holding.list(shared, list);
        if resync {
            self.version.changes += 1;
            self.forget_versions(|_, _, _| true);
            self.forgotten = self.version.changes;
        } else if !changes.is_empty() {
            self.version.changes += 1;
            let bytes = changes.iter().map(Change::bytes).sum();
            self.memory.change_bytes += bytes;
            self.memory.versions.push_back(Changed { version: self.version.changes, count: changes.len(), bytes });
            let mut new = VecDeque::from(changes);
            self.memory.changes.append(&mut new);
            changes = new.into();
            self.forget_versions(|_, changes, bytes| changes > CHANGES_REMEMBERED || bytes > BYTES_REMEMBERED);
        }
        changes.clear();
        shared.buffer = changes;
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
            Form::Update => self.difference(since.changes, shared, &word),
            Form::Telling => {
                self.telling(since.changes, shared).map(|(add, delete)| (put(add, &word), put(delete, &word)))
            }
        };
        let resync = difference.is_none();
        let all = || (put(self.memory.holding.all(shared), &word), Vec::new());
        let (add, delete) = difference.unwrap_or_else(all);
        let (events, lost) = self.events_since(since.events, word);
        Perception { moment, since, version: self.version, resync, add, delete, events, lost }
    }

    /// Returns whether it is time to forget changes that no agent needs any more.
    pub(crate) fn is_full(&self) -> bool {
        self.memory.changes.len().max(self.memory.events.len()) >= self.memory.limit
    }

    /// Forgets the changes that all agents have acknowledged. The limit grows with the rest, so that searching for
    /// the oldest cursor costs little per change.
    pub(crate) fn trim(&mut self, acknowledged: Version) {
        self.forget_versions(|version, _, _| version <= acknowledged.changes);
        let unheard = self.version.events.saturating_sub(acknowledged.events);
        let heard = self.memory.events.len().saturating_sub(unheard as usize);
        self.memory.event_bytes -= self.memory.events.drain(..heard).map(|event| event.bytes()).sum::<usize>();
        self.memory.limit = (2 * self.memory.changes.len().max(self.memory.events.len())).max(LEAST_LIMIT);
    }

    /// Forgets all changes and events, of which agents then get the number of lost ones and everything that holds. The
    /// percepts are listed again, so that earlier ones take no memory.
    pub(crate) fn forget_history(
        &mut self,
        moment: u64,
        shared: &mut Shared<P>,
        list: impl FnOnce(&mut Percepts<'_, P>),
    ) {
        if self.listed_at > 0 {
            self.list(moment, shared, list);
        }
        self.forget_versions(|_, _, _| true);
        (self.memory.changes, self.memory.events, self.memory.event_bytes) = Default::default();
    }

    /// Forgets everything, because no agent perceives through the entity any more. Versions continue from here.
    pub(crate) fn forget(&mut self, shared: &mut Shared<P>) {
        self.memory.holding.leave(shared);
        *self.memory = Memory::new();
        self.listed_at = 0;
        self.version.changes += 1;
        self.born = self.version.changes;
        self.forgotten = self.born - 1;
    }

    /// Forgets the oldest versions while `is_forgotten` returns true for the version, and for the number and the size of
    /// the remembered changes.
    fn forget_versions(&mut self, is_forgotten: impl Fn(u64, usize, usize) -> bool) {
        let Memory { changes, versions, change_bytes, .. } = &mut *self.memory;
        let mut forgotten = 0;
        while let Some(oldest) =
            versions.pop_front_if(|oldest| is_forgotten(oldest.version, changes.len() - forgotten, *change_bytes))
        {
            self.forgotten = oldest.version;
            forgotten += oldest.count;
            *change_bytes -= oldest.bytes;
        }
        changes.drain(..forgotten);
    }

    fn changes_after(&self, since: u64) -> vec_deque::Iter<'_, Change<P>> {
        let Memory { changes, versions, .. } = &*self.memory;
        let later = versions.iter().rev().take_while(|changed| changed.version > since);
        let count: usize = later.map(|changed| changed.count).sum();
        changes.range(changes.len() - count..)
    }

    /// Returns the percepts to add and delete since version `since`; `None` if not all changes after it are
    /// remembered.
    fn difference<'a, Q>(
        &'a self,
        since: u64,
        shared: &'a Shared<P>,
        word: impl Fn(&'a P) -> Q,
    ) -> Option<(Vec<Q>, Vec<Q>)> {
        if since < self.forgotten || since == 0 {
            return None;
        }
        if since == self.version.changes {
            return Some((Vec::new(), Vec::new()));
        }
        let changes = self.changes_after(since);
        let (mut most_begun, mut most_ceased, mut each_once) = (0, 0, since + 1 == self.version.changes);
        for change in changes.clone() {
            match *change {
                Change::Begins(_) => most_begun += 1,
                Change::Ceases(_) => most_ceased += 1,
                Change::Shared { place, from, .. } if !shared.reaches(place, from) => return None,
                Change::Shared { place, from, to } => {
                    let (begun, ceased) = shared.count_changes(place, from, to);
                    most_begun += begun;
                    most_ceased += ceased;
                    each_once &= to == from + 1;
                }
            }
        }
        let (mut begun, mut ceased) = (Vec::with_capacity(most_begun), Vec::with_capacity(most_ceased));
        let holding = &self.memory.holding;
        // Made in its place: a term that is made elsewhere and copied at once takes twice as long.
        let add = |list: &mut Vec<Q>, percept| list.extend(iter::once(percept).map(&word));
        if !each_once {
            self.each_difference(changes, shared, &mut |percept, holds| {
                add(if holds { &mut begun } else { &mut ceased }, percept);
            });
            return Some((begun, ceased));
        }
        changes.for_each(|change| match *change {
            Change::Begins(ref percept) => add(&mut begun, percept),
            Change::Ceases(ref percept) => add(&mut ceased, percept),
            Change::Shared { place, from, to } => match holding.newest(shared, place, (from, to)) {
                Some((new, gone)) => {
                    begun.extend(new.map(&word));
                    ceased.extend(gone.map(&word));
                }
                None => holding.each_of_shared(shared, place, (from, to), &mut |percept, holds| {
                    add(if holds { &mut begun } else { &mut ceased }, percept);
                }),
            },
        });
        Some((begun, ceased))
    }

    /// Calls `each` with every percept that changed, and whether it holds after all changes. It is compiled once for
    /// each environment, not once for each form of percepts.
    fn each_difference<'a>(
        &'a self,
        changes: vec_deque::Iter<'a, Change<P>>,
        shared: &'a Shared<P>,
        each: &mut dyn FnMut(&'a P, bool),
    ) {
        let Memory { holding, .. } = &*self.memory;
        let mut first_and_last: HashMap<&P, (bool, bool)> = HashMap::new();
        for change in changes.clone() {
            holding.each_of(change, shared, |percept, holds| {
                first_and_last.entry(percept).or_insert((holds, holds)).1 = holds;
            });
        }
        // The first change of a percept shows its state before, the last one its state now. The percept keeps the
        // place of its first change.
        for change in changes {
            holding.each_of(change, shared, |percept, holds| {
                if first_and_last.remove(percept).is_some_and(|(first, last)| first == last) {
                    each(percept, holds);
                }
            });
        }
    }

    /// Like `difference`, in the form of the Blocks World for Teams specification: percepts to report, and percepts
    /// to report as `not(...)`.
    fn telling<'a>(&'a self, since: u64, shared: &'a Shared<P>) -> Option<(Vec<&'a P>, Vec<&'a P>)> {
        let (mut say, mut deny) = self.difference(since, shared, |percept| percept)?;
        if say.is_empty() && deny.is_empty() && !P::has_delivery_always() {
            return Some((Vec::new(), Vec::new()));
        }
        // By variant, whether all percepts of the kind are reported again because one of them differs.
        let mut differs = Vec::new();
        for percept in say.iter().chain(&deny).copied().filter(|percept| percept.delivery() == Delivery::OnChange) {
            let variant = percept.variant();
            differs.resize(differs.len().max(variant + 1), false);
            differs[variant] = true;
        }
        if !differs.is_empty() || P::has_delivery_always() {
            let again = |percept: &&P| match percept.delivery() {
                Delivery::Always => true,
                Delivery::OnChange => differs.get(percept.variant()) == Some(&true),
                Delivery::Once | Delivery::OnChangeWithNegation | Delivery::Event => false,
            };
            say.retain(|percept| !again(percept));
            let mut all = self.memory.holding.all(shared);
            all.retain(again);
            say.append(&mut all);
        }
        deny.retain(|percept| percept.delivery() == Delivery::OnChangeWithNegation);
        Some((say, deny))
    }

    /// Returns the events after number `since`, and how many of them are no longer remembered.
    fn events_since<'a, Q>(&'a self, since: u64, word: impl Fn(&'a P) -> Q) -> (Vec<Q>, u64) {
        let unheard = self.version.events.saturating_sub(since);
        if unheard == 0 {
            return (Vec::new(), 0);
        }
        let remembered = self.memory.events.len() as u64;
        let told = unheard.min(remembered);
        let events = self.memory.events.range((remembered - told) as usize..).map(word).collect();
        (events, unheard - told)
    }
}

/// Puts each percept as `word` does.
fn put<'a, P, Q>(percepts: Vec<&'a P>, word: impl Fn(&'a P) -> Q) -> Vec<Q> {
    percepts.into_iter().map(word).collect()
}

impl<P: TypedPercept> Memory<P> {
    fn new() -> Self {
        Self {
            holding: Holding::new(),
            changes: VecDeque::new(),
            versions: VecDeque::new(),
            events: VecDeque::new(),
            change_bytes: 0,
            event_bytes: 0,
            limit: LEAST_LIMIT,
        }
    }
}
