//! `run` where its output is not a terminal.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::{SITUATED, printed};

fn objects(arguments: &str) -> Vec<Value> {
    let out = printed(arguments);
    out.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// The value of a measure among the results of an object.
fn measure(object: &Value, of: &str, name: &str) -> f64 {
    let results = object["outcome"]["results"].as_array().expect("there are results");
    let measure = results.iter().find(|result| result["of"] == of && result["name"] == name);
    measure.and_then(|measure| measure["value"].as_f64()).expect("it is measured")
}

#[test]
fn run_prints_a_line_for_the_run_each_step_and_the_end() {
    let lines = objects("run find-goals --steps 5 --seed 3");
    assert_eq!(lines.len(), 7);
    let (run, first, end) = (&lines[0], &lines[1], &lines[6]);
    assert_eq!(run["environment"], "find-goals");
    assert_eq!(run["seed"], 3);
    assert_eq!(run["generator"], "chacha8");
    assert_eq!(run["parameters"], json!({"view": "local"}));
    assert_eq!(run["agents"], json!({"red": "builtin", "blue": "builtin"}));
    assert_eq!(first["step"], 1);
    assert_eq!(first["actions"]["red"], json!({"name": "up", "args": []}));
    assert_eq!(first["percepts"]["red"]["resync"], true);
    assert_eq!(first["percepts"]["red"]["add"][0]["name"], "see");
    assert_eq!(lines[2]["percepts"]["blue"]["events"][0]["name"], "reward");
    assert_eq!(end["steps"], 5);
    assert_eq!(end["outcome"]["ending"], Value::Null);
    assert_eq!(end["failures"], json!({}));
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_another_run() {
    let run = |seed| printed(&format!("run find-goals --agents random --steps 50 --seed {seed}"));
    assert_eq!(run(1), run(1));
    let steps = |out: String| out.lines().skip(1).collect::<String>();
    assert_ne!(steps(run(1)), steps(run(2)));
}

#[test]
fn parameters_reach_the_environment() {
    let lines = objects("run find-goals --steps 1 --param view=global");
    assert_eq!(lines[0]["parameters"], json!({"view": "global"}));
    assert!(lines[1].to_string().contains(r#"{"args":[3,1],"name":"at"}"#), "{}", lines[1]);
}

#[test]
fn announcements_are_printed_with_their_step() {
    let lines = objects("run bw4t --agents explorer --steps 20000");
    let announcements: Vec<_> =
        lines.iter().filter_map(|line| line.get("announcements").map(|all| (&line["step"], all))).collect();
    let [(step, announcements)] = &announcements[..] else { panic!("{announcements:?}") };
    let text = format!(
        "the sequence is complete after {} steps; the environment continues",
        measure(&lines[lines.len() - 1], "team", "steps")
    );
    assert_eq!(**announcements, json!([{"name": "completed", "text": text}]));
    assert_eq!(**step, lines[lines.len() - 1]["steps"]);
}

#[test]
fn quiet_runs_print_one_object() {
    let lines = objects("run find-goals --quiet --steps 20 --agents idle");
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["agents"], json!({"red": "idle", "blue": "idle"}));
    assert_eq!(lines[0]["steps"], 20);
    assert_eq!(measure(&lines[0], "team", "joint reward"), 0.0);
}

#[test]
fn a_run_can_have_no_steps() {
    let lines = objects("run find-goals --steps 0");
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["steps"], 0);
}

#[test]
fn the_built_in_team_is_good() {
    for view in ["local", "global"] {
        let run = format!("run find-goals --quiet --steps 1000 --param view={view}");
        let result = &objects(&run)[0];
        let best = measure(result, "team", "best possible joint reward");
        assert!(measure(result, "team", "joint reward") >= 0.95 * best, "{result}");
        assert_eq!(result["failures"], json!({}));
    }
}

#[test]
fn a_speed_is_kept() {
    let begin = std::time::Instant::now();
    assert_eq!(objects("run find-goals --steps 10 --speed 50").len(), 12);
    assert!(begin.elapsed().as_millis() >= 200);
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let mut command = Command::new(SITUATED);
    command.args(["run", "find-goals", "--agents", "random", "--steps", "100000"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary can be started");
    let mut line = String::new();
    let out = child.stdout.take().expect("it is piped");
    BufReader::new(out).read_line(&mut line).expect("there is a line");
    assert!(line.contains("find-goals"));
    let mut err = String::new();
    child.stderr.take().expect("it is piped").read_to_string(&mut err).expect("it prints UTF-8");
    let status = child.wait().expect("it ends");
    assert_eq!((status.code(), err.as_str()), (Some(0), ""));
}
