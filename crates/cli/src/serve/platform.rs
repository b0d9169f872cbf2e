//! The options for other platforms.

use situated_server::PeerPlatform;

/// Reads `NAME` or `NAME=URL`.
pub(crate) fn read(text: &str) -> Result<(String, Option<String>), String> {
    match text.split_once('=') {
        None => Ok((name(text)?, None)),
        Some((platform, address)) => Ok((name(platform)?, Some(url(address)?))),
    }
}

/// Reads `NAME=URL` or `NAME=URL,FORM`.
pub(crate) fn read_peer(text: &str) -> Result<PeerPlatform, String> {
    let (platform, address) =
        text.split_once('=').ok_or("expected a name and a URL: farm=http://farm.example:7778/acc")?;
    let (address, form) = match address.split_once(',') {
        None => (address, Default::default()),
        Some((address, form)) => (address, form.parse().map_err(|error| format!("{error}"))?),
    };
    Ok(PeerPlatform { name: name(platform)?, address: url(address)?, form })
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
