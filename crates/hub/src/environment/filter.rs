//! The percepts of which an agent wants to be notified.

use std::collections::{BTreeMap, BTreeSet};

use situated::iil::EcoString;
use situated::interface::{EVENTS_REMEMBERED, NAME_LENGTH, Perception, Version};

use crate::error::Error;

/// Maximum number of names in a filter.
const MOST_NAMES: usize = 256;

/// The number of events after which an agent is notified in any case, so that it loses none.
const MOST_EVENTS: u64 = EVENTS_REMEMBERED as u64 / 2;

/// The names of the percepts and events of which an agent wants to be notified, and how far each of its entities was
/// checked for them.
pub(super) struct Filter {
    names: BTreeSet<EcoString>,
    checked: BTreeMap<EcoString, Checked>,
}

struct Checked {
    /// The version up to which there is nothing to notify the agent of.
    version: Version,
    /// The number of events at the last notification.
    notified: u64,
}

impl Filter {
    /// Returns the filter for these names; none for no names.
    ///
    /// # Errors
    /// Returns an error if there are too many names, or one of them is too long.
    pub(super) fn new(names: impl IntoIterator<Item = EcoString>) -> Result<Option<Box<Self>>, Error> {
        let names: BTreeSet<EcoString> = names.into_iter().collect();
        if names.len() > MOST_NAMES {
            let remedy = "name fewer, or leave the names out to be notified of all percepts";
            return Err(Error::Limit { what: "names of percepts of a subscription", limit: MOST_NAMES, remedy });
        }
        if names.iter().any(|name| name.len() > NAME_LENGTH) {
            let remedy = "no percept has such a name";
            return Err(Error::Limit { what: "bytes of the name of a percept", limit: NAME_LENGTH, remedy });
        }
        Ok((!names.is_empty()).then(|| Box::new(Self { names, checked: BTreeMap::new() })))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &EcoString> {
        self.names.iter()
    }

    /// Returns whether the agent must be notified about an entity. `watch` returns the changes since a version.
    pub(super) fn is_due(
        &mut self,
        entity: &EcoString,
        watch: impl FnOnce(&EcoString, Version) -> Option<Perception>,
    ) -> bool {
        let since = self.checked.get(entity).map(|checked| checked.version).unwrap_or_default();
        let Some(Perception { version, resync, add, delete, events, lost, .. }) = watch(entity, since) else {
            return false;
        };
        // A version that is not remembered: all beliefs may be wrong.
        if resync
            || lost > 0
            || [add, delete, events].iter().flatten().any(|percept| self.names.contains(&percept.name))
        {
            return true;
        }
        let Some(checked) = self.checked.get_mut(entity) else { return true };
        checked.version = version;
        version.events.saturating_sub(checked.notified) >= MOST_EVENTS
    }

    /// Notes that the agent was notified of all changes of an entity up to this version.
    pub(super) fn note_notified(&mut self, entity: &EcoString, version: Version) {
        let checked = Checked { version, notified: version.events };
        match self.checked.get_mut(entity) {
            Some(known) => *known = checked,
            None => drop(self.checked.insert(entity.clone(), checked)),
        }
    }

    /// Notes that the agent has received a version in another way: later changes are compared with it.
    pub(super) fn note_received(&mut self, entity: &EcoString, known: Version) {
        if let Some(Checked { version, .. }) = self.checked.get_mut(entity) {
            version.changes = version.changes.max(known.changes);
            version.events = version.events.max(known.events);
        }
    }

    /// Forgets entities that are no longer the agent's, since it knows nothing about them when it takes them again.
    pub(super) fn forget(&mut self, is_gone: impl Fn(&EcoString) -> bool) {
        self.checked.retain(|entity, _| !is_gone(entity));
    }
}
