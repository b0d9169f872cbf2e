//! Language models, which speak the Model Context Protocol over HTTP.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use situated_hub::{Error, Right, Rights};
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
    let address = peer.place.peer();
    let rights = match admit(&gateway, request.headers(), address).await {
        Ok(rights) => rights,
        Err(refused) => return refused,
    };
    // The library of the protocol writes log lines, which would not name the address.
    let span = tracing::error_span!("model", peer = %address);
    let answered = gateway.models.answer(&environment, rights, request).instrument(span).await;
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

/// Answers a request to `/mcp` with the addresses of the environments.
pub(crate) async fn name_environment(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Arc<Peer>>,
    headers: HeaderMap,
) -> Response {
    if let Err(refused) = admit(&gateway, &headers, peer.place.peer()).await {
        return refused;
    }
    let all: Vec<String> =
        gateway.hub.statuses().into_iter().map(|status| format!("/mcp/{}", status.environment)).collect();
    let all = if all.is_empty() { "none at the moment".into() } else { all.join(", ") };
    let text = format!("each environment has an address of its own: /mcp/ENVIRONMENT; there are: {all}\n");
    (StatusCode::NOT_FOUND, text).into_response()
}

/// Checks where a request comes from, and returns the rights of its token.
async fn admit(gateway: &Gateway, headers: &HeaderMap, address: IpAddr) -> Result<Rights, Response> {
    let settings = &gateway.settings;
    if let Err(why) = origin::check_origin(headers, settings).and_then(|()| origin::check_host(headers, settings)) {
        tracing::warn!(peer = %address, why = why.as_str(), "rejected a request of a model");
        return Err((StatusCode::FORBIDDEN, why).into_response());
    }
    let granted = gateway.grant(Right::Act, bearer_token(headers), address).await;
    let refused = |error| (StatusCode::UNAUTHORIZED, format!("{error}\n")).into_response();
    granted.map(|granted| granted.rights).map_err(refused)
}
