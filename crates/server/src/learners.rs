//! Learners, which speak the protocol of OpenEnv: a WebSocket for episodes, and descriptions over HTTP.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Extension, Router};
use serde_json::{Value, json};
use situated_hub::{Error, Right, Rights};
use situated_openenv::{Learner, NotOffered, Reply};
use tokio::time::timeout;

use crate::gateway::{Gateway, Received, Transport};
use crate::origin::{self, bearer_token};
use crate::peer::Peer;
use crate::upgrade::upgrade;

/// The longest time to wait until the other side has closed the connection.
const PARTING: Duration = Duration::from_secs(1);

/// The reason why requests without a connection make no steps.
const NO_SESSION: &str = "an episode lasts as long as a WebSocket, and a request of HTTP has none: connect to /openenv/ENVIRONMENT/ws instead";

/// The place for language models.
const NO_TOOLS: &str = "language models use the tools at /mcp/ENVIRONMENT of this server; resetting and making steps are \
                        for learners, and are no tools";

/// Returns the routes below `/openenv/{environment}`. On a server with tokens, each of them except `health` needs one with
/// the right to manage, as `Authorization: Bearer`.
pub(crate) fn router() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/ws", get(open))
        .route("/schema", get(schema))
        .route("/metadata", get(metadata))
        .route("/health", get(health))
        .route("/reset", post(async || refuse(StatusCode::NOT_IMPLEMENTED, NO_SESSION)))
        .route("/step", post(async || refuse(StatusCode::NOT_IMPLEMENTED, NO_SESSION)))
        .route("/state", get(async || refuse(StatusCode::NOT_IMPLEMENTED, NO_SESSION)))
        .route("/mcp", any(async || refuse(StatusCode::NOT_IMPLEMENTED, NO_TOOLS)))
}

/// Makes a WebSocket of the connection, which is one session.
async fn open(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Arc<Peer>>,
    Path(environment): Path<String>,
    request: Request,
) -> Response {
    let rights = match admit(&gateway, &peer, request.headers()).await {
        Ok(rights) => rights,
        Err(refusal) => return refusal,
    };
    let learner = match gateway.learners.learner(&environment, rights).await {
        Ok(learner) => learner,
        Err(error) => return not_offered(&error),
    };
    let longest = gateway.settings.limits.frame_bytes;
    upgrade(request, longest, peer.clone(), |messages| async move {
        gateway.metrics.connections.inc();
        gateway.metrics.connections_begun.inc();
        // A learner may think for long before its first reset.
        peer.place.greet();
        serve(&gateway, messages, &peer, learner).await;
        gateway.metrics.connections.dec();
    })
}

/// Answers messages until a side closes the connection.
async fn serve(gateway: &Gateway, mut messages: impl Transport, peer: &Peer, mut learner: Learner) {
    let mut closed = pin!(gateway.closed());
    loop {
        let answered = async {
            let message = match messages.receive().await {
                Ok(Received::Frame(message)) => message,
                Ok(Received::Refused(reason)) => {
                    let data = json!({ "message": reason.message, "code": "SESSION_ERROR" });
                    return (Some(json!({ "type": "error", "data": data }).to_string()), false);
                }
                Ok(Received::Gone) | Err(_) => return (None, false),
            };
            gateway.metrics.received_bytes.inc_by(message.len() as u64);
            match learner.answer(message).await {
                Reply::Send(answer) => (Some(answer), true),
                Reply::Close => (None, false),
            }
        };
        let (answer, goes_on) = tokio::select! {
            answered = answered => answered,
            () = &mut closed => break,
            _ = peer.place.dismissed() => break,
        };
        if let Some(mut answer) = answer {
            answer.push('\n');
            let sent = tokio::select! {
                sent = messages.send(answer.as_bytes()) => sent,
                // A part of the answer may have been sent, so no other can follow.
                _ = peer.place.dismissed() => return,
            };
            if sent.is_err() {
                return;
            }
            gateway.metrics.sent_bytes.inc_by(answer.len() as u64);
        }
        if !goes_on {
            break;
        }
    }
    // The client that begins again at once needs the room of this world.
    drop(learner);
    let _ = timeout(PARTING, messages.part()).await;
}

async fn schema(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Arc<Peer>>,
    Path(environment): Path<String>,
    headers: HeaderMap,
) -> Response {
    match admit(&gateway, &peer, &headers).await {
        Ok(rights) => described(gateway.learners.schema(&environment, rights).await),
        Err(refusal) => refusal,
    }
}

async fn metadata(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Arc<Peer>>,
    Path(environment): Path<String>,
    headers: HeaderMap,
) -> Response {
    match admit(&gateway, &peer, &headers).await {
        Ok(rights) => described(gateway.learners.metadata(&environment, rights).await),
        Err(refusal) => refusal,
    }
}

async fn health(State(gateway): State<Arc<Gateway>>) -> Response {
    if gateway.is_closing() {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "shutting down");
    }
    answer(StatusCode::OK, &json!({ "status": "healthy" }))
}

/// Returns the rights of a client that may create worlds, or the response to another one.
async fn admit(gateway: &Gateway, peer: &Peer, headers: &HeaderMap) -> Result<Rights, Response> {
    let (settings, address) = (&gateway.settings, peer.place.peer());
    if let Err(why) = origin::check_origin(headers, settings).and_then(|()| origin::check_host(headers, settings)) {
        tracing::warn!(peer = %address, why = why.as_str(), "rejected a request of a learner");
        return Err(refuse(StatusCode::FORBIDDEN, why.trim_end()));
    }
    let granted = gateway.grant(Right::Manage, bearer_token(headers), address).await;
    granted.map(|granted| granted.rights).map_err(|error| refuse(StatusCode::UNAUTHORIZED, &error.to_string()))
}

fn described(description: Result<Value, NotOffered>) -> Response {
    match description {
        Ok(description) => answer(StatusCode::OK, &description),
        Err(error) => not_offered(&error),
    }
}

fn not_offered(error: &NotOffered) -> Response {
    let status = match error {
        NotOffered::Refused(Error::NoSuchEnvironment { .. }) => StatusCode::NOT_FOUND,
        NotOffered::Hosted { .. } => StatusCode::NOT_IMPLEMENTED,
        NotOffered::Refused(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    refuse(status, &error.to_string())
}

fn refuse(status: StatusCode, reason: &str) -> Response {
    answer(status, &json!({ "detail": reason }))
}

fn answer(status: StatusCode, content: &Value) -> Response {
    let kind = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, kind)], Body::from(content.to_string())).into_response()
}
