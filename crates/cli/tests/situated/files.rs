//! Tests of parameters that are files: the command reads the files and sends their text.

use std::fs;

use serde_json::Value;

use crate::{fresh_directory, printed, situated};

const TEAM: &str = "[[bots]]\nname = 'Tiny'\namount = 2\nsize = 1\n";

/// Returns the first line of a run, which describes it.
fn header(arguments: &str) -> Value {
    let lines = printed(arguments);
    serde_json::from_str(lines.lines().next().expect("there is a line")).expect("an object")
}

/// Checks that a parameter has the length of the team instead of its text.
fn assert_identified(parameter: &Value) {
    let identified = parameter.as_str().expect("a text");
    assert!(identified.starts_with(&format!("document of {} bytes, xxh3 ", TEAM.len())), "{identified}");
}

#[test]
fn the_environment_gets_the_text_of_a_file() {
    let path = fresh_directory("parameter").join("tiny.toml");
    fs::write(&path, TEAM).expect("there is room");
    let header = header(&format!("run bw4t --steps 1 --agents idle --param team={}", path.display()));
    assert_identified(&header["parameters"]["team"]);
    assert_eq!(header["parameters"]["map"], Value::Null);
    assert_eq!(header["agents"]["Tiny_2"], "idle");
}

#[test]
fn a_name_that_looks_like_a_number_is_a_name() {
    let header = header("run vacuum --level 3 --steps 1");
    assert_eq!(header["parameters"]["level"], "3");
}

#[test]
fn paths_in_the_file_of_a_team_begin_where_it_is() {
    let folder = fresh_directory("parameter_of_a_team");
    fs::create_dir(folder.join("teams")).expect("there is room");
    fs::write(folder.join("teams/tiny.toml"), TEAM).expect("there is room");
    let file =
        "environment = 'bw4t'\nsteps = 1\n[parameters]\nteam = 'teams/tiny.toml'\n[[agents]]\nprogram = 'idle'\n";
    fs::write(folder.join("run.toml"), file).expect("there is room");
    let header = header(&format!("run {}", folder.join("run.toml").display()));
    assert_identified(&header["parameters"]["team"]);
    assert_eq!(header["agents"]["Tiny_2"], "idle");
}

#[test]
fn a_missing_file_is_wrong_usage() {
    let finished = situated("run bw4t --param map=nowhere/a.map");
    assert_eq!((finished.code, finished.out.as_str()), (2, ""));
    assert!(finished.err.contains("there is no file nowhere/a.map for the parameter `map`"), "{}", finished.err);
}

#[test]
fn a_team_contradicts_a_number_of_robots() {
    let path = fresh_directory("contradiction").join("tiny.toml");
    fs::write(&path, TEAM).expect("there is room");
    let finished = situated(&format!("run bw4t --steps 1 --team {} --robots 2", path.display()));
    assert_eq!((finished.code, finished.out.as_str()), (2, ""), "{}", finished.err);
    assert!(finished.err.contains("`team` and `robots` both say how many robots there are"), "{}", finished.err);
}

#[test]
fn wrong_usage_says_which_parameters_are_files() {
    let finished = situated("run bw4t --param mapp=Rainbow");
    assert_eq!(finished.code, 2);
    assert!(finished.err.contains("\n  map=FILE\n  team=FILE\n  robots=integer 0..\n"), "{}", finished.err);
}

#[test]
fn a_file_with_a_mistake_is_wrong_usage_and_refused_with_its_line() {
    let folder = fresh_directory("parameter_mistake");
    for (parameter, text, expected) in [
        ("team", "[[bots]]\nsize = 9\n", "the team cannot be used: line 2, [[bots]] Bot: `size` is 9"),
        (
            "map",
            "<newMap>\n<zones>\n<name>A</name></zones></newMap>",
            "the map cannot be used: line 2, <zones> A: it has no <type>",
        ),
        ("map", "<newMap>\n</zones>", "the map cannot be used: line 2, <newMap>: it ends with </zones>"),
    ] {
        let path = folder.join("mistake");
        fs::write(&path, text).expect("there is room");
        let recording = folder.join("run.mcap");
        let (path, record) = (path.display(), recording.display());
        let finished = situated(&format!("run bw4t --agents idle --param {parameter}={path} --record {record}"));
        assert_eq!((finished.code, finished.out.as_str()), (2, ""), "{}", finished.err);
        assert!(finished.err.contains(expected), "{}", finished.err);
        assert!(!recording.exists(), "nothing has begun");
    }
}
