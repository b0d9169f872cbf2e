//! Random episodes, which are played and looked at.

use std::any::Any;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use situated::environment::Entity;
use situated::iil::{Action, EcoString};
use situated::ontology::Ontology;
use situated::random::Random;

use super::choosing::{self, Vocabulary};
use super::listing::Listings;
use super::moment::Moment;
use super::numbers;
use super::report::{Circumstances, Findings, NO_ENTITY, Rule};
use super::subject::{Acted, Broken, Clock, Perceived, Subject};
use super::time::TimeLimit;

/// The random stream for inputs. The environment uses stream 0.
const STREAM: u64 = 1;

/// Probabilities that an entity acts in a step. An episode uses one of them.
const EAGERNESS: [f64; 3] = [1.0, 0.3, 0.05];

/// Probability that an agent joins or leaves in a step.
const COMING: f64 = 0.02;

/// Probability that an entity acts again in the same step.
const AGAIN: f64 = 0.1;

/// Probability that an agent tries a forbidden action, a numbered action, or one from the menu.
const FORBIDDEN: f64 = 0.15;
const NUMBERED: f64 = 0.5;
const FROM_MENU: f64 = 0.2;

/// Approximate number of saved states per episode.
const SAVES: f64 = 2.0;

/// An input to an environment.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Input {
    Act(EcoString, Action),
    Step,
    Join(EcoString),
    Leave(EcoString),
}

/// The effect of an input.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    Acted(Acted),
    Joined(bool),
    Done,
}

/// A part of an episode.
#[derive(Debug)]
pub(super) enum Entry {
    Input(Input, Effect),
    Seen(Rc<Moment>),
}

/// Plays episodes of an environment, and notes findings.
pub(super) struct Player<'a> {
    pub(super) subject: &'a mut dyn Subject,
    pub(super) ontology: Ontology,
    pub(super) findings: &'a mut Findings,
    /// The number of steps of an episode.
    pub(super) steps: u64,
    pub(super) seed: u64,
    pub(super) step: u64,
    listings: Listings,
    pub(super) clock: Clock,
    /// The current call, for the report if the environment panics.
    pub(super) doing: String,
    has_entities: bool,
    pub(super) time: TimeLimit,
}

/// An episode that is being played.
pub(super) struct Episode {
    random: Random,
    eagerness: f64,
    pub(super) entries: Vec<Entry>,
    /// Saved states, each with the index of its moment.
    pub(super) saves: Vec<(usize, Vec<u8>)>,
    save_random: Random,
}

impl<'a> Player<'a> {
    pub(super) fn new(subject: &'a mut dyn Subject, findings: &'a mut Findings, steps: u64, time: TimeLimit) -> Self {
        let (ontology, clock) = (subject.ontology().clone(), subject.clock());
        Self {
            subject,
            ontology,
            clock,
            findings,
            steps,
            seed: 0,
            step: 0,
            listings: Listings::default(),
            doing: String::new(),
            has_entities: false,
            time,
        }
    }

    /// Plays an episode with this seed, and repeats it.
    pub(super) fn play(&mut self, seed: u64) {
        self.seed = seed;
        let mut episode = Episode::new(seed);
        let played = self.guard(Rule::Runs, |player| player.play_on(&mut episode));
        self.listings.end_episode();
        if played.is_some() {
            self.findings.count(Rule::Runs, 1);
        }
        // A broken episode is also repeated up to that point, so that its earlier part is checked.
        if self.clock != Clock::Own && !episode.entries.is_empty() {
            self.check_repetitions(seed, &episode, played.is_some());
        }
    }

    /// Makes the checks that need all episodes. Returns the circumstances of the check, and reasons why it has seen
    /// less than usual.
    pub(super) fn finish(&mut self, seeds: &RangeInclusive<u64>) -> (Circumstances, Vec<String>) {
        self.listings.finish(self.place(), self.findings);
        let mut notes = Vec::new();
        if !self.has_entities {
            notes.push(NO_ENTITY.to_owned());
        }
        notes.extend(self.time.note(self.seed, seeds));
        let inside = self.subject.inside().is_some();
        (Circumstances { inside, clock: self.clock, has_entities: self.has_entities }, notes)
    }

