//! Tests that `serve --data` refuses damaged data, names the damaged parts, and continues without them only if told to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use serde_json::{Value, json};
use situated_client::Client;

use super::{Kept, Walker, spawn};
use crate::SITUATED;

/// Returns the error with which the server refuses to start.
fn refusal(server: &Kept) -> String {
    let child = spawn(Command::new(SITUATED), &server.arguments, &server.folder, "0");
    let output = child.wait_with_output().expect("it ends");
    assert!(!output.status.success());
    String::from_utf8(output.stderr).expect("it prints UTF-8")
}

/// Returns the folders with copies of damaged files.
fn copies(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).expect("it is there").map(|file| file.expect("a file").path());
    files.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("damaged-"))).collect()
}

fn change(folder: &Path, statement: &str) {
    let connection = Connection::open(folder.join("data.db")).expect("it is a database");
    assert_ne!(connection.execute(statement, []).expect("it is valid"), 0, "{statement}");
}

#[test]
fn a_server_refuses_damaged_data_and_names_the_parts() {
    let mut server = Kept::start("find-goals --pace reactive --view global --grace 60", "damaged_parts");
    let made = server.manager().call("createEnvironment", &json!({ "kind": "find-goals", "environment": "made" }));
    assert_eq!(made["result"]["status"]["environment"], "made", "{made}");
    server.kill();
    change(&server.folder, "UPDATE journal SET state = zeroblob(9) WHERE key LIKE 'made/%' AND number = 0");
    change(&server.folder, "DELETE FROM document WHERE kind = 'environment' AND key = 'find-goals'");
    let expected = format!(
        "the data in `{}` are damaged:\n- environment `made`: its checkpoint differs from what was written\n\
         - environments: 1 of 2 missing\nrestore a copy of the folder, or start once with --data-discard to go on \
         without the damaged parts; the damaged files are then kept in a folder in it",
        server.folder.display()
    );
    for _ in 0..2 {
        let error = refusal(&server);
        assert!(error.contains(&expected), "{error}");
        assert_eq!(copies(&server.folder), Vec::<PathBuf>::new());
    }
}

#[test]
fn the_rest_continues_without_the_damaged_parts() {
    let arguments = "find-goals --pace reactive --view global --grace 60";
    let mut server = Kept::start(arguments, "damaged_environment");
    let made = server.manager().call("createEnvironment", &json!({ "kind": "find-goals", "environment": "made" }));
    assert_eq!(made["result"]["status"]["environment"], "made", "{made}");
    let client = Client::connect(&format!("tcp://{}", server.address)).wait().expect("it listens");
    let mut eve = client.environment("made").register("eve").wait().expect("the name is free");
    let mut walker = Walker::enter(&server.address, "find-goals", "red");
    (0..5).for_each(|_| walker.step());
    server.kill();
    change(&server.folder, "UPDATE journal SET state = zeroblob(9) WHERE key LIKE 'made/%' AND number = 0");
    server.arguments = format!("{arguments} --data-discard");
    server.restart();
    // Its session, its entity and its numbered actions are there.
    (0..5).for_each(|_| walker.step());
    assert_eq!(server.status("made"), Value::Null);
    let error = eve.perceive().wait().expect_err("the environment is no longer there").to_string();
    assert!(error.contains("made"), "{error}");
    let [copy] = &copies(&server.folder)[..] else { panic!("one copy: {:?}", copies(&server.folder)) };
    assert!(copy.join("data.db").exists() && copy.join("data.tally").exists());
    // The new data are not damaged.
    server.arguments = arguments.into();
    server.kill_and_restart();
    (0..5).for_each(|_| walker.step());
    assert_eq!(server.status("find-goals")["moment"]["step"], walker.acknowledged);
}

#[test]
fn lost_changes_are_noticed_and_end_all_sessions() {
    let arguments = "find-goals --pace reactive --view global --grace 60";
    let mut server = Kept::start(arguments, "lost_changes");
    let mut walker = Walker::enter(&server.address, "find-goals", "red");
    (0..5).for_each(|_| walker.step());
    server.kill_and_restart();
    walker.step();
    server.kill();
    fs::remove_file(server.folder.join("data.db-wal")).expect("it is there");
    let error = refusal(&server);
    assert!(error.contains("\n- the last ") && error.contains(" changes are missing\n"), "{error}");
    server.arguments = format!("{arguments} --data-discard");
    server.restart();
    assert_eq!(server.status("find-goals")["moment"]["step"], 5);
    // Its client knows of a step that is lost.
    assert!(walker.agent.perceive().wait().is_err());
    let mut walker = Walker::enter(&server.address, "find-goals", "red");
    walker.agent.perceive().wait().expect("it has the entity");
}
