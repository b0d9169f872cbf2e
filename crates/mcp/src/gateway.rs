//! The requests of models.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult, ListToolsResult,
    PaginatedRequestParams, Prompt, PromptMessage, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, json};
use situated_hub::{Error, Hub, LocalSession, Right, Rights};
use situated_model::{ModelAgent, Surroundings, ToolAnswer};
use situated_render::png;
use situated_tools::{of_entity_type, visible_lines};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::agents::Agents;
use crate::plain_call::PlainCall;
use crate::tools::{self, LOOK, PICTURE};

/// The time after which agents are checked for use again.
const SWEEP: Duration = Duration::from_secs(5);

/// The name of the only prompt.
const PLAY: &str = "play";

/// Maximum number of bytes of a request.
const REQUEST_BYTES: usize = 256 * 1024;

/// Pixels of the longer side of a picture.
const SIDE: usize = 512;

/// The answer to a call that the client has cancelled, or whose connection it has closed.
const GIVEN_UP: &str = "the client has given up this call";

/// The body of an answer over HTTP.
pub type AnswerBody = UnsyncBoxBody<Bytes, Infallible>;

/// The gateway for models that speak the Model Context Protocol. Clones share their agents.
#[derive(Clone)]
pub struct McpGateway {
    hub: Arc<Hub>,
    agents: Arc<Agents>,
    trust_hosts: bool,
}

/// The tools of one environment, for a client with certain rights.
#[derive(Clone)]
struct EnvironmentTools {
    gateway: McpGateway,
    surroundings: Surroundings,
    rights: Rights,
    /// The agent of a client that has exactly one and cannot join.
    only: Option<OnlyAgent>,
    /// Cancelled when the client no longer waits for the answer.
    given_up: CancellationToken,
}

/// The only agent of a client.
#[derive(Clone)]
struct OnlyAgent {
    agent: Arc<ModelAgent>,
    introduction: String,
}

impl McpGateway {
    /// Creates the gateway of a hub. It ends unused agents on the current executor. Models read the documentation of
    /// hosted environments only if it trusts hosts.
    ///
    /// # Panics
    /// Panics outside of a Tokio executor.
    pub fn new(hub: Arc<Hub>, trust_hosts: bool) -> Self {
        let agents: Arc<Agents> = Arc::default();
        let watched = Arc::downgrade(&agents);
        tokio::spawn(async move {
            while let Some(agents) = watched.upgrade() {
                agents.sweep(Instant::now());
                drop(agents);
                sleep(SWEEP).await;
            }
        });
        Self { hub, agents, trust_hosts }
    }

    /// Answers a request to an environment, from a client with these rights. The caller has checked where the request
    /// comes from.
    ///
    /// # Errors
    /// Returns an error if there is no such environment.
    pub async fn answer<B>(
        &self,
        environment: &str,
        rights: Rights,
        request: Request<B>,
    ) -> Result<Response<AnswerBody>, Error>
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
    {
        let (head, body) = request.into_parts();
        let body = match Limited::new(body, REQUEST_BYTES).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) => return Ok(not_read(&*error)),
        };
        self.answer_read(environment, rights, Request::from_parts(head, body)).await
    }

    /// The same for a request that has been read. The protocol is compiled here, not in each crate that awaits an
    /// answer.
    fn answer_read<'a>(
        &'a self,
        environment: &'a str,
        rights: Rights,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<AnswerBody>, Error>> + Send + 'a>> {
        Box::pin(async move {
            let (head, body) = request.into_parts();
            if let Some(call) = PlainCall::read(&head, &body)
                && let Some(response) = self.answer_call(environment, call).await
            {
                return Ok(response);
            }
            let tools = self.tools(environment, rights).await?;
            // Dropped with this future when the connection is lost. The service alone would carry on with the call.
            let _cancel = tools.given_up.clone().drop_guard();
            let config = StreamableHttpServerConfig::default()
                .with_legacy_session_mode(false)
                .with_json_response(true)
                .disable_allowed_hosts()
                .disable_allowed_origins();
            let sessions = Arc::new(NeverSessionManager::default());
            let service = StreamableHttpService::new(move || Ok(tools.clone()), sessions, config);
            let request = Request::from_parts(head, Full::new(body));
            Ok(service.handle(request).await.map(BodyExt::boxed_unsync))
        })
    }

    /// Answers a call that an agent answers, as `call_tool` would. Returns `None` for all others.
    async fn answer_call(&self, environment: &str, call: PlainCall<'_>) -> Option<Response<AnswerBody>> {
        let (tool, given) = (call.tool(), call.arguments());
        if ["join", "leave"].contains(&tool) || wants_picture(tool, given) {
            return None;
        }
        let agent = self.agents.find(handle(given)?, environment)?;
        let answer = result(call_agent(&agent, tool, given).await?);
        let mut response = Response::new(Full::new(call.response(answer).into()).boxed_unsync());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Some(response)
    }

    /// Lets one model play an entity of an environment, a free one without its name. The model sends lines to `input`
    /// and gets lines from `output`, until it ends one of them. It has one agent from the beginning.
    ///
    /// # Errors
    /// Returns an error if the environment has no such entity, or if the client speaks another protocol.
    pub async fn play(
        &self,
        environment: &str,
        entity: Option<&str>,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> io::Result<()> {
        let rights = Rights::from_iter([Right::Act]);
        let mut tools = self.tools(environment, rights).await.map_err(io::Error::other)?;
        let agent =
            self.agents.join(&self.hub, &tools.surroundings, rights, entity, None).await.map_err(io::Error::other)?;
        tools.only = Some(OnlyAgent { introduction: agent.introduction(), agent: self.agents.keep_for_client(agent) });
        let service = tools.serve((input, output)).await.map_err(io::Error::other)?;
        service.waiting().await.map(drop).map_err(io::Error::other)
    }

    async fn tools(&self, environment: &str, rights: Rights) -> Result<EnvironmentTools, Error> {
        // A model acts, and needs no other right: what others do is not for its eyes.
        let rights: Rights = rights.iter().filter(|right| *right == Right::Act).collect();
        let session = LocalSession::open(&self.hub, rights)?;
        let surroundings = Surroundings::of(&session, environment, self.trust_hosts).await?;
        let (gateway, only, given_up) = (self.clone(), None, CancellationToken::new());
        Ok(EnvironmentTools { gateway, surroundings, rights, only, given_up })
    }
}