    /// Begins an episode.
    pub(super) fn begin(&mut self, seed: u64) -> Result<(), Broken> {
        (self.seed, self.step) = (seed, 0);
        self.doing = "it begins".into();
        self.subject.begin(seed)
    }

    /// Gives an input to the environment.
    pub(super) fn apply(&mut self, input: &Input) -> Result<Effect, Broken> {
        match input {
            Input::Act(entity, action) => {
                self.doing = format!("`{entity}` executes {action}");
                let acted = self.subject.act(entity, action)?;
                self.follow_ontology();
                Ok(Effect::Acted(acted))
            }
            Input::Step => {
                self.doing = "it makes a step".into();
                self.step += 1;
                self.subject.step().map(|()| Effect::Done)
            }
            Input::Join(entity_type) => {
                self.doing = format!("an agent requests a `{entity_type}`");
                self.subject.join(entity_type).map(Effect::Joined)
            }
            Input::Leave(entity) => {
                self.doing = format!("the agent of `{entity}` leaves");
                self.subject.leave(entity).map(|()| Effect::Done)
            }
        }
    }

    /// Runs a part of a check. If the environment breaks, notes a finding for the rule, and returns nothing.
    pub(super) fn guard<T>(&mut self, rule: Rule, part: impl FnOnce(&mut Self) -> Result<T, Broken>) -> Option<T> {
        let why = match catch_unwind(AssertUnwindSafe(|| part(self))) {
            Ok(Ok(done)) => return Some(done),
            Ok(Err(Broken(why))) => format!("it breaks when {}: {why}", self.doing),
            Err(panic) => format!("it panics when {}: {}", self.doing, message(&*panic)),
        };
        self.findings.add(rule, self.place(), why);
        None
    }

    pub(super) fn place(&self) -> (u64, u64) {
        (self.seed, self.step)
    }

    fn play_on(&mut self, episode: &mut Episode) -> Result<(), Broken> {
        // Time remains for repeating what is played.
        let end = self.time.end_of_play();
        self.begin(self.seed)?;
        self.see(episode)?;
        // In environments where only actions advance time, some rounds make no step.
        for _ in 0..2 * self.steps {
            if self.step >= self.steps || episode.last().ending.is_some() || self.time.is_past(end) {
                break;
            }
            if episode.random.chance(COMING) {
                self.come_or_go(episode)?;
            }
            for index in 0..episode.last().entities.len() {
                if !episode.random.chance(episode.eagerness) || !self.act(index, episode)? {
                    continue;
                }
                if self.clock == Clock::Actions {
                    self.take_step(episode)?;
                } else if episode.random.chance(AGAIN) {
                    self.act_again(index, episode)?;
                }
            }
            if self.clock != Clock::Actions {
                self.take_step(episode)?;
            }
        }
        Ok(())
    }

    fn take_step(&mut self, episode: &mut Episode) -> Result<(), Broken> {
        self.see_if_changed(episode)?;
        self.input(Input::Step, episode)?;
        self.see(episode)
    }

    fn come_or_go(&mut self, episode: &mut Episode) -> Result<(), Broken> {
        let random = &mut episode.random;
        let input = if random.chance(0.5) {
            let of = random.choose(&self.ontology.entity_types);
            of.map(|of| Input::Join(of.name.as_str().into()))
        } else {
            let entities: Vec<EcoString> = episode.last().entities.iter().map(|(of, _)| of.name.clone()).collect();
            episode.random.choose(&entities).map(|entity| Input::Leave(entity.clone()))
        };
        if let Some(input) = input {
            self.input(input, episode)?;
            self.see(episode)?;
        }
        Ok(())
    }

