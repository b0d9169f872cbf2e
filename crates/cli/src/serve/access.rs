//! Tokens: who may do what.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use serde::Deserialize;
use situated_server::{Access, Right};

/// Who may do what.
#[derive(clap::Args)]
pub(crate) struct AccessArguments {
    /// A token, and what it is for: act, observe, manage or host. May be given several times; other users of this machine
    /// can see it, a file is better.
    #[arg(long = "token", value_name = "RIGHT=TOKEN", value_parser = token)]
    tokens: Vec<(Right, String)>,
    /// A TOML file with tokens: a key for each of act, observe, manage and host, with a list of tokens.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl AccessArguments {
    /// Who may do what; everybody everything if there are no tokens.
    pub(super) fn access(&self) -> anyhow::Result<Access> {
        let mut access = Access::open();
        for (right, token) in &self.tokens {
            access = access.with_token(token, *right);
        }
        let Some(file) = &self.token_file else { return Ok(access) };
        let text = fs::read_to_string(file).with_context(|| format!("cannot read the tokens in {}", file.display()))?;
        let tokens = written(&text).with_context(|| file.display().to_string())?;
        Ok(tokens.into_iter().fold(access, |access, (right, token)| access.with_token(token, right)))
    }
}

/// The tokens that a file has.
fn written(text: &str) -> anyhow::Result<Vec<(Right, String)>> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Tokens {
        One(String),
        Several(Vec<String>),
    }
    let by_right: BTreeMap<String, Tokens> = toml::from_str(text)?;
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
    anyhow::ensure!(!all.is_empty(), "there is no token in it, so that nobody could come in");
    Ok(all)
}

/// Reads `right=token`.
fn token(text: &str) -> Result<(Right, String), String> {
    let (right, token) = text.split_once('=').ok_or("expected RIGHT=TOKEN, such as `act=s3cret`")?;
    let right = match right {
        "act" => Right::Act,
        "observe" => Right::Observe,
        "manage" => Right::Manage,
        "host" => Right::Host,
        _ => return Err(format!("`{right}` is no right: expected act, observe, manage or host")),
    };
    if token.is_empty() {
        return Err("a token has one letter at the least".into());
    }
    Ok((right, token.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_from_toml() {
        let tokens = written("act = 'a'\nmanage = ['m', 'n']\n").expect("it is such a file");
        let expected = [(Right::Act, "a"), (Right::Manage, "m"), (Right::Manage, "n")];
        assert_eq!(tokens, expected.map(|(right, token)| (right, token.to_owned())));
    }

    #[test]
    fn what_is_no_right_or_no_token_is_refused() {
        for (text, why) in [
            ("", "nobody could come in"),
            ("agent = 'a'", "`agent` is no right"),
            ("act = ''", "one letter"),
            ("act = 7", "data did not match"),
            ("act", "expected"),
        ] {
            let error = written(text).err().map(|error| format!("{error:#}")).unwrap_or_default();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
