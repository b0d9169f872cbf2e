//! The requests of models.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
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
use situated::iil::{EcoString, Percept};
use situated::interface::Moment;
use situated::ontology::{Ontology, Pace};
use situated_hub::{DescribeEnvironment, Error, GetOutcome, Hub, LocalSession, Right, Rights, Wait};
use situated_tools::{Beliefs, ended, exists, introduction, of_entity_type, visible_lines};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::seats::{Seat, Seats};
use crate::tools;
use crate::tools::LONGEST_WAIT;

/// The longest time in which an action is answered. In lockstep, an action is done only when all agents have acted.
const LONGEST_ACTION: Duration = Duration::from_secs(30);

/// The time after which seats are checked for use again.
const SWEEP: Duration = Duration::from_secs(60);

/// The name of the only prompt.
const PLAY: &str = "play";

/// Maximum number of bytes of a request.
const REQUEST_BYTES: usize = 256 * 1024;

/// The gateway for models that speak the Model Context Protocol. Clones share their seats.
#[derive(Clone)]
pub struct McpGateway {
    hub: Arc<Hub>,
    seats: Arc<Seats>,
    trust_hosts: bool,
}

/// The tools of one environment, for a client with certain rights.
#[derive(Clone)]
struct EnvironmentTools {
    gateway: McpGateway,
    environment: EcoString,
    rights: Rights,
    ontology: Arc<Ontology>,
    pace: Pace,
    /// The seat of a client that has exactly one and cannot join.
    only: Option<OnlySeat>,
    /// Cancelled when the client no longer waits for the answer.
    given_up: CancellationToken,
}

/// The only seat of a client.
#[derive(Clone)]
struct OnlySeat {
    handle: String,
    introduction: String,
}

impl McpGateway {
    /// Creates the gateway of a hub. It ends unused seats on the current executor. Models read the documentation of
    /// hosted environments only if it trusts hosts.
    ///
    /// # Panics
    /// Panics outside of a Tokio executor.
    pub fn new(hub: Arc<Hub>, trust_hosts: bool) -> Self {
        let seats: Arc<Seats> = Arc::default();
        let watched = Arc::downgrade(&seats);
        tokio::spawn(async move {
            while let Some(seats) = watched.upgrade() {
                seats.end_unused();
                drop(seats);
                sleep(SWEEP).await;
            }
        });
        Self { hub, seats, trust_hosts }
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
    ) -> Result<Response<impl Body<Data = Bytes, Error = Infallible> + Send + use<B>>, Error>
    where
        B: Body<Data: Send, Error: std::fmt::Display> + Send + 'static,
    {
        let tools = self.tools(environment, rights).await?;
        // Dropped with this future when the connection is lost. The service alone would carry on with the call.
        let _cancel = tools.given_up.clone().drop_guard();
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(REQUEST_BYTES);
        let sessions = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(tools.clone()), sessions, config);
        Ok(service.handle(request).await)
    }

    /// Lets one model play an entity of an environment, a free one without its name. The model sends lines to `input`
    /// and gets lines from `output`, until it ends one of them. It has one seat from the beginning.
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
        let joined = self.seats.join(&self.hub, environment, rights, entity, None).await;
        let (handle, seat) = joined.map_err(|error| io::Error::other(error.to_string()))?;
        tools.only = Some(OnlySeat { handle: handle.clone(), introduction: tools.introduce(&seat) });
        drop(seat);
        let served = tools.serve((input, output)).await.map_err(io::Error::other);
        let ended = match served {
            Ok(service) => service.waiting().await.map(drop).map_err(io::Error::other),
            Err(error) => Err(error),
        };
        self.seats.leave(&handle);
        ended
    }

    async fn tools(&self, environment: &str, rights: Rights) -> Result<EnvironmentTools, Error> {
        // A model acts, and needs no other right: what others do is not for its eyes.
        let rights: Rights = rights.iter().filter(|right| *right == Right::Act).collect();
        let environment = EcoString::from(environment);
        let session = LocalSession::open(&self.hub, rights)?;
        let described = session.ask(DescribeEnvironment { environment: environment.clone() }).await?;
        let is_trusted = self.trust_hosts || !described.status.hosted;
        let all = described.ontology;
        let ontology = if is_trusted { all } else { Arc::new(situated_tools::without_documentation(&all)) };
        let pace = described.status.status.pace;
        let (gateway, only, given_up) = (self.clone(), None, CancellationToken::new());
        Ok(EnvironmentTools { gateway, environment, rights, ontology, pace, only, given_up })
    }
}

