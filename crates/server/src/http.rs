//! The HTTP service: the page, the WebSocket, metrics, and the health of the server.

use std::sync::Arc;

use axum::extract::{State, WebSocketUpgrade};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};

use situated_hub::Right;

use crate::gateway::{Gateway, Messages, OUTBOX_BYTES, serve};
use crate::origin;
use crate::page;
use crate::peer::Peer;

/// Size of a read from a WebSocket. The library zeroes this many bytes before each read, and keeps them for each
/// connection, so its default of 128 KiB would be too much.
const READ_BUFFER: usize = 4 << 10;

/// Maximum number of bytes that wait in a WebSocket: the contents of an outbox, and a pong.
const WRITE_BUFFER: usize = OUTBOX_BYTES + (1 << 10);

/// Returns the HTTP routes.
pub(crate) fn router(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/", get(|| page::file("index.html")))
        .route("/{file}", get(page::named))
        .route("/ws", get(open))
        .route("/metrics", get(metrics))
        .route("/healthz", get(health))
        .with_state(gateway)
}

async fn open(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Arc<Peer>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if let Err(why) = origin::check_origin(&headers, &gateway.settings) {
        tracing::warn!(peer = %peer.place.peer(), why, "rejected a page");
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    let longest = gateway.settings.limits.frame_bytes;
    upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(READ_BUFFER)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(longest)
        .max_frame_size(longest)
        .on_upgrade(move |socket| serve(gateway, Messages::new(socket, peer.clone()), peer))
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
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    if let Err(error) = gateway.grant(Right::Observe, bearer, peer.place.peer()).await {
        return (StatusCode::UNAUTHORIZED, format!("{error}\n")).into_response();
    }
    let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], gateway.metrics.text(&gateway.hub, &gateway.admission)).into_response()
}

async fn health(State(gateway): State<Arc<Gateway>>) -> Response {
    if gateway.is_closing() {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n").into_response();
    }
    "ok\n".into_response()
}
