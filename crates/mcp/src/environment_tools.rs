//! The tools of an environment, called through the library of the protocol.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult, ListToolsResult,
    PaginatedRequestParams, Prompt, PromptMessage, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use situated::iil::EcoString;
use situated::names::{did_you_mean, nearest};
use situated::ontology::Ontology;
use situated_hub::{Hub, ListEntities, LocalSession, Rights};
use situated_model::{ModelAgent, Surroundings, ToolAnswer};
use situated_render::png;
use situated_tools::{checked, of_entity_type, unquoted, visible_lines};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::agents::Agents;
use crate::tools::{self, JOIN, LEAVE, LOOK, PICTURE, SEAT};

/// The name of the only prompt.
const PLAY: &str = "play";

/// Pixels of the longer side of a picture.
const SIDE: usize = 512;

/// The answer to a call that the client has cancelled, or whose connection it has closed.
const GIVEN_UP: &str = "the client has given up this call";

/// The tools of one environment, for a client with certain rights.
#[derive(Clone)]
pub(crate) struct EnvironmentTools {
    pub(crate) hub: Arc<Hub>,
    pub(crate) agents: Arc<Agents>,
    pub(crate) surroundings: Surroundings,
    pub(crate) rights: Rights,
    /// The agent of a client that has exactly one and cannot join.
    pub(crate) only: Option<OnlyAgent>,
    /// Cancelled when the client no longer waits for the answer.
    pub(crate) given_up: CancellationToken,
}

/// The only agent of a client.
#[derive(Clone)]
pub(crate) struct OnlyAgent {
    pub(crate) agent: Arc<ModelAgent>,
    pub(crate) introduction: String,
}

impl ServerHandler for EnvironmentTools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_prompts().build())
            .with_server_info(
                Implementation::new("situated", env!("CARGO_PKG_VERSION")).with_title(&self.surroundings.ontology.name),
            )
            .with_instructions(self.instructions())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let play = Prompt::new(PLAY, Some("Play in this environment: what it is, and how to begin."), None);
        Ok(ListPromptsResult::with_all_items(vec![play]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != PLAY {
            return Err(ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None));
        }
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, self.instructions())]).into())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = if self.only.is_some() { tools::of_only_agent } else { tools::all };
        Ok(ListToolsResult::with_all_items(tools(&self.playable().await)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let called = tokio::select! {
            called = self.call(&request.name, &given) => called?,
            () = self.given_up.cancelled() => Err(GIVEN_UP.into()),
            () = context.ct.cancelled() => Err(GIVEN_UP.into()),
        };
        let is_told = called.is_ok();
        let mut answer = result(called);
        if is_told && wants_picture(&request.name, &given) {
            answer.content.extend(self.picture(&given).await);
        }
        Ok(answer.into())
    }
}

impl EnvironmentTools {
    /// Returns how to begin. The rules are in the answer to `join`, which models of all programs read.
    fn instructions(&self) -> String {
        match &self.only {
            Some(only) => format!("{}\n\n{}", self.surroundings.rules(), only.introduction),
            None => {
                let summary = visible_lines(self.surroundings.ontology.summary());
                format!(
                    "{summary}\n\nCall `join` first. It gives you an entity, the rules and a seat; pass the seat to all \
                     other tools."
                )
            }
        }
    }

    /// Returns the ontology without the types of which there is no entity, such as those for people. If there are no
    /// entities yet, it has all types.
    async fn playable(&self) -> Ontology {
        let mut ontology = (*self.surroundings.ontology).clone();
        let types = match &self.only {
            Some(only) => vec![only.agent.entity_type().clone()],
            None => self.entity_types().await,
        };
        if !types.is_empty() {
            ontology.entity_types.retain(|one| types.iter().any(|name| *name == one.name));
        }
        ontology
    }

    async fn entity_types(&self) -> Vec<EcoString> {
        let Ok(session) = LocalSession::open(&self.hub, self.rights) else { return Vec::new() };
        let listed = session.ask(ListEntities { environment: self.surroundings.environment.clone() }).await;
        listed.map_or_else(|_| Vec::new(), |listed| listed.entities.into_iter().map(|one| one.entity_type.0).collect())
    }

