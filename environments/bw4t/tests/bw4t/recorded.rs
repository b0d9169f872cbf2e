//! Recordings of the original. They are not part of this repository. Tests are skipped without them, unless
//! `GOLDEN_DATA=required` is set.

use std::path::Path;

/// Returns the text of a recording; `None` if it is missing.
pub(crate) fn text(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bw4t").join(name);
    let text = std::fs::read_to_string(&path).ok();
    let required = std::env::var("GOLDEN_DATA").is_ok_and(|value| value == "required");
    assert!(text.is_some() || !required, "there is no recording at {}", path.display());
    if text.is_none() {
        println!("skipped: there is no recording at {}", path.display());
    }
    text
}
