//! The data of a server: opening them, and the documents that the gateway stores about its sessions.

use std::net::SocketAddr;
use std::sync::Arc;

use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use situated_hub::HubData;
use situated_store::{Contents, Damage, Discarded, OpenError, Store};
use situated_wire::methods::Role;

use crate::settings::{DataSettings, StartError};

/// The kind of the documents of clients. The key is the [fingerprint] of the resume token.
pub(crate) const CLIENT: &str = "client";

/// The data of a server, with the contents that were found.
pub(crate) struct Data {
    pub(crate) hub: Arc<HubData>,
    pub(crate) contents: Contents,
    pub(crate) sync: bool,
}

/// A session of the wire protocol as it is stored, without its tokens.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptClient {
    pub(crate) session: u64,
    pub(crate) role: Role,
    /// The [fingerprint] of the resume token and of the token with which the session was opened.
    pub(crate) bound: String,
}

impl Data {
    /// Opens the data of a server that listens at this address.
    pub(crate) fn open(settings: &DataSettings, address: SocketAddr) -> Result<Self, StartError> {
        let holder = format!("the server at {address} (process {})", std::process::id());
        if settings.discard
            && let Some(Discarded { copy, damages }) = situated_store::discard(&settings.folder, &holder)?
        {
            damages.iter().for_each(|damage| tracing::warn!(part = described(damage), "left out of the data"));
            tracing::warn!(copy = %copy.display(), "the damaged files are kept");
        }
        let opened = Store::open(&settings.folder, settings.sync, &holder);
        let (store, mut contents) = opened.map_err(|error| match error {
            OpenError::Damaged { folder, damages } => {
                StartError::Damaged { folder, parts: damages.iter().map(described).collect() }
            }
            error => error.into(),
        })?;
        let hub = HubData::read(Arc::new(store), &mut contents)?;
        Ok(Self { hub, contents, sync: settings.sync })
    }
}

/// Describes a damaged part of the data, for users.
fn described(damage: &Damage) -> String {
    match damage {
        // Its key means nothing to them.
        Damage::Document { kind, .. } if kind == CLIENT => "a client's right to resume its session".into(),
        Damage::Missing { kind, missing, written } if kind == CLIENT => {
            format!("clients' rights to resume their sessions: {missing} of {written} missing")
        }
        damage => situated_hub::described(damage),
    }
}

/// A text that identifies secrets without revealing them.
pub(crate) fn fingerprint(secrets: &[&str]) -> String {
    // The separator is unambiguous: a token contains no line break.
    let digest = digest(&SHA256, secrets.join("\n").as_bytes());
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