    async fn call(&self, tool: &str, given: &JsonObject) -> Result<ToolAnswer, ErrorData> {
        let no_such_tool = |meant: &str| ErrorData::invalid_params(format!("there is no tool `{tool}`{meant}"), None);
        match (tool, &self.only) {
            (JOIN, None) => return Ok(self.join(given).await),
            (JOIN | LEAVE, Some(_)) => return Err(no_such_tool("")),
            _ => {}
        }
        let agent = match self.agent(given) {
            Ok(agent) => agent,
            Err(error) => return Ok(Err(error)),
        };
        if tool == LEAVE {
            return Ok(checked(&tools::leave(), &without_seat(given)).map(|_| {
                self.agents.leave(handle(given).unwrap_or_default());
                ("You have left the environment.".into(), json!({}))
            }));
        }
        call_agent(&agent, tool, given).await.ok_or_else(|| {
            let tools = of_entity_type(&self.surroundings.ontology, agent.entity_type());
            let meant = did_you_mean(nearest(tool, tools.iter().map(|one| &*one.name)));
            let error = no_such_tool(&meant);
            agent.note_call(tool, without_seat(given).into(), Err(&error.message), Duration::ZERO);
            error
        })
    }

    /// Returns a picture of what the entity of an agent may see, if there is anything to see.
    async fn picture(&self, given: &JsonObject) -> Option<ContentBlock> {
        let agent = self.agent(given).ok()?;
        let scene = agent.scene().await.ok().filter(|scene| !scene.shapes.is_empty())?;
        Some(ContentBlock::image(STANDARD.encode(png(&scene, SIDE).ok()?), "image/png"))
    }

    fn agent(&self, given: &JsonObject) -> Result<Arc<ModelAgent>, String> {
        if let Some(only) = &self.only {
            return Ok(only.agent.clone());
        }
        let handle = handle(given).ok_or("`seat` is missing; call `join` to get a seat")?;
        self.agents
            .find(handle, &self.surroundings.environment)
            .map_err(|void| format!("{void}; call `join` for a seat"))
    }

    async fn join(&self, given: &JsonObject) -> ToolAnswer {
        let wanted = checked(&tools::join(), given)?;
        let text = |name: &str| wanted.get(name).and_then(Value::as_str);
        let Self { hub, agents, surroundings, rights, .. } = self;
        let joined = agents.join(hub, surroundings, *rights, text("entity"), text("name")).await;
        let kept = agents.keep(joined.map_err(|error| error.to_string())?);
        let (handle, agent) = kept.map_err(|error| error.to_string())?;
        let begun = Instant::now();
        let (now, mut data) = agent.begin().await?;
        data[SEAT] = json!(handle);
        data["agent"] = json!(agent.name().as_str());
        data["entity"] = json!(agent.entity().as_str());
        data["entityType"] = json!(agent.entity_type().as_str());
        let tools = of_entity_type(&surroundings.ontology, agent.entity_type()).into_iter().map(|tool| tool.name);
        data["tools"] = tools.collect();
        let told = format!("Your seat is {handle}.\n\n{}\n\n{}\n{now}", surroundings.rules(), agent.introduction());
        agent.note_call(JOIN, given.clone().into(), Ok(&told), begun.elapsed());
        Ok((told, data))
    }
}

/// Returns whether a model wants to see what it looks at.
pub(crate) fn wants_picture(tool: &str, given: &JsonObject) -> bool {
    tool == LOOK && given.get(PICTURE).and_then(truth_value) == Some(true)
}

fn truth_value(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| unquoted(value.as_str()?)?.as_bool())
}

/// Returns the handle of the agent that a call is for, which models know as their seat.
pub(crate) fn handle(given: &JsonObject) -> Option<&str> {
    given.get(SEAT)?.as_str()
}

fn without_seat(given: &JsonObject) -> JsonObject {
    let mut arguments = given.clone();
    arguments.remove(SEAT);
    arguments
}

/// Calls a tool of an agent, without the arguments that are for the gateway. Returns `None` if there is no such tool.
pub(crate) async fn call_agent(agent: &ModelAgent, tool: &str, given: &JsonObject) -> Option<ToolAnswer> {
    let mut arguments = without_seat(given);
    if tool == LOOK
        && let Some(picture) = arguments.remove(PICTURE)
        && !picture.is_null()
        && truth_value(&picture).is_none()
    {
        let wrong = "`picture` must be true or false";
        agent.note_call(tool, without_seat(given).into(), Err(wrong), Duration::ZERO);
        return Some(Err(wrong.into()));
    }
    agent.call(tool, &arguments).await
}

/// Returns the result of a call.
pub(crate) fn result(answer: ToolAnswer) -> CallToolResult {
    match answer {
        Ok((text, data)) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(data);
            result
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(visible_lines(&error))]),
    }
}
