//! The help, and the completions.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{Finished, SITUATED, fresh_directory, printed, serving};

const COMMANDS: [&str; 14] = [
    "",
    "list",
    "describe",
    "files check",
    "files draw",
    "run",
    "serve",
    "replay",
    "export",
    "acl",
    "acl parse",
    "acl convert",
    "acl check",
    "completions",
];

#[test]
fn every_example_of_the_help_works() {
    let path = std::env::var("PATH").expect("there is a path");
    let binaries = Path::new(SITUATED).parent().expect("it is in a directory").display();
    let mut count = 0;
    for command in COMMANDS {
        let directory = fresh_directory(&format!("examples of {command}"));
        put_files_of_examples(&directory);
        let help = printed(&format!("{command} --help"));
        // The package for Python is not there; its own tests run Python files.
        let is_example =
            |line: &&str| (line.starts_with("  situated ") || line.starts_with("  echo ")) && !line.contains("shop.py");
        for example in help.lines().filter(is_example) {
            let mut shell = Command::new("sh");
            shell.args(["-c", &ending(example)]).current_dir(&directory).env("PATH", format!("{binaries}:{path}"));
            let Finished { code, err, .. } = shell.output().expect("there is a shell").into();
            let usual = ["Page: http://", "repaired: ", "warning: without TLS"];
            let is_usual = |line: &&str| usual.iter().any(|start| line.starts_with(start));
            let said = err.lines().filter(|line| !is_usual(line)).count();
            assert_eq!((code, said), (0, 0), "{example}: {err}");
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}

/// Creates the files that the help texts mention.
fn put_files_of_examples(directory: &Path) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (from, to) in [
        ("../../examples/find_goals_team.toml", "team.toml"),
        ("tests/acl/conversation.acl", "conversation.acl"),
        ("tests/acl/subscription.acl", "subscription.acl"),
    ] {
        fs::copy(here.join(from), directory.join(to)).expect("the example is there");
    }
    let tokens = ("tokens.toml", "act = 'token-of-an-agent'\nmanage = 'token-of-a-manager'\n".to_owned());
    let secrets = ("secrets.toml", "farm = 'a-secret-of-two-servers'\n".to_owned());
    for (name, content) in certificate().into_iter().chain([tokens, secrets]) {
        fs::write(directory.join(name), content).expect("it can be written");
        #[cfg(unix)]
        keep_to_owner(&directory.join(name));
    }
    fs::create_dir(directory.join("episodes")).expect("it can be written");
}

/// Otherwise the command warns that others can read secrets in the file.
#[cfg(unix)]
fn keep_to_owner(file: &Path) {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).expect("it is ours");
}

/// A certificate and its key, as files.
pub(crate) fn certificate() -> [(&'static str, String); 2] {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("it can be made");
    [("chain.pem", certified.cert.pem()), ("key.pem", certified.signing_key.serialize_pem())]
}

/// Returns the example; a server stops when it is ready.
fn ending(example: &str) -> String {
    let Some(arguments) = example.trim().strip_prefix("situated serve") else { return example.to_owned() };
    serving(arguments)
}

#[test]
fn the_help_documents_exit_codes_and_output_lines() {
    assert!(printed("--help").contains("Exit codes:"));
    assert!(printed("run --help").contains("\"percepts\""));
    assert!(!printed("run -h").contains("\"percepts\""));
}

#[test]
fn run_and_serve_explain_their_common_options_alike() {
    let explained = |command: &str, option: &str| {
        let help = printed(&format!("{command} -h"));
        let line =
            help.lines().find_map(|line| line.trim_start().strip_prefix(option)).map(str::trim).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{command} has no option {option}"))
    };
    for option in ["--agents <AGENTS>", "--seed <S>", "--speed <HZ|max>", "--param <KEY=VALUE>", "--port <N>"] {
        assert_eq!(explained("run", option), explained("serve", option));
    }
    assert!(explained("run", "--agents <AGENTS>").contains("[agents: blocks-world (builder), bw4t (team, explorer), "));
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&format!("completions {shell}"));
        assert!(script.contains("describe") && script.contains("agents"), "{shell}:\n{script}");
    }
}
