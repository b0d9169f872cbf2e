//! Text files that somebody names: how they are read, and what is said when they cannot be.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};

/// The text in a file of this kind, in words: `team file`. So many MiB are enough for any.
///
/// # Errors
/// When it cannot be read, is longer, or is not in UTF-8.
pub(crate) fn read(path: &Path, kind: &str, mebibytes: u64) -> anyhow::Result<String> {
    let cannot_read = || format!("cannot read the {kind} {}", path.display());
    let longest = mebibytes << 20;
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(cannot_read)?;
    file.take(longest + 1).read_to_end(&mut bytes).with_context(cannot_read)?;
    if bytes.len() as u64 > longest {
        bail!("{} has more than {mebibytes} MiB, which no {kind} needs; is it the right file?", path.display());
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        anyhow::anyhow!("{} is no text in UTF-8 from byte {} on; save it as UTF-8", path.display(), good + 1)
    })
}
