//! The options for other platforms.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail, ensure};
use situated::names::{did_you_mean, nearest};
use situated::reading::Unreadable;
use situated_server::{Form, PeerPlatform, PlatformSettings, Proof, Token};

use super::secret_file;
use crate::usage::wrong_usage;

/// The name of this server among platforms, and the platforms with which it exchanges messages.
#[derive(clap::Args)]
pub(crate) struct PlatformArguments {
    /// Name of this platform, for agents of other platforms: ada is ada@NAME there. With =URL, others reach this server
    /// at that URL; without, where it listens.
    #[arg(long, value_name = "NAME[=URL]", value_parser = read)]
    platform: Option<(String, Option<String>)>,
    /// Platform to exchange messages with, by the URL at which it gets them; can be repeated. FORM is string (default),
    /// xml or bit-efficient, or jade for a platform of JADE. Each needs a secret, or --peer-by-address.
    #[arg(long = "peer", value_name = "NAME=URL[,FORM]", requires = "platform", value_parser = read_peer)]
    peers: Vec<Listed>,
    /// TOML file with the secrets that this server shares with its peers, one for each: farm = "SECRET". The file of
    /// the peer has the same secret under the name of this platform. `situated token` makes good ones.
    #[arg(long, value_name = "FILE", requires = "peers")]
    peer_secrets: Option<PathBuf>,
    /// Peer that cannot send a secret, such as JADE; can be repeated. Every program on its host can write in the name
    /// of its agents.
    #[arg(long, value_name = "NAME", requires = "peers")]
    peer_by_address: Vec<String>,
    /// Peer whose agents can register services in the directory of this server; can be repeated. Agents of other peers
    /// can only search it, and subscribe to it.
    #[arg(long, value_name = "NAME", requires = "peers")]
    peer_registers: Vec<String>,
    /// Certificates (PEM) that sign those of peers with https://, instead of the public ones.
    #[arg(long, value_name = "FILE", requires = "peers")]
    peer_certificates: Option<PathBuf>,
}

/// A platform in the option `--peer`.
#[derive(Clone, Debug)]
struct Listed {
    name: String,
    address: String,
    form: Form,
}

/// The secrets that a server shares with its peers, by their names.
type Secrets = BTreeMap<String, Token>;

impl PlatformArguments {
    /// Returns the settings, if this server is a platform.
    pub(super) fn settings(&self) -> anyhow::Result<Option<PlatformSettings>> {
        let Some((name, address)) = self.platform.clone() else { return Ok(None) };
        let secrets = self.secrets()?;
        let peers = self.peers(&secrets).map_err(|error| wrong_usage(&error))?;
        let peer_certificates = self.peer_certificates.clone();
        Ok(Some(PlatformSettings { name, address, peers, peer_certificates }))
    }

    fn secrets(&self) -> anyhow::Result<Secrets> {
        let Some(file) = &self.peer_secrets else { return Ok(Secrets::new()) };
        let text = secret_file::read(file, "the secrets")?;
        read_secrets(&text).with_context(|| file.display().to_string())
    }

    fn peers(&self, secrets: &Secrets) -> anyhow::Result<Vec<PeerPlatform>> {
        for name in secrets.keys().chain(&self.peer_by_address).chain(&self.peer_registers) {
            let names = || self.peers.iter().map(|peer| peer.name.as_str());
            if !names().any(|known| known == name) {
                bail!("`{name}` is not a platform of --peer{}", did_you_mean(nearest(name, names())));
            }
        }
        let peer = |Listed { name, address, form }: &Listed| {
            let (name, address, form) = (name.clone(), address.clone(), *form);
            let registers = self.peer_registers.contains(&name);
            let proof = self.proof(&name, secrets.get(&name))?;
            Ok(PeerPlatform { name, address, form, proof, registers })
        };
        self.peers.iter().map(peer).collect()
    }

    /// Returns the proof that a request comes from a peer.
    fn proof(&self, peer: &str, secret: Option<&Token>) -> anyhow::Result<Proof> {
        match (secret, self.peer_by_address.iter().any(|name| name == peer)) {
            (Some(secret), false) => Ok(Proof::Secret(secret.clone())),
            (None, true) => Ok(Proof::Address),
            (Some(_), true) => bail!("platform `{peer}` has a secret; remove that, or --peer-by-address {peer}"),
            (None, false) => bail!(
                "platform `{peer}` has no secret, so any program could write in the name of its agents; add {peer} = \
                 \"SECRET\" to a file for --peer-secrets, and the same secret on the other server (`situated token` \
                 makes one), or use --peer-by-address {peer} if it cannot send one, as JADE"
            ),
        }
    }
}

