//! Recordings of all environments of a server, in one folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use situated_hub::NewRecorder;
use situated_recording::{McapRecorder, RecorderSettings};
use situated_runtime::wall_clock;

/// Records each environment into its own file in this folder.
pub(crate) fn into_folder(folder: PathBuf, settings: RecorderSettings) -> Arc<NewRecorder> {
    Arc::new(move |environment: &str| {
        let recorder = McapRecorder::create(&new_file(&folder, environment), settings).map_err(io::Error::other)?;
        Ok(Box::new(recorder) as _)
    })
}

/// The path of a new recording, named after the environment and the time.
fn new_file(folder: &Path, environment: &str) -> PathBuf {
    let harmless = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let environment: String = environment.chars().map(harmless).take(64).collect();
    let time = wall_clock();
    let mut file = folder.join(format!("{environment}-{time}.mcap"));
    let mut number = 2;
    while file.exists() {
        file = folder.join(format!("{environment}-{time}-{number}.mcap"));
        number += 1;
    }
    file
}
