//! What is done when: at once, in turn, or with all others when a step is made.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use situated::interface::State;
use situated::ontology::Pace;
use situated_runtime::{ANSWERS_REMEMBERED, REPEATED};

use super::{Model, Stage, Waiting};

/// What an entity can do, as far as the model knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Deed {
    Work(u64),
    Bear,
    Vanish,
    RemoveYoungest,
    Fail,
    Watch,
    Burst,
    ArmStep,
    /// Something that no entity can do.
    Unknown,
}

impl Deed {
    /// The action.
    pub(crate) fn text(self) -> String {
        match self {
            Deed::Work(serial) => format!("work({serial})"),
            Deed::Bear => "bear".into(),
            Deed::Vanish => "vanish".into(),
            Deed::RemoveYoungest => "removeYoungest".into(),
            Deed::Fail => "fail".into(),
            Deed::Watch => "watch".into(),
            Deed::Burst => "burst".into(),
            Deed::ArmStep => "arm(step)".into(),
            Deed::Unknown => "dance".into(),
        }
    }
}

/// Whether an entity of this name can do it.
fn is_able(entity: &str, deed: Deed) -> bool {
    deed != Deed::Watch || entity.starts_with("guard")
}

fn results(results: &BTreeMap<String, bool>) -> String {
    let words = results.iter().map(|(entity, ok)| format!(" {entity}:{}", if *ok { "ok" } else { "err" }));
    "results".to_owned() + &words.collect::<String>()
}

impl Model {
    /// An agent acts, or passes.
    pub(crate) fn act(
        &mut self,
        asked: u32,
        agent: &str,
        deed: Option<Deed>,
        entities: &[String],
        number: Option<u64>,
    ) {
        if self.answer_again(asked, agent, number) {
            return;
        }
        let (askers, agent, entities) = (vec![asked], agent.to_owned(), entities.to_vec());
        let (open, results) = (BTreeSet::new(), BTreeMap::new());
        let waiting = Waiting { askers, agent, deed, entities, number, open, tried: false, results };
        match self.pace {
            _ if self.crashed => self.refuse(waiting, "Crashed"),
            Pace::Lockstep => self.choose(asked, waiting),
            _ if deed.is_none() => match self.targets(&waiting) {
                Ok(_) => self.answer(asked, "done"),
                Err(error) => self.refuse(waiting, error),
            },
            Pace::Reactive if !self.queue.is_empty() || self.due() > self.now => match self.targets(&waiting) {
                Ok(_) => {
                    self.note_pending(asked, &waiting);
                    self.waiting.insert(asked, waiting);
                    self.queue.push_back(asked);
                }
                Err(error) => self.refuse(waiting, error),
            },
            _ => self.act_now(waiting),
        }
    }

