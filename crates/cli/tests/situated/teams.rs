//! `run` with the file of a team.

use std::fs;

use serde_json::{Value, json};

use crate::{Finished, fresh_directory, printed, situated};

/// Runs a team, and returns its lines.
fn run(name: &str, file: &str, options: &str) -> Vec<Value> {
    let path = fresh_directory(name).join("team.toml");
    fs::write(&path, file).expect("there is room");
    let out = printed(&format!("run {} {options}", path.display()));
    out.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn refused(name: &str, file: &str) -> Finished {
    let path = fresh_directory(name).join("team.toml");
    fs::write(&path, file).expect("there is room");
    situated(&format!("run {}", path.display()))
}

#[test]
fn the_example_runs_as_documented() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/find_goals_team.toml");
    let text = printed(&format!("run {example} --speed max"));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 202);
    assert_eq!(lines[0]["agents"], json!({"red": "builtin", "blue": "random"}));
    assert_eq!((&lines[0]["seed"], &lines[0]["parameters"]["view"]), (&json!(7), &json!("global")));
}

#[test]
fn the_first_matching_rule_determines_the_program_of_an_entity() {
    let rules = "environment = 'find-goals'\nsteps = 3\n\
                 [[agents]]\ntype = 'walker'\ncount = 1\nprogram = 'idle'\n[[agents]]\nprogram = 'random'\n";
    let lines = run("rules", rules, "");
    assert_eq!(lines[0]["agents"], json!({"red": "idle", "blue": "random"}));
    assert_eq!(lines.len(), 5);
}

#[test]
fn random_programs_use_the_names_that_they_perceive() {
    let moved = situated("run blocks-world --agents random --steps 10 --seed 1 --quiet");
    assert_eq!((moved.code, moved.err.as_str()), (0, ""));
    let last: Value = serde_json::from_str(moved.out.lines().last().expect("a summary")).expect("JSON");
    assert_eq!(last["outcome"]["results"][0], json!({"of": "gripper", "name": "moves", "value": 10}));
}

#[test]
fn a_file_without_rules_equals_the_environment_alone() {
    let lines = run("no_rules", "environment = 'find-goals'\nsteps = 20\n", "");
    let plain = printed("run find-goals --steps 20");
    let plain: Vec<Value> = plain.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines, plain);
}

#[test]
fn options_count_more_than_the_file() {
    let file = "environment = 'find-goals'\nseed = 3\nsteps = 4\n[parameters]\nview = 'global'\n";
    let lines = run("options", file, "--seed 9 --steps 2 --param view=local --agents idle");
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["agents"], json!({"red": "idle", "blue": "idle"}));
    assert_eq!((&lines[0]["seed"], &lines[0]["parameters"]["view"]), (&json!(9), &json!("local")));
}

#[test]
fn a_pace_can_be_another_one_than_that_of_the_environment() {
    let lines = run("pace", "environment = 'find-goals'\nsteps = 5\npace = { real-time = 200 }\n", "");
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[3]["actions"].as_object().map(|actions| actions.len()), Some(2));
}

#[test]
fn errors_show_their_place() {
    for (name, file, expected) in [
        ("typo", "environment = 'find-gaols'\n", "did you mean `find-goals`?"),
        ("key", "environment = 'find-goals'\nsede = 3\n", "line 2, column 1"),
        ("door", "environment = 'find-goals'\n[[agents]]\nprogram = 'person'\n", "`--page`"),
        ("parameter", "environment = 'find-goals'\n[parameters]\nveiw = 'local'\n", "did you mean `view`?"),
        ("told", "environment = 'find-goals'\n[[agents]]\nprogram = 'builtin'\noptions = { x = 1 }\n", "no options"),
    ] {
        let Finished { code, out, err } = refused(&format!("mistake_{name}"), file);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(expected), "{err}");
    }
    let missing = situated("run nowhere/team.toml");
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("nowhere/team.toml"), "{}", missing.err);
}

#[test]
fn a_rule_for_an_unknown_entity_gives_a_warning() {
    let path = fresh_directory("nobody").join("team.toml");
    let rule = "environment = 'find-goals'\n[[agents]]\nentity = 'bleu'\nprogram = 'builtin'\n";
    let another = "[[agents]]\nentity = 'red'\nprogram = 'builtin'\n";
    for (rules, expected_code) in [(rule.to_owned() + another, 0), (rule.to_owned(), 2)] {
        fs::write(&path, rules).expect("there is room");
        let Finished { code, err, .. } = situated(&format!("run {} --steps 2", path.display()));
        assert_eq!(code, expected_code, "{err}");
        assert!(err.contains("no such entity yet; did you mean `blue`?"), "{err}");
        assert_eq!(err.contains("no entity has an agent"), expected_code == 2, "{err}");
    }
}

#[test]
fn with_agents_on_the_command_line_no_page_is_needed() {
    let file = "environment = 'find-goals'\nsteps = 2\n[[agents]]\nprogram = 'person'\n";
    let lines = run("no_door", file, "--agents random");
    assert_eq!(lines[0]["agents"], json!({"red": "random", "blue": "random"}));
}
