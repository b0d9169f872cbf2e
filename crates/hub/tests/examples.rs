//! Runs the examples.

use std::process::Command;

#[test]
fn agents_on_threads_play_until_the_environment_ends() {
    let this = std::env::current_exe().expect("this test");
    let built = this.ancestors().nth(2).expect("the folder of the build");
    let example = built.join("examples").join(format!("agents_on_threads{}", std::env::consts::EXE_SUFFIX));
    let run = Command::new(example).output().expect("cargo test builds the examples");
    let output = String::from_utf8(run.stdout).expect("text");
    assert!(run.status.success(), "{output}");
    assert!(output.starts_with("in step 1") && output.contains("team joint reward: "), "{output}");
    assert_eq!(output.matches("an agent has ended, since ").count(), 2, "{output}");
}
