//! The HTTP service: the page, the WebSocket, language models, learners, metrics, and the health of the server.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{self, HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Extension, Router};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use situated_hub::Right;
use tokio_tungstenite::tungstenite::handshake::server::create_response;

use crate::gateway::{Gateway, Messages, serve};
use crate::learners;
use crate::models;
use crate::origin;
use crate::page;
use crate::peer::Peer;
use crate::platform::{self, PLATFORM_PATH};

/// Returns the HTTP routes.
pub(crate) fn router(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/{file}", get(page::named))
        .route("/ws", get(open))
        .route("/mcp/{environment}", any(models::answer))
        .nest("/openenv/{environment}", learners::router())
        .route(PLATFORM_PATH, post(platform::answer))
        .route("/metrics", get(metrics))
        .route("/healthz", get(health))
        .with_state(gateway)
}

/// Makes a WebSocket of the connection.
async fn open(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Arc<Peer>>,
    request: Request,
) -> Response {
    if let Err(why) = origin::check_origin(request.headers(), &gateway.settings) {
        tracing::warn!(peer = %peer.place.peer(), why, "rejected a page");
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    upgrade(request, gateway.settings.limits.frame_bytes, peer.clone(), |messages| serve(gateway, messages, peer))
}

/// Makes a WebSocket of the connection, for messages of at most `longest` bytes, and serves it in a task of its own.
pub(crate) fn upgrade<F: Future<Output = ()> + Send + 'static>(
    mut request: Request,
    longest: usize,
    peer: Arc<Peer>,
    serve: impl FnOnce(Messages<TokioIo<Upgraded>>) -> F + Send + 'static,
) -> Response {
    let upgrade = hyper::upgrade::on(&mut request);
    let response = match create_response(&http::Request::from_parts(request.into_parts().0, ())) {
        Ok(response) => response,
        Err(error) => {
            return (StatusCode::BAD_REQUEST, format!("this address is for WebSockets: {error}\n")).into_response();
        }
    };
    tokio::spawn(async move {
        if let Ok(stream) = upgrade.await {
            serve(Messages::new(TokioIo::new(stream), peer, longest).await).await;
        }
    });
    response.map(|()| Body::empty())
}

/// Returns the token of a request, from `Authorization: Bearer TOKEN`.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// Returns the metrics. On a server with tokens, the request needs one with the right to observe, as
/// `Authorization: Bearer`.
async fn metrics(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Arc<Peer>>,
    headers: HeaderMap,
) -> Response {
    // A page that reads from its own origin sends no `Origin` header, so only the host name shows to whom the page
    // belongs.
    if let Err(why) = origin::check_host(&headers, &gateway.settings) {
        tracing::warn!(peer = %peer.place.peer(), why, "rejected a request for metrics");
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    if let Err(error) = gateway.grant(Right::Observe, bearer_token(&headers), peer.place.peer()).await {
        return (StatusCode::UNAUTHORIZED, format!("{error}\n")).into_response();
    }
    let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], gateway.metrics.text(&gateway.hub)).into_response()
}

async fn health(State(gateway): State<Arc<Gateway>>) -> Response {
    if gateway.is_closing() {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n").into_response();
    }
    "ok\n".into_response()
}
