//! Every example is run.

use std::process::Command;

#[test]
fn agents_live_on_threads_until_the_world_ends() {
    let this = std::env::current_exe().expect("this test");
    let built = this.ancestors().nth(2).expect("the folder of the build");
    let example = built.join("examples").join(format!("agents_on_threads{}", std::env::consts::EXE_SUFFIX));
    let run = Command::new(example).output().expect("cargo test builds the examples");
    let told = String::from_utf8(run.stdout).expect("text");
    assert!(run.status.success(), "{told}");
    assert!(told.starts_with("in step 1") && told.contains("team joint reward: "), "{told}");
    assert_eq!(told.matches("an agent has ended, since ").count(), 2, "{told}");
}
