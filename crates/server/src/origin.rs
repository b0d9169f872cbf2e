//! The headers that say who sends a request: the origin and host of browsers, and tokens. A page from another origin
//! must not act or read on behalf of the person who views it.

use std::net::IpAddr;

use axum::http::{HeaderMap, header};

use crate::settings::Settings;

/// Maximum number of characters of a header that an error repeats.
const SHOWN: usize = 100;

/// Checks that a page may open a connection. A client that sends no `Origin` header is not a browser.
pub(crate) fn check_origin(headers: &HeaderMap, settings: &Settings) -> Result<(), String> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().map_err(|_| "the origin of the page is not valid text\n")?;
    if settings.origins.iter().any(|allowed| allowed == origin) {
        return Ok(());
    }
    if authority(origin) != host(headers) {
        let origin = shortened(origin);
        return Err(format!("pages of other origins may not connect; start the server with --origin {origin}\n"));
    }
    check_host(headers, settings)
}

/// Checks that the request to a server on the loopback interface names this machine or an allowed origin. With any
/// other host name (DNS rebinding), the browser would treat a foreign page as the server's own.
pub(crate) fn check_host(headers: &HeaderMap, settings: &Settings) -> Result<(), String> {
    let host = host(headers);
    let is_allowed = |origin: &String| authority(origin) == host;
    if !settings.address.ip().is_loopback() || names_this_machine(host) || settings.origins.iter().any(is_allowed) {
        return Ok(());
    }
    let host = shortened(host);
    Err(format!(
        "the host name of this request is not a name of this machine; use localhost, or start the server with \
         --origin https://{host} (without TLS: --origin http://{host})\n"
    ))
}

fn shortened(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// Returns the token of a request, from `Authorization: Bearer TOKEN`.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

fn host(headers: &HeaderMap) -> &str {
    headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

/// The host and port of an origin.
fn authority(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, authority)| authority)
}

fn names_this_machine(host: &str) -> bool {
    let name = host
        .rsplit_once(':')
        .map_or(host, |(name, port)| if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host });
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn allowed(origin: Option<&'static str>, host: &'static str, settings: &Settings) -> bool {
        let mut headers = HeaderMap::new();
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
        }
        headers.insert(header::HOST, HeaderValue::from_static(host));
        check_origin(&headers, settings).is_ok()
    }

    #[test]
    fn accepts_only_its_own_page_and_allowed_origins() {
        let settings = Settings { origins: vec!["https://example.org".into()], ..Settings::default() };
        for (origin, host, expected) in [
            (None, "127.0.0.1:7467", true),
            (Some("http://127.0.0.1:7467"), "127.0.0.1:7467", true),
            (Some("http://localhost:7467"), "localhost:7467", true),
            (Some("http://[::1]:7467"), "[::1]:7467", true),
            (Some("https://example.org"), "127.0.0.1:7467", true),
            (Some("http://127.0.0.1:8000"), "127.0.0.1:7467", false),
            (Some("null"), "127.0.0.1:7467", false),
            (Some("https://example.com"), "127.0.0.1:7467", false),
            (Some("http://evil.example:7467"), "evil.example:7467", false),
        ] {
            assert_eq!(allowed(origin, host, &settings), expected, "{origin:?} at {host}");
        }
        let settings = Settings::default();
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("lab.example:7467"));
        let refused = check_host(&headers, &settings).expect_err("it is the name of another machine");
        let (_, option) = refused.split_once("--origin ").expect("it names the option");
        let origins = vec![option.split(' ').next().expect("an origin").to_owned()];
        assert_eq!(check_host(&headers, &Settings { origins, ..settings }), Ok(()), "{refused}");
        let open = Settings { address: ([0, 0, 0, 0], 7467).into(), ..Settings::default() };
        assert!(allowed(Some("http://lab.example:7467"), "lab.example:7467", &open));
    }
}
