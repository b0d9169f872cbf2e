//! Tidiness of this repository's sources: the width of lines, imports in rings, public items without a user, and files
//! that nothing uses. Each finding says what to do. `cargo test -p situated --test tidiness` runs these tests alone.
//!
//! A list `NOT_YET` has the folders that do not pass a test yet. A folder that has become tidy must leave the list.

mod files;
mod lines;
mod rings;
mod sources;
mod users;

/// A problem with a file or folder of the repository.
struct Finding {
    /// Its path from the root of the repository.
    path: String,
    /// The problem, and what to do.
    text: String,
}

/// Fails with the findings outside of the folders `not_yet`, and with those folders that have none.
fn assert_tidy(findings: &[Finding], not_yet: &[&str]) {
    let is_in = |path: &str, folder: &str| path == folder || path.starts_with(&format!("{folder}/"));
    let new = findings.iter().filter(|finding| !not_yet.iter().any(|folder| is_in(&finding.path, folder)));
    let mut report: Vec<String> = new.map(|Finding { path, text }| format!("{path}{text}")).collect();
    let tidy = not_yet.iter().filter(|folder| !findings.iter().any(|finding| is_in(&finding.path, folder)));
    report.extend(tidy.map(|folder| format!("{folder}: it is tidy now; remove it from the list NOT_YET of this test")));
    assert!(report.is_empty(), "{} findings\n{}", report.len(), report.join("\n"));
}
