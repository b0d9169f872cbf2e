//! Messages to other platforms.

use std::sync::Arc;
use std::time::Duration;

use situated_acl::Dialect;
use situated_hub::Outgoing;
use situated_runtime::wall_clock;
use situated_store::Bell;
use situated_transport::{Packed, Platform, pack};
use tokio::time::sleep;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::{NUMBER, PeerPlatform, PlatformSettings};
use crate::gateway::Gateway;
use crate::start_error::StartError;
use crate::tls::certificates;

/// Maximum time of a request.
const REQUEST: Duration = Duration::from_secs(20);

/// The shortest and the longest pause after a failed request.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));

/// Maximum number of bytes that are read of a response.
const RESPONSE_BYTES: u64 = 4 << 10;

/// The result of a request.
enum Tried {
    Accepted,
    /// The platform never accepts this message.
    Refused(String),
    /// Another request may help.
    Failed(String),
}

/// A bell that nobody hears: the sender looks again by itself.
struct Silent;

impl Bell for Silent {
    fn ring(&self) {}
}

/// Sends messages to a platform, in order, until the gateway closes. It repeats failed requests with growing pauses; messages
/// that become too old meanwhile return to their senders. It blocks its thread during each request.
pub(crate) async fn forward(gateway: Arc<Gateway>, client: ureq::Agent, platform: Platform, peer: PeerPlatform) {
    let mut pause = PAUSE.0;
    while !gateway.is_closing() {
        let Some(outgoing) = gateway.hub.outgoing(&peer.name) else {
            tokio::select! {
                () = gateway.hub.outgoing_rings(&peer.name) => continue,
                () = gateway.closed() => return,
            }
        };
        let number = outgoing.number;
        match try_once(&gateway, &client, &platform, &peer, outgoing).await {
            Tried::Accepted => {
                if pause > PAUSE.0 {
                    tracing::info!(platform = peer.name, "the platform accepts messages again");
                }
                pause = PAUSE.0;
                gateway.hub.sent(&peer.name, number, true);
            }
            Tried::Refused(why) => {
                tracing::warn!(platform = peer.name, why, "a platform does not accept a message");
                gateway.hub.sent(&peer.name, number, false);
            }
            Tried::Failed(why) => {
                tracing::warn!(platform = peer.name, why, ?pause, "cannot send a message to a platform; trying again");
                tokio::select! {
                    () = sleep(pause) => {}
                    () = gateway.closed() => return,
                }
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
        .timeout_global(Some(REQUEST))
        .http_status_as_error(false)
        // The server connects to the addresses of its settings and no others.
        .max_redirects(0)
        .proxy(None)
        .tls_config(TlsConfig::builder().root_certs(trusted).build())
        .user_agent(concat!("situated/", env!("CARGO_PKG_VERSION")));
    Ok(config.build().into())
}

async fn try_once(
    gateway: &Gateway,
    client: &ureq::Agent,
    platform: &Platform,
    peer: &PeerPlatform,
    Outgoing { number, message }: Outgoing,
) -> Tried {
    // After a crash, the server would not know that it has sent a message that is not written.
    if let Err(reason) = gateway.written(&Arc::new(Silent)).await {
        return Tried::Failed(reason.to_string());
    }
    let packed = match pack(platform, &peer.name, &message, peer.form, wall_clock()) {
        Ok(packed) => packed,
        Err(error) => return Tried::Refused(error.to_string()),
    };
    post(client, peer, number, &packed)
}

/// Makes a request.
fn post(client: &ureq::Agent, peer: &PeerPlatform, number: u64, Packed { content_type, body }: &Packed) -> Tried {
    let mut request =
        client.post(&peer.address).header("content-type", content_type).header("cache-control", "no-cache");
    request = request.header("mime-version", "1.0").header(NUMBER, number.to_string());
    let is_jade = peer.form.dialect == Dialect::Jade;
    if is_jade {
        // Its response has no length.
        request = request.header("connection", "close");
    }
    let mut response = match request.send(body.as_slice()) {
        Ok(response) => response,
        Err(error) => return Tried::Failed(error.to_string()),
    };
    let status = response.status();
    if status.is_success() && is_jade {
        return Tried::Accepted;
    }
    // The connection can be used again after its response was read.
    let text = response.body_mut().with_config().limit(RESPONSE_BYTES).read_to_vec().unwrap_or_default();
    let why = || format!("{} answered {status}: {}", peer.address, String::from_utf8_lossy(&text).trim_end());
    match status.as_u16() {
        200..=299 => Tried::Accepted,
        408 | 429 => Tried::Failed(why()),
        400..=499 => Tried::Refused(why()),
        _ => Tried::Failed(why()),
    }
}
