//! The shutdown of a server.

use std::fs;
use std::path::Path;

use serde_json::json;
use situated_recording::{RecorderSettings, Recording};
use situated_server::Settings;

use crate::client::{Client, Resident};
use crate::server::{settings, start};

#[tokio::test(flavor = "multi_thread")]
async fn notifies_all_clients_of_the_shutdown_and_completes_recordings() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded");
    // The folder exists if the test has run before.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("there is room");
    let server = start(Settings { record: Some((folder.clone(), RecorderSettings::default())), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let mut client = Client::platform(&server).await;
    client.get("createEnvironment", json!({ "kind": "find-goals", "start": true })).await;
    let waiting =
        client.begin("wait", json!({ "environment": "home", "after": { "episode": 9, "step": 0, "time": 0 } }));
    let waiting = waiting.await;
    for _ in 0..50 {
        resident.check().await;
    }
    let mut silent = Client::connect(&server).await;
    silent.send("{").await;
    server.comes_back_to(3, 2).await;
    server.stop().await;
    assert!(client.answer(waiting).await.is_err(), "waiting calls get an answer");
    for one in [&mut resident.client, &mut client, &mut silent] {
        assert_eq!(one.closing().await, "shuttingDown");
    }
    let mut lengths = Vec::new();
    for file in fs::read_dir(&folder).expect("it is there") {
        let mut recording = Recording::open(&file.expect("a file").path()).expect("a recording");
        assert!(recording.complete());
        let entries: Result<Vec<_>, _> = recording.entries().expect("it can be read").collect();
        lengths.push(entries.expect("each is whole").len());
    }
    assert_eq!(lengths.len(), 2);
    assert!(lengths.iter().any(|length| *length >= 50), "{lengths:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn completes_the_recording_of_a_removed_environment() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("removed");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("there is room");
    let server = start(Settings { record: Some((folder.clone(), RecorderSettings::default())), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    resident.check().await;
    let refused =
        resident.client.call("createEnvironment", json!({ "kind": "find-goals", "environment": "home" })).await;
    assert!(refused.is_err(), "there is one of that name");
    resident.client.get("removeEnvironment", json!({ "environment": "home" })).await;
    let files: Vec<_> = fs::read_dir(&folder).expect("it is there").map(|file| file.expect("a file").path()).collect();
    assert_eq!(files.len(), 1, "a rejected environment leaves no file behind");
    let mut recording = Recording::open(&files[0]).expect("a recording");
    assert!(recording.complete());
    assert!(recording.beginning().expect("it can be read").is_some(), "the beginning of the episode is in it");
}
