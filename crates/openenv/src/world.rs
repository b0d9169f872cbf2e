//! The world of a learner: an environment of the hub that exists for its session alone.

mod entering;
mod seeing;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use futures_util::future::{join_all, try_join_all};
use situated::encoding::Encoding;
use situated::environment::Ending;
use situated::iil::{Action, EcoString, Parameter};
use situated::interface::{Command, Form, Since};
use situated::ontology::Ontology;
use situated_hub::{
    Decode, Error, GetOutcome, LocalSession, Manage, Name, Perceive, RemoveEnvironment, Step, Stepped, Turn, TurnTaken,
};

use crate::choices::{Choice, Choices, action};
use crate::error::{Code, OpenEnvError};
use crate::messages::{End, Observed, Sight, State, WorldState};
use crate::options::{Options, Setting, Shown};

/// The environment after which the worlds of a session are made.
pub(crate) struct Model {
    /// Its name.
    pub(crate) environment: EcoString,
    pub(crate) ontology: Arc<Ontology>,
    pub(crate) parameters: BTreeMap<String, Parameter>,
    /// The first type of entities that has an encoding.
    pub(crate) entity_type: Option<EcoString>,
    /// The number of worlds so far, of all sessions.
    pub(crate) worlds: Arc<AtomicU64>,
}

/// A world. It is removed when it is dropped.
pub(crate) struct World {
    session: LocalSession,
    /// Its name on the server.
    environment: Name,
    ontology: Arc<Ontology>,
    /// See [`Model::entity_type`].
    preferred: Option<EcoString>,
    setting: Setting,
    number: u64,
    entities: Vec<ControlledEntity>,
    episode: Episode,
}

/// An entity that the learner controls.
#[derive(Debug)]
struct ControlledEntity {
    agent: Name,
    entity: Name,
    entity_type: Name,
    /// The encoding of its type, if there is one.
    encoding: Option<Encoding>,
}

/// The episode of a world.
#[derive(Debug, Default)]
struct Episode {
    count: u64,
    name: String,
    seed: u64,
    max_steps: Option<u64>,
    shown: Shown,
    step: u64,
    end: Option<End>,
}

impl World {
    pub(crate) fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Lets the time of an episode run that was just initialized or reset. Returns the first observation.
    pub(crate) async fn begin_episode(&mut self, options: Options, seed: u64) -> Result<Observed, OpenEnvError> {
        self.enter().await?;
        self.manage(Command::Start).await?;
        let count = self.episode.count + 1;
        let name = options.episode_id.unwrap_or_else(|| format!("{}/{count}", self.environment));
        let Options { max_steps, percepts: shown, .. } = options;
        self.episode = Episode { count, name, seed, max_steps, shown, step: 0, end: None };
        let mut sights = Vec::with_capacity(self.entities.len());
        for controlled in &self.entities {
            let mut sight = Sight::default();
            if shown != Shown::None {
                let (environment, agent) = (self.environment.clone(), controlled.agent.clone());
                let perceive = Perceive { form: Form::Snapshot, ..Perceive::new(environment, agent) };
                let perceived = self.session.ask(perceive).await?;
                sight.perceive(perceived.perceptions);
                sight.instruct(&self.ontology, &controlled.entity_type);
            }
            sights.push(sight);
        }
        let mut observed = self.observe(sights).await?;
        observed.forget_rewards();
        Ok(observed)
    }

    /// Begins another episode.
    pub(crate) async fn begin_again(&mut self, seed: u64) -> Result<(), OpenEnvError> {
        self.manage(Command::Reset { parameters: None, seed: Some(seed) }).await
    }

    /// Makes a step.
    pub(crate) async fn step(&mut self, choices: Choices) -> Result<Observed, OpenEnvError> {
        if self.episode.end.is_some() {
            return Err(OpenEnvError::new(
                Code::ExecutionError,
                "the episode has ended; call `reset` for the next one",
            ));
        }
        let choices = self.in_order(choices)?;
        let actions = self.entities.iter().zip(choices).map(|(controlled, choice)| self.action(controlled, choice));
        let actions = try_join_all(actions).await?;
        // All at once, since none is answered before all have acted.
        let turns = self.entities.iter().zip(actions).map(|(controlled, action)| self.take_turn(controlled, action));
        let sights: Result<Vec<Sight>, OpenEnvError> = join_all(turns).await.into_iter().collect();
        self.observe(sights?).await
    }

