//! Messages to other platforms.

use std::time::Duration;

use situated_acl::Dialect;
use situated_hub::Outgoing;
use situated_platform::transport::{NUMBER, Packed, Platform, bundle, pack};
use situated_runtime::wall_clock;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::{ACCEPTED, BUNDLE, TAKES};
use crate::gateway::Gateway;
use crate::settings::{PeerPlatform, PlatformSettings, Proof, StartError, certificates};

/// Maximum time of each part of a request: connecting, sending its head and its body, receiving those of the response.
const PART: Duration = Duration::from_secs(20);

/// The shortest and the longest pause after a failed request.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));

/// Maximum number of bytes that are read of a response.
const RESPONSE_BYTES: u64 = 4 << 10;

/// The result of a request.
struct Tried {
    /// The number of messages that the platform has accepted.
    accepted: usize,
    /// The reason why it has not accepted the next one.
    problem: Option<Problem>,
    /// The number of messages that the platform takes in one request.
    takes: usize,
}

enum Problem {
    /// The platform never accepts this message.
    Refused(String),
    /// Another request may help.
    Failed(String),
}

/// Sends messages to a platform, in order, until the hub closes. It repeats failed requests with growing pauses; messages
/// that become too old meanwhile return to their senders. It blocks its thread.
pub(crate) fn forward(gateway: &Gateway, client: &ureq::Agent, platform: &Platform, peer: &PeerPlatform) {
    let post = gateway.hub.post();
    let mut pause = PAUSE.0;
    let mut takes = 1;
    loop {
        let waiting = post.outgoing(&peer.name, takes);
        if waiting.is_empty() {
            return;
        }
        let tried = try_once(gateway, client, platform, peer, &waiting);
        takes = tried.takes;
        if let Some(last) = waiting[..tried.accepted].last() {
            if pause > PAUSE.0 {
                tracing::info!(platform = peer.name, "the platform accepts messages again");
            }
            pause = PAUSE.0;
            post.accepted(&peer.name, last.number);
        }
        match tried.problem {
            None => {}
            Some(Problem::Refused(why)) => {
                tracing::warn!(platform = peer.name, why, "a platform does not accept a message");
                post.rejected(&peer.name, waiting[tried.accepted].number);
            }
            Some(Problem::Failed(why)) => {
                tracing::warn!(platform = peer.name, why, ?pause, "cannot send a message to a platform; trying again");
                post.pause(&peer.name, pause);
                pause = (pause * 2).min(PAUSE.1);
            }
        }
    }
}

/// Creates the client for other platforms.
///
/// # Errors
/// Returns an error if their certificates cannot be used.
pub(crate) fn client(settings: &PlatformSettings) -> Result<ureq::Agent, StartError> {
    let trusted = match &settings.peer_certificates {
        None => RootCerts::WebPki,
        Some(file) => {
            let certificates = certificates(file)?;
            certificates.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).into()
        }
    };
    let config = ureq::Agent::config_builder()
        // With a limit for the whole, a thread would be started for each request to look up the host.
        .timeout_connect(Some(PART))
        .timeout_send_request(Some(PART))
        .timeout_send_body(Some(PART))
        .timeout_recv_response(Some(PART))
        .timeout_recv_body(Some(PART))
        .http_status_as_error(false)
        // The server connects to the addresses of its settings and no others.
        .max_redirects(0)
        .proxy(None)
        .tls_config(TlsConfig::builder().root_certs(trusted).build())
        .user_agent(concat!("situated/", env!("CARGO_PKG_VERSION")));
    Ok(config.build().into())
}

/// Sends the first of these messages, as many as one request may contain.
fn try_once(
    gateway: &Gateway,
    client: &ureq::Agent,
    platform: &Platform,
    peer: &PeerPlatform,
    waiting: &[Outgoing],
) -> Tried {
    let nothing = |problem| Tried { accepted: 0, problem: Some(problem), takes: 1 };
    // After a crash, the server would not know that it has sent a message that is not written.
    if let Err(reason) = gateway.write() {
        return nothing(Problem::Failed(reason.to_string()));
    }
    let mut messages = Vec::with_capacity(waiting.len());
    let mut bytes = 0;
    for Outgoing { number, message } in waiting {
        match pack(platform, &peer.name, message, peer.form, wall_clock()) {
            Ok(packed) => {
                bytes += packed.body.len();
                if bytes > BUNDLE.1 && !messages.is_empty() {
                    break;
                }
                messages.push((*number, packed));
            }
            Err(error) if messages.is_empty() => return nothing(Problem::Refused(error.to_string())),
            // It is the first one of the next request.
            Err(_) => break,
        }
    }
    post(client, peer, &messages)
}

/// Makes a request.
fn post(client: &ureq::Agent, peer: &PeerPlatform, messages: &[(u64, Packed)]) -> Tried {
    let bundled;
    let (number, Packed { content_type, body }) = match messages {
        [(number, packed)] => (Some(number), packed),
        _ => {
            bundled = bundle(messages);
            (None, &bundled)
        }
    };
    let mut request =
        client.post(&peer.address).header("content-type", content_type).header("cache-control", "no-cache");
    request = request.header("mime-version", "1.0");
    if let Proof::Secret(secret) = &peer.proof {
        request = request.header("authorization", format!("Bearer {}", secret.as_str()));
    }
    if let Some(number) = number {
        request = request.header(NUMBER, number.to_string());
    }
    let is_jade = peer.form.dialect == Dialect::Jade;
    if is_jade {
        // Its response has no length.
        request = request.header("connection", "close");
    }
    let mut response = match request.send(body.as_slice()) {
        Ok(response) => response,
        Err(error) => return Tried { accepted: 0, problem: Some(Problem::Failed(error.to_string())), takes: 1 },
    };
    let status = response.status();
    let count = |name| response.headers().get(name)?.to_str().ok()?.parse().ok();
    let takes = count(TAKES).unwrap_or(1).clamp(1, BUNDLE.0);
    if takes == 1 && messages.len() > 1 {
        // Another server has taken its place, which does not know bundles.
        return Tried { accepted: 0, problem: None, takes };
    }
    let accepted = match status.is_success() {
        true => messages.len(),
        false => count(ACCEPTED).unwrap_or(0).min(messages.len() - 1),
    };
    if status.is_success() && is_jade {
        return Tried { accepted, problem: None, takes };
    }
    // The connection can be used again after its response was read.
    let text = response.body_mut().with_config().limit(RESPONSE_BYTES).read_to_vec().unwrap_or_default();
    let why = format!("{} answered {status}: {}", peer.address, String::from_utf8_lossy(&text).trim_end());
    let problem = match status.as_u16() {
        200..=299 => None,
        400..=499 if !matches!(status.as_u16(), 408 | 429) => Some(Problem::Refused(why)),
        _ => Some(Problem::Failed(why)),
    };
    Tried { accepted, problem, takes }
}
