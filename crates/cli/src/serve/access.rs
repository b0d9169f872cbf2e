//! Tokens and their rights.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use serde::Deserialize;
use situated::names::{did_you_mean, nearest};
use situated::reading::Unreadable;
use situated_server::{Access, Right, Token};

use super::secret_file;

/// The rights of clients.
#[derive(clap::Args)]
pub(crate) struct AccessArguments {
    /// Token and the right that it grants: act, observe, manage or host; can be repeated, also for one token.
    /// `situated token` makes good ones. Other users of this machine can see the command line; a file is safer.
    #[arg(long = "token", value_name = "RIGHT=TOKEN", value_parser = token)]
    tokens: Vec<(Right, Token)>,
    /// TOML file with tokens: a key for each of act, observe, manage and host, with a list of tokens.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl AccessArguments {
    /// Returns the tokens with their rights; without tokens, every client can do everything.
    pub(super) fn access(&self) -> anyhow::Result<Access> {
        let mut access = Access::open();
        for (right, token) in &self.tokens {
            access = access.with_token(token.clone(), *right);
        }
        let Some(file) = &self.token_file else { return Ok(access) };
        let text = secret_file::read(file, "the tokens")?;
        let tokens = read_tokens(&text).with_context(|| file.display().to_string())?;
        Ok(tokens.into_iter().fold(access, |access, (right, token)| access.with_token(token, right)))
    }
}

/// Reads the tokens in a file.
pub(crate) fn read_tokens(text: &str) -> anyhow::Result<Vec<(Right, Token)>> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a token or a list of tokens, each in quotes")]
    enum Tokens {
        One(String),
        Several(Vec<String>),
    }
    let read = toml::from_str(text);
    let by_right: BTreeMap<String, Tokens> =
        read.map_err(|error| Unreadable::in_toml(text, error.message(), error.span()))?;
    let mut all = Vec::new();
    for (right, tokens) in by_right {
        let tokens = match tokens {
            Tokens::One(token) => vec![token],
            Tokens::Several(tokens) => tokens,
        };
        for one in tokens {
            all.push(token(&format!("{right}={one}")).map_err(anyhow::Error::msg)?);
        }
    }
    anyhow::ensure!(!all.is_empty(), "it contains no token, so no client could connect");
    Ok(all)
}

/// Reads `right=token`.
fn token(text: &str) -> Result<(Right, Token), String> {
    let (right, token) = text.split_once('=').ok_or("expected RIGHT=TOKEN, such as `act=$(situated token)`")?;
    let right = match right {
        "act" => Right::Act,
        "observe" => Right::Observe,
        "manage" => Right::Manage,
        "host" => Right::Host,
        _ => {
            let meant = did_you_mean(nearest(right, ["act", "observe", "manage", "host"]));
            return Err(format!("`{right}` is not a right, expected act, observe, manage or host{meant}"));
        }
    };
    let token = Token::new(token).map_err(|error| format!("the right to {right}: {error}"))?;
    Ok((right, token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_from_toml() {
        let text = "act = 'a-token-to-act-with'\nmanage = ['a-token-to-manage-with', 'another-to-manage-with']\n";
        let tokens = read_tokens(text).expect("it is such a file");
        let expected = [
            (Right::Act, "a-token-to-act-with"),
            (Right::Manage, "a-token-to-manage-with"),
            (Right::Manage, "another-to-manage-with"),
        ];
        assert_eq!(tokens, expected.map(|(right, token)| (right, Token::new(token).expect("long enough"))));
    }

    #[test]
    fn unknown_rights_and_tokens_that_can_be_guessed_are_errors() {
        for (text, why) in [
            ("", "no client could connect"),
            ("agent = 'a-token-to-act-with'", "`agent` is not a right"),
            ("act = ''", "the right to act: a token of 0 characters can be guessed; use at least 16: `situated token`"),
            ("manage = ['a-token-to-manage-with', 's3cret']", "the right to manage: a token of 6 characters"),
            (
                "manag = 'a-token-to-manage-with'",
                "`manag` is not a right, expected act, observe, manage or host; did you mean",
            ),
            ("act = 7", "line 1, column 7: expected a token or a list of tokens, each in quotes"),
            ("act", "line 1, column 4: expected `=` and a value after the key"),
            ("act = \"a-\\token-to-act-with\"\nact = 's3cret'", "this key occurs twice"),
        ] {
            let error = read_tokens(text).err().map(|error| format!("{error:#}")).unwrap_or_default();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
