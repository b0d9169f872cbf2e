//! The HTTP service: the page, the WebSocket, language models, learners, metrics, and the health of the server.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Extension, Router};
use situated_hub::Right;

use crate::gateway::{Gateway, serve};
use crate::learners;
use crate::models;
use crate::origin::{self, bearer_token};
use crate::page;
use crate::peer::Peer;
use crate::platform;
use crate::settings::PLATFORM_PATH;
use crate::upgrade::upgrade;

/// Returns the HTTP routes.
pub(crate) fn router(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/{file}", get(page::named))
        .route("/ws", get(open))
        .route("/mcp/{environment}", any(models::answer))
        .route("/mcp/{environment}/", any(models::answer))
        .route("/mcp", any(models::name_environment))
        .route("/mcp/", any(models::name_environment))
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
        tracing::warn!(peer = %peer.place.peer(), why = why.as_str(), "rejected a page");
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    upgrade(request, gateway.settings.limits.frame_bytes, peer.clone(), |messages| serve(gateway, messages, peer))
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
        tracing::warn!(peer = %peer.place.peer(), why = why.as_str(), "rejected a request for metrics");
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