    /// Returns the state.
    pub(crate) async fn state(&self) -> Result<State, OpenEnvError> {
        let outcome = self.session.ask(GetOutcome { environment: self.environment.clone() }).await?.outcome;
        let Episode { name, seed, step, end, .. } = &self.episode;
        let world = WorldState {
            environment: self.environment.0.clone(),
            seed: *seed,
            entities: self.entities.iter().map(|controlled| controlled.entity.0.clone()).collect(),
            done: end.is_some(),
            results: outcome.map(|outcome| outcome.results).unwrap_or_default(),
        };
        Ok(State { episode_id: Some(name.clone()), step_count: *step, world: Some(world) })
    }

    async fn manage(&self, command: Command) -> Result<(), OpenEnvError> {
        self.session.ask(Manage { environment: self.environment.clone(), command }).await?;
        Ok(())
    }

    /// Returns the choice for each entity.
    fn in_order(&self, choices: Choices) -> Result<Vec<Choice>, OpenEnvError> {
        match (choices, self.setting.is_of_several()) {
            (Choices::One(choice), false) => Ok(vec![choice]),
            (Choices::Several(mut by_entity), true) => {
                let choices =
                    self.entities.iter().map(|controlled| by_entity.remove(&controlled.entity.0).unwrap_or_default());
                let choices = choices.collect();
                match by_entity.keys().next() {
                    Some(unknown) => Err(OpenEnvError::invalid(format!("you do not control an entity `{unknown}`"))),
                    None => Ok(choices),
                }
            }
            (Choices::Several(_), false) => {
                Err(OpenEnvError::invalid("you control one entity: send `action`, or reset with `entities`"))
            }
            (Choices::One(_), true) => {
                Err(OpenEnvError::invalid("you control several entities: send `actions`, by entity"))
            }
        }
    }

    /// Returns the action that a learner has chosen; `None` if the entity passes.
    async fn action(&self, controlled: &ControlledEntity, choice: Choice) -> Result<Option<Action>, OpenEnvError> {
        match choice {
            Choice::Pass => Ok(None),
            Choice::Named(name, arguments) => {
                action(&self.ontology, &controlled.entity_type, &name, arguments.as_ref()).map(Some)
            }
            Choice::Number(number) => {
                let (environment, entity) = (self.environment.clone(), controlled.entity.clone());
                let count = controlled.encoding.as_ref().map_or(0, |encoding| encoding.actions.len());
                if number >= count {
                    let message =
                        format!("`{}` has no action {number}; it has {count} numbered actions", controlled.entity);
                    return Err(OpenEnvError::invalid(message));
                }
                // A number without an action stands for waiting, or for what is not possible now.
                Ok(self.session.ask(Decode { environment, entity, action: number }).await?.0)
            }
        }
    }

    /// Lets an entity act, or pass if the environment refuses its action, so that the step is made.
    async fn take_turn(&self, controlled: &ControlledEntity, action: Option<Action>) -> Result<Sight, OpenEnvError> {
        let mut sight = Sight::default();
        let acts = action.is_some();
        let (step, mut turn) = self.turn(controlled, action).await?;
        if acts && step == self.episode.step {
            sight.failed = turn.error.take().map(|error| error.to_string());
            sight.find_out(turn.results);
            turn = self.turn(controlled, None).await?.1;
        }
        match turn.error {
            Some(error) => Err(OpenEnvError::new(Code::ExecutionError, error.message)),
            None => {
                sight.find_out(turn.results);
                sight.perceive(turn.perceptions);
                Ok(sight)
            }
        }
    }

    /// Lets an entity act, or pass. Returns the number of steps that were made then.
    async fn turn(&self, controlled: &ControlledEntity, action: Option<Action>) -> Result<(u64, TurnTaken), Error> {
        let turn = Turn::new(controlled.agent.clone(), action);
        let shown = self.episode.shown;
        let (form, since, perceive) = (shown.form(), Since::LastCall, shown != Shown::None);
        let step = Step { environment: self.environment.clone(), agents: vec![turn], form, since, perceive };
        let Stepped { moment, agents } = self.session.ask(step).await?;
        let turn = agents.into_iter().next().ok_or(Error::Unanswered)?;
        Ok((moment.step, turn))
    }

    /// Notes that the episode has ended.
    async fn end(&mut self, ending: Ending) -> Result<End, OpenEnvError> {
        let outcome = self.session.ask(GetOutcome { environment: self.environment.clone() }).await?.outcome;
        let end = End { ending, results: outcome.map(|outcome| outcome.results).unwrap_or_default() };
        self.episode.end = Some(end.clone());
        Ok(end)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        drop(self.session.ask(RemoveEnvironment { environment: self.environment.clone() }));
    }
}
