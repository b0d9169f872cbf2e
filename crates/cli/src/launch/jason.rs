//! Teams in AgentSpeak, which Jason runs.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{self, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

/// The program of Jason that runs a project.
const RUNNER: &str = "jason.infra.local.RunLocalMAS";

/// Returns the command that runs a project, or the only project in a folder. Jason and the adapter are on the class
/// path, or in the folder `lib` beside the project.
///
/// # Errors
/// Returns an error if there is no such project, or no jar.
pub(super) fn command(file: &Path) -> anyhow::Result<Command> {
    let project = project(file)?;
    let folder = project.parent().unwrap_or(Path::new(""));
    let folder = fs::canonicalize(folder).with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let libraries = folder.join("lib");
    let given = env::var_os("CLASSPATH").filter(|given| !given.is_empty());
    if !libraries.is_dir() && given.is_none() {
        bail!(
            "there is no Jason for {}: put its jars and those of situated into {}, or name them in the variable \
             CLASSPATH; the page \"Connect a team in Jason\" of the book says how to get them",
            project.display(),
            libraries.display()
        );
    }
    let mut class_path = vec![folder.clone(), libraries.join("*")];
    for entry in given.iter().flat_map(env::split_paths) {
        // Jason runs in the folder of the project.
        class_path.push(path::absolute(entry)?);
    }
    let class_path = env::join_paths(class_path).context("the class path for Jason")?;
    let mut command = Command::new(java());
    command.arg("-Djava.awt.headless=true").arg("-cp").arg(class_path).arg(RUNNER);
    command.arg(project.file_name().unwrap_or_default()).arg("--no-net").current_dir(folder);
    Ok(command)
}

/// Returns the project: the file itself, or the only `.mas2j` in a folder.
fn project(file: &Path) -> anyhow::Result<PathBuf> {
    if !file.is_dir() {
        if !file.is_file() {
            bail!("there is no project of Jason at {}", file.display());
        }
        return Ok(file.to_owned());
    }
    let entries = fs::read_dir(file).with_context(|| format!("cannot read the folder {}", file.display()))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let projects: Vec<PathBuf> = paths.filter(|path| path.extension() == Some(OsStr::new("mas2j"))).collect();
    match <[PathBuf; 1]>::try_from(projects) {
        Ok([project]) => Ok(project),
        Err(projects) => bail!(
            "the folder {} has {} projects of Jason (*.mas2j), expected one; name the file",
            file.display(),
            projects.len()
        ),
    }
}

/// Returns the Java to use: that of `JAVA_HOME`, or else the one in the path.
fn java() -> OsString {
    match env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        Some(home) => Path::new(&home).join("bin").join("java").into_os_string(),
        None => "java".into(),
    }
}