impl ServerHandler for EnvironmentTools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_prompts().build())
            .with_server_info(
                Implementation::new("situated", env!("CARGO_PKG_VERSION")).with_title(&self.ontology.name),
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
        let tools = if self.only.is_some() { tools::of_only_seat } else { tools::all };
        Ok(ListToolsResult::with_all_items(tools(&self.ontology)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let called = tokio::select! {
            called = self.call(&request.name, &given) => called?,
            () = self.given_up.cancelled() => Err("the client has given up this call".into()),
        };
        let answer = match called {
            Ok((text, data)) => {
                let mut answer = CallToolResult::success(vec![ContentBlock::text(text)]);
                answer.structured_content = Some(data);
                answer
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(visible_lines(&error))]),
        };
        Ok(answer.into())
    }
}

/// The answer of a tool as text and as data, or an error that the model reads.
type ToolAnswer = Result<(String, Value), String>;

impl EnvironmentTools {
    /// Returns the rules of the environment, and how to begin.
    fn rules(&self) -> String {
        let begin = match &self.only {
            Some(only) => &only.introduction,
            None => "Call `join` first. It gives you an entity and a seat; pass the seat to all other tools.",
        };
        visible_lines(&format!("{}\n\n{begin}", self.ontology.documentation))
    }

    async fn call(&self, tool: &str, given: &JsonObject) -> Result<ToolAnswer, ErrorData> {
        let no_such_tool = || ErrorData::invalid_params(format!("there is no tool `{tool}`"), None);
        match (tool, &self.only) {
            ("join", None) => return Ok(self.join(given).await),
            ("join" | "leave", Some(_)) => return Err(no_such_tool()),
            _ => {}
        }
        let (handle, seat) = match self.seat(given) {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        Ok(match tool {
            "look" => self.look(&seat, given).await,
            "wait_until" => self.wait_until(&seat, given).await,
            "leave" => {
                self.gateway.seats.leave(handle);
                Ok(("You have left the environment.".into(), json!({})))
            }
            _ if exists(&self.ontology, tool) => self.act(&seat, tool, given).await,
            _ => return Err(no_such_tool()),
        })
    }

    fn seat<'a>(&'a self, given: &'a JsonObject) -> Result<(&'a str, Arc<Seat>), String> {
        let handle = match &self.only {
            Some(only) => &only.handle,
            None => given.get("seat").and_then(Value::as_str).ok_or("`seat` is missing; call `join` to get a seat")?,
        };
        let seat = self.gateway.seats.find(handle, &self.environment);
        let seat = seat.ok_or("this seat is void: it was left, or not used for an hour; call `join` for a new one")?;
        Ok((handle, seat))
    }

    async fn join(&self, given: &JsonObject) -> ToolAnswer {
        let text = |name: &str| given.get(name).and_then(Value::as_str);
        let Self { gateway: McpGateway { hub, seats, .. }, environment, rights, ontology, .. } = self;
        let joined = seats.join(hub, environment, *rights, text("entity"), text("name")).await;
        let (handle, seat) = joined.map_err(|error| error.to_string())?;
        let (now, mut data) = self.begin(&seat).await?;
        data["seat"] = json!(handle);
        data["agent"] = json!(seat.agent.as_str());
        data["entity"] = json!(seat.entity.as_str());
        data["entityType"] = json!(seat.entity_type.as_str());
        let tools = of_entity_type(ontology, &seat.entity_type).into_iter().map(|tool| tool.name);
        data["tools"] = tools.collect();
        Ok((format!("Your seat is {handle}. {}\n{now}", self.introduce(&seat)), data))
    }

    /// Returns what an agent is, and what it can perceive and do.
    fn introduce(&self, seat: &Seat) -> String {
        let Seat { agent, entity, entity_type, .. } = seat;
        let you = visible_lines(&format!("You are `{agent}` and control `{entity}`, a {entity_type}."));
        format!("{you}\n{}\n{}\n", introduction(&self.ontology, entity_type), pace(self.pace))
    }

    /// Everything that the entity perceives at first, which is no news.
    async fn begin(&self, seat: &Seat) -> ToolAnswer {
        let mut beliefs = seat.beliefs.lock().await;
        let moment = perceive(seat, &mut beliefs).await?;
        beliefs.take_news(moment);
        let (text, holds) = beliefs.all(None);
        Ok((
            format!("Step {}.{text}{}", moment.step, ending(seat).await),
            json!({ "step": moment.step, "holds": holds }),
        ))
    }

    async fn look(&self, seat: &Seat, given: &JsonObject) -> ToolAnswer {
        let about = given.get("about").and_then(Value::as_str);
        let mut beliefs = seat.beliefs.lock().await;
        let moment = perceive(seat, &mut beliefs).await?;
        let (mut text, mut data) = beliefs.take_news(moment);
        let (holding, all) = beliefs.all(about);
        text += &holding;
        data["holds"] = all;
        text += &ending(seat).await;
        Ok((text, data))
    }

