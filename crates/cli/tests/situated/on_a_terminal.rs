//! The command in a pseudo-terminal, which `script` of util-linux makes.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use crate::SITUATED;

const SHOW_CURSOR: &str = "\x1b[?25h";
const LEAVE_ALTERNATE_SCREEN: &str = "\x1b[?1049l";
const COLOR: &str = "\x1b[48;2;";

fn start(arguments: &str, environment: &[(&str, &str)]) -> Child {
    let mut script = Command::new("script");
    script.args(["-qec", &format!("{SITUATED} {arguments}"), "/dev/null"]);
    script.env_remove("NO_COLOR").envs(environment.iter().copied());
    script.stdin(Stdio::piped()).stdout(Stdio::piped());
    script.spawn().expect("`script` of util-linux is installed")
}

fn finish(child: Child) -> String {
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

/// What is printed when the drawing is over and the terminal is as it was.
fn afterwards(output: &str) -> &str {
    let (_, afterwards) = output.rsplit_once(LEAVE_ALTERNATE_SCREEN).expect("the screen is left");
    afterwards.strip_prefix(SHOW_CURSOR).expect("the cursor is shown again")
}

#[test]
fn the_world_is_drawn_and_the_results_come_last() {
    let output = finish(start("run find-goals --steps 30 --speed max", &[]));
    assert!(output.contains(COLOR) && output.contains("red"), "{output}");
    let results = afterwards(&output);
    assert!(results.starts_with("find-goals, seed 1: 30 of 30 steps"), "{results}");
    assert!(results.contains("joint reward"), "{results}");
}

#[test]
fn without_colours_it_is_drawn_in_characters() {
    let output = finish(start("run find-goals --steps 3 --speed max", &[("NO_COLOR", "1")]));
    assert!(output.contains("########") && !output.contains(COLOR), "{output}");
}

#[test]
fn keys_end_it_and_the_results_are_shown_all_the_same() {
    for key in ["q", "\x03"] {
        let mut child = start("run find-goals --speed 0.01", &[]);
        let mut begin = [0; 1000];
        child.stdout.as_mut().expect("it is piped").read_exact(&mut begin).expect("it draws");
        let keys = child.stdin.as_mut().expect("it is piped");
        keys.write_all(key.as_bytes()).expect("it listens");
        let output = finish(child);
        assert!(afterwards(&output).starts_with("find-goals, seed 1: 0 of 1000 steps"), "{output}");
    }
}

#[test]
fn the_quiet_see_the_results_only() {
    let output = finish(start("run find-goals --steps 30 --quiet", &[]));
    assert!(output.starts_with("find-goals, seed 1: 30 of 30 steps"), "{output}");
    assert!(!output.contains('\x1b'), "{output}");
}

#[test]
fn headings_are_bold() {
    let output = finish(start("describe find-goals", &[]));
    assert!(output.contains("\x1b[1mParameters\x1b["), "{output}");
}
