//! Serves the page that shows any environment.

use std::io::Read;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;

/// The page loads files from its own origin only, connects to its own origin only, and runs no inline scripts. Its
/// WebSocket has the host and port of the page, which counts as `'self'`: in Safari from version 16, in other browsers
/// since 2018.
const POLICY: &str = "default-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; \
                      base-uri 'none'; form-action 'none'";

/// A file of the page by its name.
pub(crate) async fn named(Path(name): Path<String>, request: HeaderMap) -> Response {
    file(&name, &request)
}

/// The page itself.
pub(crate) async fn index(request: HeaderMap) -> Response {
    file("index.html", &request)
}

/// A file of the page, as gzip for a client that accepts it.
fn file(name: &str, request: &HeaderMap) -> Response {
    let Some(content) = situated_page::file(name) else {
        return (StatusCode::NOT_FOUND, "there is no such file\n").into_response();
    };
    let kind = match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "application/octet-stream",
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
    ];
    if accepts_gzip(request) {
        return (headers, [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))], content).into_response();
    }
    let mut plain = Vec::new();
    match GzDecoder::new(content).read_to_end(&mut plain) {
        Ok(_) => (headers, plain).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{name}: {error}\n")).into_response(),
    }
}

/// Whether a response may be gzip (RFC 9110, section 12.5.3).
fn accepts_gzip(request: &HeaderMap) -> bool {
    let accepted = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_some_and(|weight| weight > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use axum::body::to_bytes;

    use super::*;

    /// The content of a file for a client that accepts these encodings, and whether it is gzip.
    async fn get(name: &str, accepted: Option<&'static str>) -> (Vec<u8>, bool) {
        let accepted = accepted.map(|coding| (header::ACCEPT_ENCODING, HeaderValue::from_static(coding)));
        let response = named(Path(name.into()), accepted.into_iter().collect()).await;
        assert_eq!(response.status(), StatusCode::OK, "{name}");
        let is_gzip = response.headers().get(header::CONTENT_ENCODING).is_some_and(|coding| coding == "gzip");
        (to_bytes(response.into_body(), usize::MAX).await.expect("a body").into(), is_gzip)
    }

    #[tokio::test]
    async fn compresses_files_for_clients_that_accept_it() {
        for name in ["index.html", "design.css", "icon.svg", "main.js"] {
            let (file, _) = get(name, None).await;
            // The script consists of all modules.
            if name != "main.js" {
                let path = format!("{}/../../web/{name}", env!("CARGO_MANIFEST_DIR"));
                assert_eq!(file, fs::read(path).expect("a file of the page"), "{name}");
            }
            for accepted in ["gzip", "br, deflate, GZIP;q=0.5"] {
                let (content, is_gzip) = get(name, Some(accepted)).await;
                let mut plain = Vec::new();
                GzDecoder::new(&*content).read_to_end(&mut plain).expect("gzip");
                assert!(is_gzip && plain == file, "{name}, {accepted}");
            }
            for accepted in [None, Some("br"), Some("gzip;q=0"), Some("gzip;q=0.000, identity")] {
                assert_eq!(get(name, accepted).await, (file.clone(), false), "{name}, {accepted:?}");
            }
        }
    }
}