    async fn act(&self, seat: &Seat, tool: &str, given: &JsonObject) -> ToolAnswer {
        let mut arguments = given.clone();
        arguments.remove("seat");
        let action = situated_tools::action(&self.ontology, &seat.entity_type, tool, &arguments)?;
        let mut beliefs = seat.beliefs.lock().await;
        let acting = seat.act(Some(action));
        let Ok(stepped) = timeout(LONGEST_ACTION, acting).await else {
            let why =
                "the others have not acted yet; your action stands, and is done when they have: call `wait_until`";
            return Err(why.into());
        };
        let stepped = match stepped {
            Ok(stepped) => stepped,
            Err(error) => return Err(format!("{error}{}", ending(seat).await)),
        };
        let mut failure = None;
        for turn in stepped.turns {
            failure = turn.error.map(|error| error.to_string()).or(failure);
            for (_, result) in turn.results {
                match result {
                    // The percepts that an action returns are reported once, as events are.
                    Ok(found) => beliefs.find_out(found),
                    Err(error) => failure = Some(error.to_string()),
                }
            }
            seat.receive(&mut beliefs, turn.perceptions);
        }
        let (news, data) = beliefs.take_news(stepped.moment);
        let ending = ending(seat).await;
        match failure {
            Some(failure) => Err(format!("{failure}\n{news}{ending}")),
            None => Ok((format!("Done. {news}{ending}"), data)),
        }
    }

    async fn wait_until(&self, seat: &Seat, given: &JsonObject) -> ToolAnswer {
        let seconds = given.get("seconds").and_then(Value::as_f64).unwrap_or(10.0).clamp(0.0, LONGEST_WAIT as f64);
        let deadline = Instant::now() + Duration::from_secs_f64(seconds);
        let wanted = given.get("percept").and_then(Value::as_str).map(str::parse::<Percept>).transpose();
        let wanted =
            wanted.map_err(|error| format!("`percept` is not a percept, such as `at` or `at(RoomC1)`: {error}"))?;
        let mut beliefs = seat.beliefs.lock().await;
        loop {
            let moment = perceive(seat, &mut beliefs).await?;
            let is_met = match &wanted {
                Some(wanted) => beliefs.contains(wanted),
                None => beliefs.has_news(),
            };
            if is_met {
                return Ok(self.waited(seat, &mut beliefs, moment, "").await);
            }
            let is_late = self.let_time_pass(seat, &mut beliefs, moment, deadline).await?;
            if is_late || !ending(seat).await.is_empty() {
                return Ok(self.waited(seat, &mut beliefs, moment, "It did not happen in this time. ").await);
            }
        }
    }

    /// Waits until the environment is later than a moment. Returns whether the deadline came first.
    async fn let_time_pass(
        &self,
        seat: &Seat,
        beliefs: &mut Beliefs,
        after: Moment,
        deadline: Instant,
    ) -> Result<bool, String> {
        if self.pace == Pace::Lockstep {
            let Ok(stepped) = timeout_at(deadline, seat.act(None)).await else { return Ok(true) };
            let mut passed = true;
            for turn in stepped.map_err(|error| error.to_string())?.turns {
                // An action of this agent stands, which it cannot replace by passing.
                passed &= turn.error.is_none() && turn.results.iter().all(|(_, result)| result.is_ok());
                seat.receive(beliefs, turn.perceptions);
            }
            if passed {
                return Ok(Instant::now() >= deadline);
            }
        }
        let wait = Wait { environment: self.environment.clone(), after };
        Ok(timeout_at(deadline, seat.session().ask(wait)).await.is_err())
    }

    async fn waited(&self, seat: &Seat, beliefs: &mut Beliefs, moment: Moment, how: &str) -> (String, Value) {
        let (news, mut data) = beliefs.take_news(moment);
        data["met"] = json!(how.is_empty());
        (format!("{how}{news}{}", ending(seat).await), data)
    }
}

async fn perceive(seat: &Seat, beliefs: &mut Beliefs) -> Result<Moment, String> {
    let perceived = seat.perceive().await.map_err(|error| error.to_string())?;
    seat.receive(beliefs, perceived.perceptions);
    Ok(perceived.moment)
}

/// Returns how the episode ended; empty if it continues.
async fn ending(seat: &Seat) -> String {
    let asked = seat.session().ask(GetOutcome { environment: seat.environment.clone() }).await;
    let outcome = asked.ok().and_then(|answer| answer.outcome);
    outcome.and_then(|outcome| ended(&outcome)).unwrap_or_default()
}

fn pace(pace: Pace) -> String {
    match pace {
        Pace::Lockstep => "Time advances by a step when all agents have acted. `wait_until` passes your turns.".into(),
        Pace::Reactive => "Time advances by a step with each action.".into(),
        Pace::RealTime { .. } | Pace::Own => {
            "Time passes while you think. After an action that takes time, call `wait_until`.".into()
        }
    }
}
