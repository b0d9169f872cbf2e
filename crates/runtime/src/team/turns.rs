//! The turns of the programs, and the results of their actions.

use std::collections::btree_map::Entry;

use situated::iil::{Action, EcoString, Percept};
use situated::interface::{Moment, Perception};

use super::{MemberId, Notes, Team};
use crate::reply::{Answered, Reply};

impl Team {
    /// Returns whether all have decided for this moment.
    pub(crate) fn is_settled(&self, moment: Moment) -> bool {
        self.members.is_empty() || self.settled == Some((moment.episode, moment.step))
    }

    /// Notes that all have decided.
    pub(crate) fn settle(&mut self, moment: Moment) {
        self.settled = Some((moment.episode, moment.step));
    }

    /// Returns the next program, beginning with this one, that has not decided for this moment.
    pub(crate) fn next_undecided(&self, from: MemberId, moment: Moment) -> Option<MemberId> {
        self.members.range(from..).find(|(_, member)| member.is_undecided(moment)).map(|(id, _)| *id)
    }

    /// Returns the program whose turn it is, if they take turns.
    pub(crate) fn whose_turn(&self, moment: Moment) -> Option<MemberId> {
        self.next_undecided(self.turn, moment).or_else(|| self.next_undecided(0, moment))
    }

    /// Ends the turn of the program.
    pub(crate) fn end_turn(&mut self, id: MemberId) {
        self.turn = id + 1;
    }

    /// Gives the program another turn at this moment, if its action failed.
    pub(crate) fn let_try_again(&mut self, id: MemberId) {
        if let Some(member) = self.members.get_mut(&id) {
            member.try_again();
        }
    }

    /// Returns the names of the program's agent and of its entity.
    pub(crate) fn names(&self, id: MemberId) -> Option<(EcoString, EcoString)> {
        self.members.get(&id).map(|member| (member.agent.clone(), member.entity.clone()))
    }

    /// Lets a program decide. The error is the message of its panic.
    pub(crate) fn decide(&mut self, id: MemberId, perception: Perception) -> Result<Option<Action>, String> {
        let Some(member) = self.members.get_mut(&id) else { return Ok(None) };
        let entity = member.entity.clone();
        let action = member.decide(&perception)?;
        member.doing.clone_from(&action);
        self.note(|notes| notes.tell(entity, perception));
        Ok(action)
    }

    /// Gives a program the result of its action.
    pub(crate) fn hear(&mut self, id: MemberId, answered: Answered) {
        let Some((_, entity)) = self.names(id) else { return };
        if let Some(action) = self.members.get_mut(&id).and_then(|member| member.doing.take()) {
            self.note(|notes| notes.act(entity.clone(), action));
            // It may be its turn again.
            self.settled = None;
        }
        match answered {
            Ok(Reply::Results(results)) => {
                for (entity, result) in results {
                    match result {
                        Ok(found) if found.is_empty() => {}
                        Ok(found) => self.note(|notes| drop(notes.found.insert(entity, found))),
                        Err(error) => self.note_failure(id, &entity, &error.to_string()),
                    }
                }
            }
            Ok(_) => {}
            Err(error) => self.note_failure(id, &entity, &error.to_string()),
        }
    }

    /// Ends the step of the notes.
    pub(crate) fn close_step(&mut self) {
        if let Some(notes) = &mut self.notes {
            self.finished = Some(std::mem::take(notes));
        }
    }

    fn note(&mut self, note: impl FnOnce(&mut Notes)) {
        if let Some(notes) = &mut self.notes {
            note(notes);
        }
    }

    pub(crate) fn note_failure(&mut self, id: MemberId, entity: &EcoString, error: &str) {
        if let Some(member) = self.members.get_mut(&id) {
            member.failed = true;
        }
        let failures = self.failures.entry(entity.clone()).or_default();
        failures.count += 1;
        error.clone_into(&mut failures.last);
        self.note(|notes| drop(notes.errors.insert(entity.clone(), error.to_owned())));
    }
}

impl Notes {
    /// Notes the perception of a program.
    fn tell(&mut self, entity: EcoString, perception: Perception) {
        match self.percepts.entry(entity) {
            Entry::Occupied(received) => append(received.into_mut(), perception),
            Entry::Vacant(place) if !perception.is_empty() => drop(place.insert(perception)),
            Entry::Vacant(_) => {}
        }
    }

    /// Notes an action. It replaces an earlier attempt in the same step.
    fn act(&mut self, entity: EcoString, action: Action) {
        self.errors.remove(&entity);
        self.found.remove(&entity);
        self.actions.insert(entity, action);
    }
}

/// Appends a second perception in the same step.
fn append(received: &mut Perception, more: Perception) {
    if more.resync {
        *received = more;
        return;
    }
    for percept in more.delete {
        cancel_or_push(percept, &mut received.add, &mut received.delete);
    }
    for percept in more.add {
        cancel_or_push(percept, &mut received.delete, &mut received.add);
    }
    received.events.extend(more.events);
    received.lost += more.lost;
    (received.moment, received.version) = (more.moment, more.version);
}

/// A percept that was reported in the opposite way before is unchanged.
fn cancel_or_push(percept: Percept, opposite: &mut Vec<Percept>, list: &mut Vec<Percept>) {
    match opposite.iter().position(|received| *received == percept) {
        Some(place) => drop(opposite.remove(place)),
        None => list.push(percept),
    }
}