    /// Lets an entity act at random. Returns whether the action was done.
    fn act(&mut self, index: usize, episode: &mut Episode) -> Result<bool, Broken> {
        self.see_if_changed(episode)?;
        let before = Rc::clone(episode.last());
        // Other entities' actions may have deleted entities.
        let Some((entity, perceived)) = before.entities.get(index) else { return Ok(false) };
        let random = &mut episode.random;
        if random.chance(FORBIDDEN) {
            let names = names(&before);
            let action =
                choosing::forbidden(&self.ontology, &entity.entity_type, &Vocabulary::of(perceived, names), random);
            let Some(action) = action else { return Ok(false) };
            return self.try_forbidden(entity, action, &before, episode);
        }
        let numbered = if random.chance(NUMBERED) {
            self.subject.inside().and_then(|inside| numbers::choose(inside, entity, random))
        } else {
            None
        };
        let Some(choice) = numbered else { return self.act_again(index, episode) };
        self.findings.count(Rule::Masks, 1);
        let Some(action) = choice.action else { return Ok(false) };
        let acted = self.try_allowed(entity, action.clone(), &before, episode)?;
        let what = match (&acted, choice.permitted) {
            (Acted::Done(_), false) => "is masked, but was accepted".into(),
            (Acted::Refused(why) | Acted::Forbidden(why), true) => format!("is permitted, but was rejected: {why}"),
            _ => return Ok(matches!(acted, Acted::Done(_))),
        };
        let what = format!("{} of `{}`, which is {action}, {what}", choice.description, entity.name);
        self.findings.add(Rule::Masks, self.place(), what);
        Ok(matches!(acted, Acted::Done(_)))
    }

    /// Lets an entity act again, as the ontology allows. Returns whether the action was done.
    fn act_again(&mut self, index: usize, episode: &mut Episode) -> Result<bool, Broken> {
        self.see_if_changed(episode)?;
        let before = Rc::clone(episode.last());
        let Some((entity, perceived)) = before.entities.get(index) else { return Ok(false) };
        let action = self.choose(entity, perceived, names(&before), &mut episode.random);
        let Some(action) = action else { return Ok(false) };
        Ok(matches!(self.try_allowed(entity, action, &before, episode)?, Acted::Done(_)))
    }

    /// Chooses an action that the ontology allows, or one from the menu.
    pub(super) fn choose(
        &mut self,
        entity: &Entity,
        perceived: &Perceived,
        names: impl IntoIterator<Item = EcoString>,
        random: &mut Random,
    ) -> Option<Action> {
        if random.chance(FROM_MENU) {
            let menu = self.subject.inside().map(|inside| inside.menu(&entity.name)).unwrap_or_default();
            if let Some(item) = random.choose(&menu.items) {
                return Some(item.action.clone());
            }
        }
        choosing::allowed(&self.ontology, &entity.entity_type, &Vocabulary::of(perceived, names), random)
    }

    /// Tries an action that the ontology allows. The environment may reject it, but must then change nothing.
    fn try_allowed(
        &mut self,
        entity: &Entity,
        action: Action,
        before: &Moment,
        episode: &mut Episode,
    ) -> Result<Acted, Broken> {
        let acted = self.try_action(entity, action.clone(), episode)?;
        self.findings.count(Rule::Actions, 1);
        match &acted {
            Acted::Done(found) => self.check_found(entity, &action, found),
            Acted::Refused(_) if matches!(self.clock, Clock::Turns | Clock::Own) => {}
            Acted::Refused(_) => self.check_unchanged(Rule::Refusals, entity, &action, before, episode)?,
            Acted::Forbidden(why) => {
                let what = format!("`{}` cannot try {action}, which is declared for it: {why}", entity.name);
                self.findings.add(Rule::Actions, self.place(), what);
            }
        }
        Ok(acted)
    }

    fn try_forbidden(
        &mut self,
        entity: &Entity,
        action: Action,
        before: &Moment,
        episode: &mut Episode,
    ) -> Result<bool, Broken> {
        let acted = self.try_action(entity, action.clone(), episode)?;
        self.findings.count(Rule::Forbidden, 1);
        if let Acted::Done(_) = acted {
            let what = format!("`{}` was able to execute {action}, which is not declared for it", entity.name);
            self.findings.add(Rule::Forbidden, self.place(), what);
            return Ok(true);
        }
        if self.clock != Clock::Own {
            self.check_unchanged(Rule::Forbidden, entity, &action, before, episode)?;
        }
        Ok(false)
    }

