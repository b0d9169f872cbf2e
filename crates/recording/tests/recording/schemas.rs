//! The JSON Schemas of entries are made from their types.
//!
//! After a change of an entry, `UPDATE=1 cargo test -p situated-recording schemas` writes them again.

use std::fs;
use std::path::Path;

use schemars::{JsonSchema, schema_for};
use serde_json::Value;
use situated_recording::{
    Acted, Checkpoint, Crash, EpisodeBegun, EpisodeOutcome, InputGiven, MessageSent, PerceptsTold, RemarkMade,
    SceneChanged,
};

#[test]
fn schemas_match_the_types() {
    assert_committed::<EpisodeBegun>("EpisodeBegun");
    assert_committed::<InputGiven<Value, Vec<Acted<String>>, String>>("InputGiven");
    assert_committed::<PerceptsTold<String>>("PerceptsTold");
    assert_committed::<Checkpoint>("Checkpoint");
    assert_committed::<EpisodeOutcome>("EpisodeOutcome");
    assert_committed::<RemarkMade<String>>("RemarkMade");
    assert_committed::<MessageSent>("MessageSent");
    assert_committed::<Crash>("Crash");
    assert_committed::<SceneChanged>("SceneChanged");
}

fn assert_committed<T: JsonSchema>(name: &str) {
    let made = serde_json::to_string(&schema_for!(T)).expect("it is JSON") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(format!("{name}.json"));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &made).expect("there is room");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == made,
        "{name}.json is stale; `UPDATE=1 cargo test -p situated-recording schemas` writes it again"
    );
}
