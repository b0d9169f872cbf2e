//! The session of a learner: one connection, and at most one world at a time.

use std::time::Duration;

use serde_json::{Map, Value};
use situated_hub::LocalSession;
use tokio::time::timeout;

use crate::choices::Choices;
use crate::error::{Code, OpenEnvError};
use crate::messages::{Message, Response, State};
use crate::options::Options;
use crate::world::{Model, World};

/// The longest time in which a step is made. Only agents that others brought into the world can delay it.
const LONGEST_STEP: Duration = Duration::from_secs(30);

/// The session of a learner. Its world ends when it is dropped.
pub struct Learner {
    session: LocalSession,
    model: Model,
    world: Option<World>,
}

/// The reply to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// This text is sent.
    Send(String),
    /// The connection is closed.
    Close,
}

impl Learner {
    pub(crate) fn new(session: LocalSession, model: Model) -> Self {
        Self { session, model, world: None }
    }

    /// Answers a message.
    pub async fn answer(&mut self, message: &str) -> Reply {
        let response = match self.respond(message).await {
            Ok(Some(response)) => response,
            Ok(None) => return Reply::Close,
            Err(OpenEnvError { code, message }) => Response::Error { message, code },
        };
        // Responses have no keys other than texts.
        serde_json::to_string(&response).map_or(Reply::Close, Reply::Send)
    }

    /// Returns the response, or `None` if the session ends.
    async fn respond(&mut self, message: &str) -> Result<Option<Response>, OpenEnvError> {
        let message = Message::read(message)?;
        match &*message.kind {
            "reset" => self.reset(message.data()?).await.map(Some),
            "step" => self.step(message.data()?).await.map(Some),
            "state" => self.state().await.map(Some),
            "close" => Ok(None),
            "mcp" => Err(OpenEnvError::new(
                Code::UnknownType,
                "this connection is for the learner that resets and steps; language models use the tools at \
                 /mcp/ENVIRONMENT of this server",
            )),
            kind => {
                let kind: String = kind.chars().take(40).collect();
                let message = format!("unknown message type `{kind}`, expected reset, step, state or close");
                Err(OpenEnvError::new(Code::UnknownType, message))
            }
        }
    }

    async fn reset(&mut self, options: Options) -> Result<Response, OpenEnvError> {
        let setting = options.setting()?;
        let seed = match options.seed {
            Some(seed) => seed,
            // Exact in languages whose numbers are floats.
            None => getrandom::u64().map_err(|error| OpenEnvError::new(Code::ExecutionError, error.to_string()))? >> 11,
        };
        let mut world = None;
        if let Some(mut present) = self.world.take().filter(|world| *world.setting() == setting) {
            // One that has crashed or was removed cannot begin again.
            world = present.begin_again(seed).await.is_ok().then_some(present);
        }
        let mut world = match world {
            Some(world) => world,
            None => World::begin(&self.session, &self.model, setting, seed).await?,
        };
        let observed = world.begin_episode(options, seed).await?;
        self.world = Some(world);
        Ok(Response::Observation(Box::new(observed)))
    }

    async fn step(&mut self, data: Map<String, Value>) -> Result<Response, OpenEnvError> {
        let choices = Choices::read(data)?;
        let world = self.world.as_mut().ok_or_else(|| OpenEnvError::new(Code::ExecutionError, "call `reset` first"))?;
        let stepped = timeout(LONGEST_STEP, world.step(choices)).await.map_err(|_| {
            let message = "the step was not made within 30 s, because other agents in this world have not acted";
            OpenEnvError::new(Code::ExecutionError, message)
        })?;
        stepped.map(|observed| Response::Observation(Box::new(observed)))
    }

    async fn state(&self) -> Result<Response, OpenEnvError> {
        Ok(Response::State(match &self.world {
            Some(world) => world.state().await?,
            None => State::default(),
        }))
    }
}
