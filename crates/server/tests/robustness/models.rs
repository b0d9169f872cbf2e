//! Addresses and hosts of requests of language models.

use serde_json::json;

use crate::client::Resident;
use crate::server::{Running, settings, start};

/// Sends a list of tools to this path, with this host name. Returns the response.
async fn list_tools(server: &Running, path: &str, host: &str) -> String {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    server.http(&request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_can_end_in_a_slash_and_one_without_a_name_says_which_there_are() {
    let server = start(settings()).await;
    let _resident = Resident::new(&server).await;
    for path in ["/mcp/home", "/mcp/home/"] {
        let answer = list_tools(&server, path, "localhost").await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(r#""name":"join""#), "{path}: {answer}");
    }
    for path in ["/mcp", "/mcp/"] {
        let answer = list_tools(&server, path, "localhost").await;
        assert!(answer.starts_with("HTTP/1.1 404") && answer.contains("there are: /mcp/home\n"), "{path}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_host_is_answered_with_the_option_that_allows_it() {
    let server = start(settings()).await;
    for path in ["/mcp", "/mcp/home"] {
        let answer = list_tools(&server, path, "lab.example:7467").await;
        let option = "start the server with --origin https://lab.example:7467";
        assert!(answer.starts_with("HTTP/1.1 403") && answer.contains(option), "{path}: {answer}");
    }
}
