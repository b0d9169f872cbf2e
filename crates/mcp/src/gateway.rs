//! The requests of models.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, request};
use http_body::Body;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use situated_hub::{Error, Hub, LocalSession, Right, Rights};
use situated_model::Surroundings;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::agents::{Agents, SWEEP};
use crate::environment_tools::{EnvironmentTools, OnlyAgent, call_agent, handle, result, wants_picture};
use crate::message::{self, AnswerBody};
use crate::plain_call::{ACCEPTED, PlainCall};
use crate::tools::{JOIN, LEAVE};

/// Maximum number of bytes of a request.
const REQUEST_BYTES: usize = 256 * 1024;

/// The gateway for models that speak the Model Context Protocol. Clones share their agents.
#[derive(Clone)]
pub struct McpGateway {
    hub: Arc<Hub>,
    agents: Arc<Agents>,
    trust_hosts: bool,
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
            match message::batch(&head.headers, &body).filter(|_| head.method == Method::POST) {
                None => self.answer_message(environment, rights, head, body).await,
                Some(Err(error)) => Ok(message::refusal(&error)),
                Some(Ok(messages)) => self.answer_batch(environment, rights, &head, messages).await,
            }
        })
    }

    /// Answers the messages of a batch, one after another. Some need no answer.
    async fn answer_batch(
        &self,
        environment: &str,
        rights: Rights,
        head: &request::Parts,
        messages: Vec<Bytes>,
    ) -> Result<Response<AnswerBody>, Error> {
        let mut answers = Vec::new();
        for message in messages {
            let response = self.answer_message(environment, rights, head.clone(), message).await?;
            // The headers are wrong for each of the messages.
            if response.status().is_client_error() && !response.headers().contains_key(CONTENT_TYPE) {
                return Ok(response);
            }
            let Ok(answer) = response.into_body().collect().await;
            answers.extend(Some(answer.to_bytes()).filter(|answer| !answer.is_empty()));
        }
        Ok(match answers.is_empty() {
            true => message::json(StatusCode::ACCEPTED, Bytes::new()),
            false => message::json(StatusCode::OK, [&b"["[..], &answers.join(&b","[..]), b"]"].concat()),
        })
    }

    /// Answers a request with a single message.
    async fn answer_message(
        &self,
        environment: &str,
        rights: Rights,
        mut head: request::Parts,
        body: Bytes,
    ) -> Result<Response<AnswerBody>, Error> {
        if let Some(call) = PlainCall::read(&head, &body)
            && let Some(response) = self.answer_call(environment, call).await
        {
            return Ok(response);
        }
        if head.method == Method::POST
            && let Err(error) = message::check(&body)
        {
            return Ok(message::refusal(&error));
        }
        if accepts_any(&head.headers) {
            head.headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
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
    }

    /// Answers a call that an agent answers, as `call_tool` would. Returns `None` for all others.
    async fn answer_call(&self, environment: &str, call: PlainCall<'_>) -> Option<Response<AnswerBody>> {
        let (tool, given) = (call.tool(), call.arguments());
        if [JOIN, LEAVE].contains(&tool) || wants_picture(tool, given) {
            return None;
        }
        let agent = self.agents.find(handle(given)?, environment).ok()?;
        let answer = result(call_agent(&agent, tool, given).await?);
        Some(message::json(StatusCode::OK, call.response(answer)))
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
        let (hub, agents, given_up) = (self.hub.clone(), self.agents.clone(), CancellationToken::new());
        Ok(EnvironmentTools { hub, agents, surroundings, rights, only: None, given_up })
    }
}

/// Returns whether a client accepts a kind of answer that the library can give. It gets JSON, whether it has asked for
/// JSON, for a stream of events, or for both, as the library demands.
fn accepts_any(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(ACCEPT).iter().filter_map(|kinds| kinds.to_str().ok()).peekable();
    kinds.peek().is_none()
        || kinds.any(|kinds| ["application/json", "text/event-stream", "*/*"].iter().any(|kind| kinds.contains(kind)))
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
