//! Making WebSockets of HTTP connections.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{self, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::tungstenite::handshake::server::create_response;

use crate::gateway::Messages;
use crate::peer::Peer;

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
