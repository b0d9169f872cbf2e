//! Messages from other platforms.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Extension;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use situated_hub::{Error, MailRefused};
use situated_platform::names::platform_of;
use situated_platform::transport::{Bundled, NUMBER, Unreadable, unbundle, unpack};
use tokio::net::lookup_host;
use tokio::time::timeout;

use super::{ACCEPTED, BUNDLE, TAKES};
use crate::gateway::Gateway;
use crate::origin::bearer_token;
use crate::peer::Peer;
use crate::settings::{PeerPlatform, PlatformSettings, Proof};

/// Maximum size of a body. The envelope repeats the receivers, and messages as XML are longer than their content.
const BODY_BYTES: usize = 2 << 20;

/// The reason why a message is not accepted.
type HttpError = (StatusCode, String);

/// Accepts messages from another platform. The response means that they are in the mailboxes of their receivers.
pub(crate) async fn answer(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Arc<Peer>>,
    request: Request,
) -> Response {
    let mut accepted = 0;
    let response = match accept(&gateway, &peer, request, &mut accepted).await {
        // JADE compares the word with its letters.
        Ok(()) => ([(header::CONNECTION, "Keep-Alive")], ()).into_response(),
        Err((status, why)) => {
            tracing::warn!(peer = %peer.place.peer(), %status, why, "did not accept a message of a platform");
            let headers = [
                (header::CONNECTION, HeaderValue::from_static("close")),
                (HeaderName::from_static(ACCEPTED), HeaderValue::from(accepted)),
            ];
            (status, headers, format!("{why}\n")).into_response()
        }
    };
    ([(TAKES, HeaderValue::from(BUNDLE.0))], response).into_response()
}

/// Accepts the messages of a request in order, up to the first that it refuses, and counts them.
async fn accept(gateway: &Gateway, peer: &Arc<Peer>, request: Request, accepted: &mut usize) -> Result<(), HttpError> {
    let Some(settings) = &gateway.settings.platform else {
        return Err((StatusCode::NOT_FOUND, "this server exchanges no messages with other platforms".into()));
    };
    let (head, body) = request.into_parts();
    if head.headers.contains_key(header::ORIGIN) {
        return Err((StatusCode::FORBIDDEN, "a page may not send messages of a platform".into()));
    }
    // Before the body is read: it can be large.
    let senders = senders(gateway, settings, &head.headers, peer.place.peer()).await?;
    let body = match timeout(gateway.settings.finishing, to_bytes(body, BODY_BYTES)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return Err((StatusCode::PAYLOAD_TOO_LARGE, format!("a body has at most {BODY_BYTES} bytes")));
        }
        Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the body took too long".into())),
    };
    let text = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    let content_type = text(header::CONTENT_TYPE.as_str()).unwrap_or_default();
    let number = text(NUMBER).and_then(|number| number.parse().ok());
    let one = Bundled { number, content_type, body: &body };
    let bundled = unbundle(content_type, &body, BUNDLE.0).map_err(|why| (StatusCode::BAD_REQUEST, why.to_string()))?;
    let mut refused = Ok(());
    for message in bundled.unwrap_or_else(|| vec![one]) {
        refused = accept_one(gateway, settings, &senders, message);
        if refused.is_err() {
            break;
        }
        *accepted += 1;
    }
    if *accepted > 0
        && let Err(reason) = gateway.written(peer).await
    {
        *accepted = 0;
        return Err((StatusCode::SERVICE_UNAVAILABLE, reason.to_string()));
    }
    refused
}

/// The platforms from which a request comes: the one whose secret it has, or without a secret those that are known by the
/// address of the connection.
async fn senders<'s>(
    gateway: &Gateway,
    settings: &'s PlatformSettings,
    headers: &HeaderMap,
    address: IpAddr,
) -> Result<Vec<&'s PeerPlatform>, HttpError> {
    let mut senders = Vec::new();
    let secret = bearer_token(headers);
    for platform in &settings.peers {
        let is_from = match (&platform.proof, secret) {
            (Proof::Secret(known), Some(secret)) => known.is(secret),
            (Proof::Address, None) => is_at(address, platform).await,
            _ => false,
        };
        senders.extend(is_from.then_some(platform));
    }
    if !senders.is_empty() {
        return Ok(senders);
    }
    let why = match secret {
        Some(_) => {
            gateway.delay_wrong("secret of a platform", address).await;
            "no platform has this secret; both servers need the same one, in their files of --peer-secrets"
        }
        None => {
            "a platform shows by a secret that it is one; give both servers the same one with --peer-secrets, or, for a \
             platform that cannot send it, --peer-by-address"
        }
    };
    Err((StatusCode::UNAUTHORIZED, why.into()))
}

fn accept_one(
    gateway: &Gateway,
    settings: &PlatformSettings,
    senders: &[&PeerPlatform],
    Bundled { number, content_type, body }: Bundled<'_>,
) -> Result<(), HttpError> {
    let form = |name: &str| senders.iter().find(|sender| sender.name == name).map(|sender| sender.form);
    let parcel = unpack(content_type, body, form).map_err(|why| {
        let status = match why {
            Unreadable::Stranger(_) => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_REQUEST,
        };
        (status, why.to_string())
    })?;
    check_receivers(settings, &parcel.receivers)?;
    let received = gateway
        .hub
        .check_data()
        .and_then(|()| gateway.hub.post().receive(&parcel.platform, number, parcel.message, &parcel.receivers));
    received.map_err(|error| {
        let status = match &error {
            Error::Mail(MailRefused::Forged { .. }) => StatusCode::FORBIDDEN,
            Error::Mail(MailRefused::TooLarge { .. }) => StatusCode::PAYLOAD_TOO_LARGE,
            Error::Mail(MailRefused::NoReceiver | MailRefused::TooManyReceivers { .. }) => StatusCode::BAD_REQUEST,
            // Others must not wait until this agent has taken some messages.
            Error::Mail(
                MailRefused::Full { .. } | MailRefused::ShareOfMailbox { .. } | MailRefused::NoRoomForFailure { .. },
            ) => StatusCode::CONFLICT,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        (status, error.to_string())
    })
}

/// Checks that the receivers are agents of this platform.
fn check_receivers(settings: &PlatformSettings, receivers: &[String]) -> Result<(), HttpError> {
    let is_elsewhere = |name: &&String| platform_of(name).is_some_and(|platform| platform != settings.name);
    match receivers.iter().find(is_elsewhere) {
        None => Ok(()),
        Some(name) => {
            let why = format!("`{name}` is not an agent of this platform, which is called `{}`", settings.name);
            Err((StatusCode::BAD_REQUEST, why))
        }
    }
}

/// Whether this is an address of the host in the URL of a platform.
async fn is_at(address: IpAddr, platform: &PeerPlatform) -> bool {
    let Ok(uri) = platform.address.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    match lookup_host((host, 0)).await {
        Ok(mut known) => known.any(|known| known.ip().to_canonical() == address.to_canonical()),
        Err(_) => false,
    }
}