/// Returns lines about the platforms that are trusted with more than others.
pub(super) fn notes(settings: &PlatformSettings) -> String {
    let mut text = String::new();
    for PeerPlatform { name, address, proof, registers, .. } in &settings.peers {
        if *proof == Proof::Address {
            text += &format!(
                "Platform {name} sends no secret: every program on the host of {address} can write in the name of its agents.\n"
            );
        }
        if *registers {
            text += &format!("Agents of platform {name} can register services in the directory.\n");
        }
    }
    text
}

/// Reads the secrets in a file.
fn read_secrets(text: &str) -> anyhow::Result<Secrets> {
    let read = toml::from_str(text);
    let texts: BTreeMap<String, String> =
        read.map_err(|error| Unreadable::in_toml(text, error.message(), error.span()))?;
    let mut secrets = Secrets::new();
    for (name, text) in texts {
        ensure!(
            text.bytes().all(|byte| byte.is_ascii_graphic()),
            "the secret of platform `{name}` has blanks or other characters than those of ASCII; `situated token` makes a good one"
        );
        let secret = Token::new(text).map_err(|error| anyhow!("the secret of platform `{name}`: {error}"))?;
        if let Some((other, _)) = secrets.iter().find(|(_, known)| **known == secret) {
            bail!(
                "the platforms `{other}` and `{name}` have the same secret, so each could write in the name of the other; \
                 make another one with `situated token`"
            );
        }
        secrets.insert(name, secret);
    }
    Ok(secrets)
}

/// Reads `NAME` or `NAME=URL`.
fn read(text: &str) -> Result<(String, Option<String>), String> {
    match text.split_once('=') {
        None => Ok((name(text)?, None)),
        Some((platform, address)) => Ok((name(platform)?, Some(url(address)?))),
    }
}

/// Reads `NAME=URL` or `NAME=URL,FORM`.
fn read_peer(text: &str) -> Result<Listed, String> {
    let (platform, address) =
        text.split_once('=').ok_or("expected a name and a URL: farm=http://farm.example:7778/acc")?;
    let (address, form) = match address.split_once(',') {
        None => (address, Default::default()),
        Some((address, form)) => (address, form.parse().map_err(|error| format!("{error}"))?),
    };
    Ok(Listed { name: name(platform)?, address: url(address)?, form })
}

fn name(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty() && !text.contains(['@', '(', ')', '"']) && !text.contains(char::is_whitespace);
    is_name.then(|| text.to_owned()).ok_or_else(|| format!("`{text}` is no name of a platform, such as farm"))
}

fn url(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let is_url = rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(['(', ')', '"', ',']));
    let is_url = is_url && !text.contains(char::is_whitespace);
    is_url.then(|| text.to_owned()).ok_or_else(|| format!("`{text}` is no URL, such as http://farm.example:7778/acc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_secrets_that_can_be_guessed_or_do_not_fit_into_a_header_or_are_shared() {
        let good = "farm = 'a-secret-of-the-farm'\nmill = 'a-secret-of-the-mill'";
        let secrets = read_secrets(good).expect("it is such a file");
        let expected = [("farm", "a-secret-of-the-farm"), ("mill", "a-secret-of-the-mill")];
        assert_eq!(secrets, expected.map(|(name, text)| (name.into(), Token::new(text).expect("long enough"))).into());
        for (text, why) in [
            ("farm = 's3cret'", "the secret of platform `farm`: a token of 6 characters can be guessed"),
            ("farm = 'a secret of the farm'", "the secret of platform `farm` has blanks"),
            ("farm = 'a-sécret-of-the-farm'", "the secret of platform `farm` has blanks or other characters"),
            ("farm = 'one-for-all-of-us'\nmill = 'one-for-all-of-us'", "`farm` and `mill` have the same secret"),
            ("farm = 7", "line 1, column 8: found `7`, expected a string"),
        ] {
            let error = read_secrets(text).err().map(|error| format!("{error:#}")).unwrap_or_default();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
