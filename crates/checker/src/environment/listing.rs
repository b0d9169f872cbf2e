//! Rules about listed percepts: each is declared and listed once, and is listed again only after a change.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use situated::environment::Entity;
use situated::iil::{EcoString, Percept};
use situated::ontology::Ontology;

use super::moment::{Moment, difference_of_lists};
use super::report::{Findings, Rule};
use super::subject::{Perceived, Section};

/// Minimum number of listings from which the number of useful ones is checked.
const LISTINGS: u64 = 50;

/// Minimum number of percepts of a listing that counts.
const LONG: u64 = 8;

/// Maximum number of listings for each one that has changed.
const OF_USE: u64 = 10;

/// The percepts that were listed.
#[derive(Debug, Default)]
pub(super) struct Listings {
    /// By entity and key of the section, in this episode.
    lists: BTreeMap<(EcoString, Option<(u32, bool)>), Listed>,
    /// The hash of the state at the last listing.
    hash: Option<u64>,
    /// By entity type and key of the section, in all episodes.
    uses: BTreeMap<(EcoString, Option<(u32, bool)>), Use>,
}

/// The percepts that were listed for an entity in one section.
#[derive(Debug, Default)]
struct Listed {
    /// By revision, the percepts and the step of the first listing.
    revisions: BTreeMap<u64, (Rc<[Percept]>, u64)>,
    last: Option<(Option<u64>, Rc<[Percept]>)>,
}

/// How often a section was listed, the number of its percepts, and how often they had changed.
#[derive(Debug, Default)]
struct Use {
    listings: u64,
    percepts: u64,
    changes: u64,
}

/// Returns the first percept that is listed twice, if there is one.
fn listed_twice(perceived: &Perceived) -> Option<&Percept> {
    let mut seen = HashSet::new();
    perceived.holds().find(|percept| !seen.insert(*percept))
}

impl Listings {
    /// Checks the perceptions at a moment. `inside` says whether sections are accessible.
    pub(super) fn look(
        &mut self,
        moment: &Moment,
        ontology: &Ontology,
        place: (u64, u64),
        inside: bool,
        findings: &mut Findings,
    ) {
        check_shared(&moment.entities, place, findings);
        let is_same_state = moment.hash.is_some() && self.hash == moment.hash;
        self.hash = moment.hash;
        for (entity, perceived) in &moment.entities {
            check_declared(entity, perceived.events.iter(), ontology, place, findings);
            let mut has_changed = false;
            for section in &perceived.sections {
                let key = section.key();
                let listed = self.lists.entry((entity.name.clone(), key)).or_default();
                if listed.last.as_ref().is_none_or(|(_, percepts)| *percepts != section.percepts) {
                    has_changed = true;
                    check_declared(entity, section.percepts.iter(), ontology, place, findings);
                }
                if inside {
                    let count = self.uses.entry((entity.entity_type.clone(), key)).or_default();
                    listed.look(&entity.name, section, is_same_state, count, place, findings);
                }
            }
            if has_changed {
                findings.count(Rule::Duplicates, 1);
                if let Some(twice) = listed_twice(perceived) {
                    findings.add(Rule::Duplicates, place, format!("`{}` perceives {twice} twice", entity.name));
                }
            }
        }
    }

    /// Forgets the listings of an episode.
    pub(super) fn end_episode(&mut self) {
        self.lists.clear();
        self.hash = None;
    }

    /// Checks after all episodes whether enough of the listings were useful.
    pub(super) fn finish(&self, place: (u64, u64), findings: &mut Findings) {
        for ((entity_type, key), Use { listings, percepts, changes }) in &self.uses {
            if *listings >= LISTINGS && *percepts >= LONG * listings && changes * OF_USE < *listings {
                let of = key.map_or("percepts without a section".into(), |(key, _)| format!("section {key}"));
                let what = format!(
                    "in all episodes, {of} was listed {listings} times for entities of type `{entity_type}`, {percepts} percepts \
                     together, and had changed {changes} times"
                );
                findings.add(Rule::Relisting, place, what);
            }
        }
    }
}

impl Listed {
    fn look(
        &mut self,
        entity: &str,
        section: &Section,
        is_same_state: bool,
        count: &mut Use,
        place: (u64, u64),
        findings: &mut Findings,
    ) {
        let (_, step) = place;
        let revision = section.revision.map(|(_, revision)| revision);
        if let Some((key, revision)) = section.revision {
            findings.count(Rule::Sections, 1);
            let (first, since) = self.revisions.entry(revision).or_insert_with(|| (section.percepts.clone(), step));
            if let Some(difference) = difference_of_lists(first, &section.percepts) {
                let what = format!(
                    "section {key} for `{entity}` has revision {revision} as in step {since}, and lists {difference}"
                );
                findings.add(Rule::Sections, place, what);
            }
        }
        if let Some((former, percepts)) = &self.last {
            findings.count(Rule::Relisting, 1);
            if is_same_state && *former != revision {
                let key = section.revision.map_or(0, |(key, _)| key);
                let (former, revision) = (former.unwrap_or_default(), revision.unwrap_or_default());
                let what = format!(
                    "section {key} for `{entity}` has revision {revision} after {former}, although the state is the same"
                );
                findings.add(Rule::Relisting, place, what);
            }
            count.changes += u64::from(*percepts != section.percepts);
        }
        if self.last.as_ref().is_none_or(|(former, _)| *former != revision || revision.is_none()) {
            count.listings += 1;
            count.percepts += section.percepts.len() as u64;
        }
        self.last = Some((revision, section.percepts.clone()));
    }
}

/// Checks that a shared section lists the same percepts for all entities. A percept that it hides from one entity
/// counts as listed.
fn check_shared(entities: &[(Entity, Perceived)], place: (u64, u64), findings: &mut Findings) {
    type All<'a> = BTreeSet<&'a Percept>;
    let mut first: BTreeMap<(u32, u64), (&str, All<'_>)> = BTreeMap::new();
    for (entity, perceived) in entities {
        for section in &perceived.sections {
            let (Some(revision), Some(hidden)) = (section.revision, &section.shared) else { continue };
            let all: All<'_> = section.percepts.iter().chain(hidden).collect();
            let (other, listed) = first.entry(revision).or_insert_with(|| (&entity.name, all.clone()));
            let only = |here: &All<'_>, there: &All<'_>| here.difference(there).next().map(ToString::to_string);
            let (has, has_not, percept) = match (only(listed, &all), only(&all, listed)) {
                (Some(percept), _) => (*other, entity.name.as_str(), percept),
                (None, Some(percept)) => (entity.name.as_str(), *other, percept),
                (None, None) => continue,
            };
            let what =
                format!("section {} lists {percept} for `{has}` and not for `{has_not}`, who share it", revision.0);
            findings.add(Rule::Sections, place, what);
        }
    }
}

fn check_declared<'a>(
    entity: &Entity,
    percepts: impl Iterator<Item = &'a Percept>,
    ontology: &Ontology,
    place: (u64, u64),
    findings: &mut Findings,
) {
    let Some(of) = ontology.find_entity_type(&entity.entity_type) else { return };
    for percept in percepts {
        findings.count(Rule::Percepts, 1);
        if let Err(mismatch) = ontology.check_percept(of, percept) {
            let what = format!("`{}`, a `{}`, perceives {percept}: {mismatch}", entity.name, of.name);
            findings.add(Rule::Percepts, place, what);
        }
    }
}