    fn try_action(&mut self, entity: &Entity, action: Action, episode: &mut Episode) -> Result<Acted, Broken> {
        match self.input(Input::Act(entity.name.clone(), action), episode)? {
            Effect::Acted(acted) => Ok(acted),
            Effect::Joined(_) | Effect::Done => Err(Broken("an action has the effect of something else".into())),
        }
    }

    /// Checks that a rejected action has changed nothing.
    fn check_unchanged(
        &mut self,
        rule: Rule,
        entity: &Entity,
        action: &Action,
        before: &Moment,
        episode: &mut Episode,
    ) -> Result<(), Broken> {
        self.see(episode)?;
        if rule == Rule::Refusals {
            self.findings.count(rule, 1);
        }
        if let Some(difference) = before.difference_afterwards(episode.last()) {
            let what = format!("{action} of `{}` was rejected, but changed {difference}", entity.name);
            self.findings.add(rule, self.place(), what);
        }
        Ok(())
    }

    /// Checks that the percepts that an action returned are declared.
    fn check_found(&mut self, entity: &Entity, action: &Action, found: &[situated::iil::Percept]) {
        let Some(of) = self.ontology.find_entity_type(&entity.entity_type) else { return };
        for percept in found {
            if let Err(mismatch) = self.ontology.check_percept(of, percept) {
                let what = format!("{action} of `{}` returns {percept}: {mismatch}", entity.name);
                self.findings.add(Rule::Percepts, (self.seed, self.step), what);
            }
        }
    }

    fn input(&mut self, input: Input, episode: &mut Episode) -> Result<Effect, Broken> {
        let effect = self.apply(&input)?;
        episode.entries.push(Entry::Input(input, effect.clone()));
        Ok(effect)
    }

    fn see_if_changed(&mut self, episode: &mut Episode) -> Result<(), Broken> {
        if matches!(episode.entries.last(), Some(Entry::Seen(_))) { Ok(()) } else { self.see(episode) }
    }

    /// Observes everything, and sometimes saves the state.
    fn see(&mut self, episode: &mut Episode) -> Result<(), Broken> {
        let moment = self.now()?;
        let place = self.place();
        let inside = self.subject.inside();
        self.listings.look(&moment, &self.ontology, place, inside.is_some(), self.findings);
        if let Some(inside) = inside {
            numbers::look(&moment, inside, place, self.findings);
            if episode.save_random.chance(SAVES / (2 * self.steps) as f64) {
                episode.saves.push((episode.entries.len(), inside.save()));
            }
        }
        episode.entries.push(Entry::Seen(Rc::new(moment)));
        Ok(())
    }

    pub(super) fn now(&mut self) -> Result<Moment, Broken> {
        let moment = Moment::now(self.subject, self.step)?;
        self.has_entities |= !moment.entities.is_empty();
        self.follow_ontology();
        Ok(moment)
    }

    /// A host may add to its ontology while it runs.
    fn follow_ontology(&mut self) {
        let ontology = self.subject.ontology();
        if ontology.revision != self.ontology.revision {
            self.ontology = ontology.clone();
        }
    }
}

impl Episode {
    fn new(seed: u64) -> Self {
        let mut random = Random::stream(seed, STREAM);
        let eagerness = random.choose(&EAGERNESS).copied().unwrap_or(1.0);
        let save_random = Random::stream(seed, STREAM + 1);
        Self { random, eagerness, entries: Vec::new(), saves: Vec::new(), save_random }
    }

    /// The last observed moment.
    fn last(&self) -> &Rc<Moment> {
        let seen = self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Seen(moment) => Some(moment),
            Entry::Input(..) => None,
        });
        seen.expect("an episode is looked at when it has begun")
    }
}

fn names(moment: &Moment) -> impl Iterator<Item = EcoString> {
    moment.entities.iter().map(|(entity, _)| entity.name.clone())
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(without a message)")
}
