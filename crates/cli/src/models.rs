//! Language models as programs of a team.

use std::env;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use parking_lot::Mutex;
use situated::environment::Measure;
use situated::iil::EcoString;
use situated::ontology::Ontology;
use situated_hub::{Hub, LocalSession, Right, Rights};
use situated_model::{Endpoint, ModelAgent, Player, Settings, Spent, Surroundings, tools};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::parameters::read_text;
use crate::plan::Plan;
use crate::team_file::{LaunchProgram, ModelProgram};

/// Maximum size of a prompt in MiB.
const LONGEST_PROMPT: u64 = 1;

/// The time after which a request to a model is given up, without the key `timeout`.
const TIMEOUT: f64 = 60.0;

/// The number of answers that a model remembers, without the key `memory`.
const MEMORY: NonZeroUsize = NonZeroUsize::new(20).expect("it is not zero");

/// The variable with the key of an endpoint, without the key `key`.
const KEY: &str = "OPENAI_API_KEY";

/// Models that play. Dropping this ends them.
#[derive(Default)]
pub(crate) struct Models {
    playing: Vec<Playing>,
    /// Those that have entities, but do not play yet.
    waiting: Vec<Player>,
    failure: Arc<Mutex<Option<String>>>,
}

struct Playing {
    entity: EcoString,
    model: String,
    spent: Arc<Mutex<Spent>>,
    trouble: Arc<Mutex<Option<String>>>,
    /// `None` before it plays.
    task: Option<JoinHandle<()>>,
}

impl ModelProgram {
    /// Returns the settings of the player.
    ///
    /// # Errors
    /// Returns an error if its prompt cannot be read, or the variable that it names is missing.
    fn settings(&self) -> anyhow::Result<Settings> {
        let key = match &self.key {
            Some(variable) => {
                let missing = || format!("the model `{}` needs its key in the variable {variable}", self.name);
                Some(env::var(variable).with_context(missing)?)
            }
            // Endpoints on the same machine need none.
            None => env::var(KEY).ok().filter(|key| !key.is_empty()),
        };
        let timeout = Duration::from_secs_f64(self.timeout.unwrap_or(TIMEOUT));
        let prompt = self.prompt.as_ref().map(|path| read_text(path, "prompt", LONGEST_PROMPT)).transpose()?;
        Ok(Settings {
            endpoint: Endpoint::new(&self.base_url, &self.name, key, self.temperature, timeout),
            prompt,
            calls: self.calls.map(NonZeroU64::get),
            tokens: self.tokens.map(NonZeroU64::get),
            without: self.without.clone(),
            memory: self.memory.unwrap_or(MEMORY).get(),
        })
    }
}

impl ModelProgram {
    /// Checks that the tools exist that the model does not get.
    fn check_tools(&self, ontology: &Ontology) -> anyhow::Result<()> {
        let known: Vec<String> = tools(ontology, None).into_iter().map(|tool| tool.name).collect();
        match self.without.iter().find(|name| !known.contains(name)) {
            Some(name) => bail!(
                "the model `{}` is to play without the tool `{name}`, which does not exist; the tools are {}",
                self.name,
                known.join(", ")
            ),
            None => Ok(()),
        }
    }
}

impl Models {
    /// Gives the models of a plan their entities. They play from [`play`](Self::play) on.
    ///
    /// # Errors
    /// Returns an error if a model lacks something, or cannot take its entity.
    pub(crate) async fn join(
        plan: &Plan,
        hub: &Arc<Hub>,
        environment: &str,
        entities: &[(EcoString, EcoString)],
    ) -> anyhow::Result<Self> {
        let mut models = Self::default();
        let rights = Rights::from_iter([Right::Act]);
        for (rule, entities) in plan.rules.iter().zip(plan.entities_of_rules(entities)) {
            let LaunchProgram::Model(program) = &rule.program else { continue };
            for entity in entities {
                let settings = program.settings()?;
                let surroundings = Surroundings::of(&LocalSession::open(hub, rights)?, environment, false).await?;
                let name = EcoString::from(format!("model-{entity}"));
                program.check_tools(&surroundings.ontology)?;
                let agent = ModelAgent::join(hub, surroundings, rights, Some(entity), name).await;
                let cannot = || format!("the model `{}` cannot control entity `{entity}`", program.name);
                models.add(Player::new(agent.with_context(cannot)?, settings), program.name.clone());
            }
        }
        Ok(models)
    }

    fn add(&mut self, player: Player, model: String) {
        let (entity, spent, trouble) = (player.entity().clone(), player.spent(), player.trouble());
        self.playing.push(Playing { entity, model, spent, trouble, task: None });
        self.waiting.push(player);
    }

    /// Lets the models play that do not play yet.
    pub(crate) fn play(&mut self, executor: &Handle) {
        let joined = self.playing.iter_mut().filter(|one| one.task.is_none());
        for (one, player) in joined.zip(self.waiting.drain(..)) {
            let (of, name, failure) = (one.entity.clone(), one.model.clone(), self.failure.clone());
            one.task = Some(executor.spawn(async move {
                // The run does not go on without the player before its failure can be seen.
                if let Err(error) = player.play().await {
                    tracing::error!(entity = %of, model = name, "the model gives no answer, and leaves: {error}");
                    failure.lock().get_or_insert_with(|| format!("model `{name}` of entity `{of}`: {error}"));
                }
                drop(player);
            }));
        }
    }

    /// Returns the entities that models play, with the names of the models.
    pub(crate) fn members(&self) -> impl Iterator<Item = (EcoString, EcoString)> {
        self.playing.iter().map(|one| (one.entity.clone(), EcoString::from(format!("model {}", one.model))))
    }

    /// Returns the costs of the models in this episode.
    pub(crate) fn measures(&self) -> Vec<Measure> {
        self.playing.iter().flat_map(|one| one.spent.lock().measures(&one.entity)).collect()
    }

    /// Returns the reason why a model does not answer at the moment.
    pub(crate) fn problem(&self) -> Option<String> {
        let problem = |one: &Playing| {
            let why = one.trouble.lock().clone()?;
            Some(format!("model `{}` of entity `{}`: {why}", one.model, one.entity))
        };
        self.playing.iter().find_map(problem)
    }

    /// Checks that all models answer.
    ///
    /// # Errors
    /// Returns the first failure.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        self.failure.lock().as_ref().map_or(Ok(()), |failure| Err(anyhow!("{failure}")))
    }

    /// Returns whether all models have stopped playing, and none has failed.
    pub(crate) fn have_left(&self) -> bool {
        let has_left = |one: &Playing| one.task.as_ref().is_some_and(JoinHandle::is_finished);
        self.playing.iter().all(has_left) && self.failure.lock().is_none()
    }
}

impl Drop for Models {
    fn drop(&mut self) {
        self.playing.iter().filter_map(|one| one.task.as_ref()).for_each(JoinHandle::abort);
    }
}
