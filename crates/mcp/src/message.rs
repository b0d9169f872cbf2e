//! The messages in the body of a request over HTTP. The library reads no batches, and answers what is no message with a
//! text that is not of the protocol.

use std::convert::Infallible;
use std::fmt;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcError, ProtocolVersion, RequestId};
use serde::Deserialize;
use serde_json::Value;
use situated::reading;

use crate::plain_call::VERSION;

/// Maximum number of messages in a batch.
const BATCH: usize = 100;

/// The body of an answer over HTTP.
pub type AnswerBody = UnsyncBoxBody<Bytes, Infallible>;

/// Checks that a body is one message.
///
/// # Errors
/// Returns an error for the client.
pub(crate) fn check(body: &[u8]) -> Result<(), JsonRpcError> {
    let text = text(body)?;
    let Err(error) = reading::json::<ClientJsonRpcMessage>(text) else { return Ok(()) };
    let value: Value = reading::json(text).map_err(|error| no_json(&error))?;
    let id = value.get("id").and_then(|id| RequestId::deserialize(id).ok());
    Err(invalid(id, format!("this is no message of the Model Context Protocol: {error}")))
}

/// Returns the messages of a batch; `None` for a body of another kind.
///
/// # Errors
/// Returns an error for the client.
pub(crate) fn batch(headers: &HeaderMap, body: &[u8]) -> Option<Result<Vec<Bytes>, JsonRpcError>> {
    body.trim_ascii_start().starts_with(b"[").then(|| {
        let messages: Vec<Value> = reading::json(text(body)?).map_err(|error| no_json(&error))?;
        // Clients of the only version with batches do not send the header.
        let version = headers.get(VERSION);
        if version.is_some_and(|version| version != ProtocolVersion::V_2025_03_26.as_str()) {
            return Err(invalid(
                None,
                "this version of the protocol has no batches; send one message a request".into(),
            ));
        }
        if messages.is_empty() || messages.len() > BATCH {
            return Err(invalid(None, format!("a batch has 1 to {BATCH} messages, this one has {}", messages.len())));
        }
        Ok(messages.into_iter().map(|message| message.to_string().into()).collect())
    })
}

/// Returns a response with a body in JSON.
pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response<AnswerBody> {
    let mut response = Response::new(Full::new(body.into()).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns the response to a body that is wrong.
pub(crate) fn refusal(error: &JsonRpcError) -> Response<AnswerBody> {
    json(StatusCode::BAD_REQUEST, serde_json::to_vec(error).expect("an error has no map with other keys than text"))
}

fn text(body: &[u8]) -> Result<&str, JsonRpcError> {
    str::from_utf8(body).map_err(|_| no_json(&"it is not UTF-8 text"))
}

fn no_json(error: &dyn fmt::Display) -> JsonRpcError {
    JsonRpcError::new(None, ErrorData::parse_error(format!("the body of the request is no JSON: {error}"), None))
}

fn invalid(id: Option<RequestId>, why: String) -> JsonRpcError {
    JsonRpcError::new(id, ErrorData::invalid_request(why, None))
}
