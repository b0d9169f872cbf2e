//! The commands in the README and in the book run.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use serde_json::Value;

use crate::help::certificate;
use crate::serve::Serving;
use crate::{Finished, SITUATED, fresh_directory, serving};

/// The pages whose commands run one after another, in a folder of their own that contains the files shown on the
/// pages.
const PAGES: [&str; 18] = [
    "README.md",
    "docs/src/quick-start/teach.md",
    "docs/src/quick-start/agent.md",
    "docs/src/how-to/blocks-world.md",
    "docs/src/how-to/bw4t.md",
    "docs/src/how-to/class.md",
    "docs/src/how-to/elevator.md",
    "docs/src/how-to/goal.md",
    "docs/src/how-to/jadex.md",
    "docs/src/how-to/keep.md",
    "docs/src/how-to/network.md",
    "docs/src/how-to/openenv.md",
    "docs/src/how-to/record.md",
    "docs/src/how-to/tower.md",
    "docs/src/how-to/cows.md",
    "docs/src/how-to/vacuum.md",
    "docs/src/how-to/wumpus.md",
    "docs/src/reference/bw4t-files.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The code blocks of a page in this language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).filter_map(|rest| rest.split_once("\n```")).map(|(block, _)| block).collect()
}

/// The name in the first line of a file that a page shows: `# team.toml` or `<!-- tiny.map -->`.
fn file_name(block: &str) -> Option<&str> {
    let comment = block.lines().next()?;
    let name = comment.strip_prefix("# ").or_else(|| comment.strip_prefix("<!-- ")?.strip_suffix(" -->"))?;
    (name.contains('.') && !name.contains(' ')).then_some(name)
}

#[test]
fn commands_of_the_readme_and_the_book_run() {
    thread::scope(|scope| {
        for page in PAGES {
            scope.spawn(move || commands_run(page));
        }
    });
}

fn commands_run(page: &str) {
    let path = std::env::var("PATH").expect("there is a path");
    let binaries = Path::new(SITUATED).parent().expect("it is in a directory").display();
    let text = fs::read_to_string(root().join(page)).expect("the page");
    let folder = fresh_directory(&format!("page {}", page.replace('/', " ")));
    fs::create_dir(folder.join("examples")).expect("there is room");
    let players = "examples/players.toml";
    fs::copy(root().join(players), folder.join(players)).expect("the example is there");
    for (name, content) in certificate() {
        fs::write(folder.join(name), content).expect("there is room");
    }
    for block in ["text", "toml", "xml"].into_iter().flat_map(|language| blocks(&text, language)) {
        if let Some(name) = file_name(block) {
            fs::write(folder.join(name), block).expect("there is room");
        }
    }
    let is_ours = |line: &&str| {
        line.contains("situated ") && !["cargo ", "git ", "pip "].iter().any(|other| line.starts_with(other))
    };
    let lines = blocks(&text, "console").into_iter().flat_map(str::lines).filter_map(|line| line.strip_prefix("$ "));
    let commands: Vec<&str> = lines.filter(is_ours).collect();
    assert!(!commands.is_empty(), "{page}");
    for command in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", &ending(command)]).current_dir(&folder).env("PATH", format!("{binaries}:{path}"));
        let Finished { code, err, .. } = shell.output().expect("there is a shell").into();
        assert_eq!(code, 0, "{page}: {command}\n{err}");
    }
}

/// The command; a server stops when it is ready, and a run after some steps.
fn ending(command: &str) -> String {
    let command = command.trim_end_matches(" &");
    let command = command.split_once("  #").map_or(command, |(command, _)| command.trim_end());
    if let Some(arguments) = command.strip_prefix("situated serve") {
        return serving(arguments);
    }
    if command.starts_with("situated run") {
        let steps = if command.contains("--steps") { "" } else { " --steps 100" };
        let port = if command.contains("--page") { " --port 0" } else { "" };
        return format!("{command}{steps}{port}");
    }
    command.to_owned()
}

/// Runs the agent of the README: lines of JSON, each of which the server answers with a result.
#[test]
fn the_lines_of_json_in_the_readme_work() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the page");
    let lines = blocks(&readme, "json")[0];
    assert_eq!(lines.lines().count(), 5);
    with_server(|port| {
        let mut connection = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        let mut responses = BufReader::new(connection.try_clone().expect("a second handle")).lines();
        for line in lines.lines() {
            writeln!(connection, "{line}").expect("it reads");
            let response = responses.next().expect("a response").expect("a line");
            let response: Value = serde_json::from_str(&response).expect("JSON");
            assert!(response["result"].is_object(), "{line}: {response}");
        }
    });
}

/// Runs the agent of the quick start, which acts ten times and prints what it perceived.
#[test]
fn the_agent_of_the_quick_start_runs() {
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let page = fs::read_to_string(root().join("docs/src/quick-start/agent.md")).expect("the page");
    let agent = blocks(&page, "python")[0];
    let file = fresh_directory("quick start").join("agent.py");
    fs::write(&file, agent).expect("there is room");
    with_server(|port| {
        let run = Command::new("python3").arg(&file).arg(port.to_string()).output();
        let Finished { code, out, err } = run.expect("it starts").into();
        assert_eq!((code, out.lines().count()), (0, 10), "{out}{err}");
        assert!(out.contains("[{'name': 'at', 'args': [3, 1]}") || out.contains("'name': 'see'"), "{out}");
    });
}

/// Runs a test against a server with Find the Goals.
fn with_server(test: impl FnOnce(u16)) {
    let serving = Serving::start("find-goals");
    let (_, port) = serving.address.rsplit_once(':').expect("an address has a port");
    test(port.parse().expect("a number"));
}
