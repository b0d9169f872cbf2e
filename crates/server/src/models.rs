//! Language models, which speak the Model Context Protocol over HTTP.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use situated_hub::{Error, Right};
use tracing::Instrument;

use crate::gateway::Gateway;
use crate::origin::{self, bearer_token};
use crate::peer::Peer;

/// Answers a request to `/mcp/{environment}`. On a server with tokens, it needs one with the right to act, as
/// `Authorization: Bearer`.
pub(crate) async fn answer(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Arc<Peer>>,
    Path(environment): Path<String>,
    request: Request,
) -> Response {
    let (headers, settings, address) = (request.headers(), &gateway.settings, peer.place.peer());
    if let Err(why) = origin::check_origin(headers, settings).and_then(|()| origin::check_host(headers, settings)) {
        tracing::warn!(peer = %address, why, "rejected a request of a model");
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    let granted = match gateway.grant(Right::Act, bearer_token(headers), address).await {
        Ok(granted) => granted,
        Err(error) => return (StatusCode::UNAUTHORIZED, format!("{error}\n")).into_response(),
    };
    // The library of the protocol writes log lines, which would not name the address.
    let span = tracing::error_span!("model", peer = %address);
    let answered = gateway.models.answer(&environment, granted.rights, request).instrument(span).await;
    // A crash of the server must not lose changes that the answer reports.
    if let Err(reason) = gateway.written(&peer).await {
        return (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}; the call was executed but not stored\n"))
            .into_response();
    }
    match answered {
        Ok(response) => response.map(Body::new),
        Err(error @ Error::NoSuchEnvironment { .. }) => (StatusCode::NOT_FOUND, format!("{error}\n")).into_response(),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")).into_response(),
    }
}