    /// The entities through which it would be done, or why it is refused.
    fn targets(&self, Waiting { agent, deed, entities, .. }: &Waiting) -> Result<Vec<String>, &'static str> {
        let has = |entity: &str| self.links.contains(&(agent.clone(), entity.to_owned()));
        let all: Vec<String> = self.entities.iter().filter(|entity| has(entity)).cloned().collect();
        match () {
            () if self.crashed => Err("Crashed"),
            () if self.state != State::Running => Err("WrongState"),
            () if !self.agents.contains(agent) => Err("NotRegistered"),
            () if all.is_empty() => Err("NoEntities"),
            () if entities.iter().any(|entity| !has(entity)) => Err("WrongEntity"),
            () if *deed == Some(Deed::Unknown) => Err("NotSupportedByEnvironment"),
            () if entities.is_empty() => Ok(all),
            () => Ok(entities.clone()),
        }
    }

    fn refuse(&mut self, waiting: Waiting, why: &str) {
        self.forget_number(&waiting);
        waiting.askers.iter().for_each(|asked| self.answer(*asked, why));
    }

    fn choose(&mut self, asked: u32, mut waiting: Waiting) {
        let targets = match self.targets(&waiting) {
            Ok(targets) => targets,
            Err(error) => return self.refuse(waiting, error),
        };
        let (able, unable): (Vec<_>, Vec<_>) =
            targets.into_iter().partition(|entity| waiting.deed.is_none_or(|deed| is_able(entity, deed)));
        if able.iter().any(|entity| self.choices.contains_key(entity)) {
            return self.refuse(waiting, "AlreadyChosen");
        }
        waiting.results.extend(unable.into_iter().map(|entity| (entity, false)));
        if able.is_empty() {
            return self.answer(asked, results(&waiting.results));
        }
        for entity in able {
            self.choices.insert(entity.clone(), (waiting.agent.clone(), asked));
            waiting.open.insert(entity);
        }
        self.note_pending(asked, &waiting);
        self.waiting.insert(asked, waiting);
    }

    fn act_now(&mut self, mut waiting: Waiting) {
        let (targets, deed) = match (self.targets(&waiting), waiting.deed) {
            (Ok(targets), Some(deed)) => (targets, deed),
            (Err(error), _) => return self.refuse(waiting, error),
            (Ok(_), None) => return,
        };
        for entity in targets {
            if deed == Deed::Burst {
                self.crash();
                return self.refuse(waiting, "Crashed");
            }
            let ok = self.perform(&entity, deed);
            waiting.results.insert(entity, ok);
        }
        let answer = results(&waiting.results);
        self.note_done(&waiting, &answer);
        waiting.askers.iter().for_each(|asked| self.answer(*asked, answer.as_str()));
        if self.pace == Pace::Reactive && waiting.results.values().any(|ok| *ok) {
            self.make_step();
        }
    }

    /// The environment does it, if it can.
    fn perform(&mut self, entity: &str, deed: Deed) -> bool {
        let exists = self.entities.iter().any(|one| one == entity);
        if !exists || deed == Deed::Fail || !is_able(entity, deed) {
            return false;
        }
        match deed {
            Deed::Bear => {
                self.born += 1;
                self.entities.push(format!("child{}", self.born));
            }
            Deed::Vanish => self.entities.retain(|one| one != entity),
            Deed::RemoveYoungest => drop(self.entities.pop()),
            Deed::ArmStep => self.armed = true,
            _ => {}
        }
        let entities = &self.entities;
        self.links.retain(|(_, of)| entities.contains(of));
        self.log.push(format!("{entity} {}", deed.text()));
        true
    }

    /// When the next step is due, as far as speed goes.
    fn due(&self) -> Duration {
        (self.last_due + self.period).max(self.speed_changed)
    }

    fn seats(&self) -> Vec<String> {
        let held = |entity: &&String| self.links.iter().any(|(_, of)| of == *entity);
        self.entities.iter().filter(held).cloned().collect()
    }

    /// When the owner must want to be called.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        let seats = self.seats();
        let complete = !seats.is_empty() && seats.iter().all(|entity| self.choices.contains_key(entity));
        match self.pace {
            _ if self.state != State::Running => None,
            Pace::RealTime { .. } => Some(self.due()),
            Pace::Lockstep if complete => Some(self.due()),
            Pace::Lockstep if seats.is_empty() && self.advancing.is_some() => Some(self.due()),
            Pace::Lockstep => self.patience.map(|patience| self.due().max(self.last_step + patience)),
            Pace::Reactive => (!self.queue.is_empty()).then(|| self.due()),
            Pace::Own => None,
        }
    }

    /// The owner is called: a step is made if one is due.
    pub(crate) fn advance(&mut self) {
        if self.deadline().is_none_or(|deadline| deadline > self.now) {
            return;
        }
        match self.pace {
            Pace::Lockstep => self.make_step_together(),
            Pace::Reactive => {
                if let Some(waiting) = self.queue.pop_front().and_then(|asked| self.waiting.remove(&asked)) {
                    self.act_now(waiting);
                }
            }
            _ => self.make_step(),
        }
    }

    /// All act, in order of creation.
    fn make_step_together(&mut self) {
        for entity in self.seats() {
            let choice = self.choices.remove(&entity);
            let deed = choice.as_ref().and_then(|(_, asked)| self.waiting[asked].deed);
            if deed == Some(Deed::Burst) && self.entities.contains(&entity) {
                return self.crash();
            }
            let ok = match deed {
                Some(deed) => self.perform(&entity, deed),
                None if self.entities.contains(&entity) => {
                    self.log.push(format!("{entity} rest"));
                    true
                }
                None => false,
            };
            if let Some((_, asked)) = choice {
                if let Some(waiting) = self.waiting.get_mut(&asked) {
                    waiting.tried = true;
                }
                self.note_result(asked, &entity, ok);
            }
        }
        self.make_step();
        self.void_choices();
    }

    fn note_result(&mut self, asked: u32, entity: &str, ok: bool) {
        let Some(waiting) = self.waiting.get_mut(&asked) else { return };
        waiting.open.remove(entity);
        waiting.results.insert(entity.to_owned(), ok);
        if !waiting.open.is_empty() {
            return;
        }
        let Some(waiting) = self.waiting.remove(&asked) else { return };
        let answer = if waiting.deed.is_some() { results(&waiting.results) } else { "done".into() };
        if waiting.tried {
            self.note_done(&waiting, &answer);
        } else {
            self.forget_number(&waiting);
        }
        waiting.askers.iter().for_each(|asked| self.answer(*asked, answer.as_str()));
    }

    /// What agents chose for entities that they no longer have is not done.
    pub(super) fn void_choices(&mut self) {
        let links = &self.links;
        let void = |entity: &String, agent: &String| !links.contains(&(agent.clone(), entity.clone()));
        let voided: Vec<(String, u32)> = self
            .choices
            .iter()
            .filter(|(entity, (agent, _))| void(entity, agent))
            .map(|(entity, (_, asked))| (entity.clone(), *asked))
            .collect();
        for (entity, asked) in voided {
            self.choices.remove(&entity);
            self.note_result(asked, &entity, false);
        }
    }

    /// Time moves on by one step.
    fn make_step(&mut self) {
        let late = self.now.saturating_sub(self.due());
        let missed = late.as_nanos().checked_div(self.period.as_nanos());
        self.last_due = if missed == Some(0) { self.due() } else { self.now };
        self.missed += missed.unwrap_or(0) as u64;
        self.last_step = self.now;
        if self.armed {
            return self.crash();
        }
        self.step += 1;
        self.log.push(format!("step {}", self.step));
        let steps = self.advancing.as_mut().map(|(_, steps)| {
            *steps -= 1;
            *steps
        });
        if steps == Some(0) {
            self.stop_running();
        }
        self.wake();
    }

    /// Whether the request is the same as one before, which is then answered alike.
    fn answer_again(&mut self, asked: u32, agent: &str, number: Option<u64>) -> bool {
        let Some(number) = number else { return false };
        let used = self.numbers.get(agent).map(Vec::as_slice).unwrap_or_default();
        let last = used.iter().map(|(one, _)| *one).max();
        match used.iter().find(|(one, _)| *one == number).map(|(_, stage)| stage.clone()) {
            Some(Ok(answer)) => self.answer(asked, answer),
            Some(Err(first)) => match self.waiting.get_mut(&first) {
                Some(waiting) if waiting.askers.len() < REPEATED => waiting.askers.push(asked),
                _ => self.answer(asked, "Busy"),
            },
            None if last.is_some_and(|last| number < last) => self.answer(asked, "NumberUsed"),
            None => return false,
        }
        true
    }

    fn note_pending(&mut self, asked: u32, waiting: &Waiting) {
        self.note_number(waiting, Err(asked));
    }

    fn note_done(&mut self, waiting: &Waiting, answer: &str) {
        // Who has left in the meantime begins anew.
        if self.agents.contains(&waiting.agent) {
            self.note_number(waiting, Ok(answer.to_owned()));
        }
    }

    fn note_number(&mut self, waiting: &Waiting, stage: Stage) {
        let Some(number) = waiting.number else { return };
        let used = self.numbers.entry(waiting.agent.clone()).or_default();
        match used.iter_mut().find(|(one, _)| *one == number) {
            Some((_, old)) => *old = stage,
            None => used.push((number, stage)),
        }
        let spare = used.len().saturating_sub(ANSWERS_REMEMBERED);
        used.drain(..spare);
    }

    pub(super) fn forget_number(&mut self, waiting: &Waiting) {
        if let (Some(number), Some(used)) = (waiting.number, self.numbers.get_mut(&waiting.agent)) {
            used.retain(|(one, _)| *one != number);
        }
    }
}
