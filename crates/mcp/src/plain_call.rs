//! Calls of tools that need nothing of the protocol but their answer, which most requests of models are. They are
//! answered where they are read. The library would start several tasks for each, which other threads take over.

use std::borrow::Cow;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, Method, request};
use rmcp::model::{
    CallToolResult, JsonObject, JsonRpcResponse, JsonRpcVersion2_0, ProtocolVersion, RequestId, RequestMetaObject,
};
use serde::Deserialize;

/// The headers of the protocol in a call, with the version, the method and the name of the tool.
pub(crate) const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// The value of the header `accept` in a request of an official client.
pub(crate) const ACCEPTED: &str = "application/json, text/event-stream";

/// The method that calls a tool.
const CALL: &str = "tools/call";

/// A call of a tool over HTTP. It has no more than these parts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlainCall<'a> {
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Parameters<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    arguments: JsonObject,
    #[serde(default, rename = "_meta")]
    meta: RequestMetaObject,
}

impl<'a> PlainCall<'a> {
    /// Reads a request. Returns `None` if it is no call, has anything unusual, or may be wrong: the library answers it.
    pub(crate) fn read(head: &request::Parts, body: &'a [u8]) -> Option<Self> {
        let headers = &head.headers;
        let usual = head.method == Method::POST
            && only(headers, CONTENT_TYPE.as_str())? == "application/json"
            && only(headers, ACCEPT.as_str())? == ACCEPTED
            && !headers.keys().any(|name| name.as_str().starts_with("mcp-param-"));
        let call: Self = serde_json::from_slice(body).ok().filter(|call: &Self| usual && call.method == CALL)?;
        let version = only(headers, VERSION)?;
        let Parameters { name, meta, .. } = &call.params;
        // From this version on, headers and body state the same twice, and must agree.
        let agrees = if version == ProtocolVersion::V_2026_07_28.as_str() {
            only(headers, METHOD)? == CALL
                && only(headers, NAME)? == *name
                && meta.protocol_version()? == ProtocolVersion::V_2026_07_28
                && meta.client_capabilities().is_some()
        } else {
            let is_known = ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == version);
            is_known && meta.protocol_version().is_none()
        };
        agrees.then_some(call)
    }

    /// The name of the tool.
    pub(crate) fn tool(&self) -> &str {
        &self.params.name
    }

    /// What the tool is called with.
    pub(crate) fn arguments(&self) -> &JsonObject {
        &self.params.arguments
    }

    /// Returns the body of the response.
    pub(crate) fn response(self, mut result: CallToolResult) -> Vec<u8> {
        // Only the version that is stateless has this field.
        if self.params.meta.protocol_version().is_none() {
            result.result_type = None;
        }
        let response = JsonRpcResponse { jsonrpc: self.jsonrpc, id: self.id, result };
        serde_json::to_vec(&response).expect("a response has no map with other keys than text")
    }
}

/// Returns the value of a header that stands in a request once.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use http::Request;
    use serde_json::json;

    use super::*;

    /// What the official clients send, with the newest version that begins with `initialize`.
    fn head() -> request::Parts {
        let request = Request::post("/")
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .header(VERSION, "2025-11-25");
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn usual_calls_are_plain() {
        let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up","arguments":{"n":2}}}"#;
        let call = PlainCall::read(&head(), body).expect("it is a call");
        assert_eq!((call.tool(), &call.arguments()["n"]), ("up", &json!(2)));
    }

    #[test]
    fn other_requests_are_not() {
        let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"up"}}"#;
        assert!(PlainCall::read(&head(), body).is_none());
    }
}