impl ServerHandler for EnvironmentTools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_prompts().build())
            .with_server_info(
                Implementation::new("situated", env!("CARGO_PKG_VERSION")).with_title(&self.surroundings.ontology.name),
            )
            .with_instructions(self.rules())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let play = Prompt::new(PLAY, Some("Play in this environment: its rules, and how to begin."), None);
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
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, self.rules())]).into())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = if self.only.is_some() { tools::of_only_agent } else { tools::all };
        Ok(ListToolsResult::with_all_items(tools(&self.surroundings.ontology)))
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

/// Returns whether a model wants to see what it looks at.
fn wants_picture(tool: &str, given: &JsonObject) -> bool {
    tool == LOOK && given.get(PICTURE) == Some(&Value::Bool(true))
}

/// Returns the handle of the agent that a call is for, which models know as their seat.
fn handle(given: &JsonObject) -> Option<&str> {
    given.get("seat")?.as_str()
}

/// Calls a tool of an agent, without the handle. Returns `None` if there is no such tool.
async fn call_agent(agent: &ModelAgent, tool: &str, given: &JsonObject) -> Option<ToolAnswer> {
    let mut arguments = given.clone();
    arguments.remove("seat");
    agent.call(tool, &arguments).await
}

/// Returns the result of a call.
fn result(answer: ToolAnswer) -> CallToolResult {
    match answer {
        Ok((text, data)) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(data);
            result
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(visible_lines(&error))]),
    }
}

/// Returns the response to a request that is too long, or whose connection was lost.
fn not_read(error: &(dyn std::error::Error + 'static)) -> Response<AnswerBody> {
    let (status, why) = if error.is::<LengthLimitError>() {
        (StatusCode::PAYLOAD_TOO_LARGE, format!("a request has at most {REQUEST_BYTES} bytes\n"))
    } else {
        (StatusCode::BAD_REQUEST, format!("the request cannot be read: {error}\n"))
    };
    let mut response = Response::new(Full::new(why.into()).boxed_unsync());
    *response.status_mut() = status;
    response
}

impl EnvironmentTools {
    /// Returns the rules of the environment, and how to begin.
    fn rules(&self) -> String {
        let begin = match &self.only {
            Some(only) => &only.introduction,
            None => "Call `join` first. It gives you an entity and a seat; pass the seat to all other tools.",
        };
        format!("{}\n\n{begin}", self.surroundings.rules())
    }

    async fn call(&self, tool: &str, given: &JsonObject) -> Result<ToolAnswer, ErrorData> {
        let no_such_tool = || ErrorData::invalid_params(format!("there is no tool `{tool}`"), None);
        match (tool, &self.only) {
            ("join", None) => return Ok(self.join(given).await),
            ("join" | "leave", Some(_)) => return Err(no_such_tool()),
            _ => {}
        }
        let agent = match self.agent(given) {
            Ok(agent) => agent,
            Err(error) => return Ok(Err(error)),
        };
        if tool == "leave" {
            self.gateway.agents.leave(handle(given).unwrap_or_default());
            return Ok(Ok(("You have left the environment.".into(), json!({}))));
        }
        call_agent(&agent, tool, given).await.ok_or_else(|| {
            let error = no_such_tool();
            let mut arguments = given.clone();
            arguments.remove("seat");
            agent.note_call(tool, arguments.into(), Err(&error.message), Duration::ZERO);
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
        let agent = self.gateway.agents.find(handle, &self.surroundings.environment);
        agent.ok_or_else(|| "this seat is void: it was left, or not used for an hour; call `join` for a new one".into())
    }

    async fn join(&self, given: &JsonObject) -> ToolAnswer {
        let text = |name: &str| given.get(name).and_then(Value::as_str);
        let Self { gateway: McpGateway { hub, agents, .. }, surroundings, rights, .. } = self;
        let joined = agents.join(hub, surroundings, *rights, text("entity"), text("name")).await;
        let kept = agents.keep(joined.map_err(|error| error.to_string())?);
        let (handle, agent) = kept.map_err(|error| error.to_string())?;
        let begun = Instant::now();
        let (now, mut data) = agent.begin().await?;
        data["seat"] = json!(handle);
        data["agent"] = json!(agent.name().as_str());
        data["entity"] = json!(agent.entity().as_str());
        data["entityType"] = json!(agent.entity_type().as_str());
        let tools = of_entity_type(&surroundings.ontology, agent.entity_type()).into_iter().map(|tool| tool.name);
        data["tools"] = tools.collect();
        let told = format!("Your seat is {handle}. {}\n{now}", agent.introduction());
        agent.note_call("join", given.clone().into(), Ok(&told), begun.elapsed());
        Ok((told, data))
    }
}
