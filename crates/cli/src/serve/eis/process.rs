//! The Java process of an EIS environment. Tasks and reports are lines of JSON on its standard streams.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use situated::host::HostRequest;

use super::Message;

/// The variable with the path of the host's jar.
const HOST_JAR: &str = "SITUATED_EIS_HOST";

/// Time for a process to end by itself.
pub(super) const FAREWELL: Duration = Duration::from_secs(2);

/// The command that starts a process for an environment.
pub(super) struct Launch {
    java: PathBuf,
    class_path: OsString,
    jar: PathBuf,
    /// The file with the ontology, whose declarations the process does not report again.
    ontology: Option<PathBuf>,
}

/// A process. Dropping it ends it.
pub(super) struct JavaProcess {
    child: Child,
    input: Option<ChildStdin>,
}

impl Launch {
    /// Finds Java, the host's jar, and the library of EIS for the jar of an environment: in the jar, or beside it as
    /// `eis-*.jar`.
    pub(super) fn find(jar: &Path, ontology: Option<&PathBuf>) -> anyhow::Result<Self> {
        let jar = fs::canonicalize(jar).with_context(|| format!("cannot read {}", jar.display()))?;
        let mut class_path = vec![host_jar()?, jar.clone()];
        let beside = jar.parent().map(fs::read_dir).transpose()?.into_iter().flatten().flatten();
        let mut libraries: Vec<PathBuf> = beside.map(|entry| entry.path()).filter(|path| is_library(path)).collect();
        libraries.sort();
        class_path.extend(libraries);
        let java = env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin").join("java"));
        let (java, class_path) = (java.unwrap_or_else(|| "java".into()), env::join_paths(class_path)?);
        Ok(Self { java, class_path, jar, ontology: ontology.cloned() })
    }
}

fn is_library(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("eis-") && name.ends_with(".jar")
}

/// Returns the path of the host's jar: as the variable says, beside the command, or in the clone that it was built in.
fn host_jar() -> anyhow::Result<PathBuf> {
    let file = format!("situated-eis-host-{}.jar", env!("CARGO_PKG_VERSION"));
    let command = env::current_exe().and_then(fs::canonicalize)?;
    let near = command.parent().map(|folder| folder.join(&file));
    let built = command.ancestors().map(|folder| folder.join("bindings/java/eis-host/target").join(&file));
    let mut places: Box<dyn Iterator<Item = PathBuf>> = match env::var_os(HOST_JAR) {
        Some(path) => Box::new(iter::once(path.into())),
        None => Box::new(near.into_iter().chain(built)),
    };
    if let Some(found) = places.find(|path| path.is_file()) {
        return Ok(found);
    }
    bail!(
        "the host for EIS environments, {file}, is not there; releases contain it, and a clone builds it with \
         `mvn -f bindings/java/pom.xml -DskipTests package`: put it beside `{}`, or set {HOST_JAR} to its path",
        command.display()
    )
}

impl JavaProcess {
    /// Starts a process; its lines come as messages with this number.
    pub(super) fn start(launch: &Launch, number: u64, reports: SyncSender<Message>) -> anyhow::Result<Self> {
        let mut command = Command::new(&launch.java);
        command.arg("-cp").arg(&launch.class_path).arg("situated.eis.HostMain").arg(&launch.jar).args(&launch.ontology);
        // A terminal sends Ctrl-C to the whole group of the command, which ends its processes itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| match error.kind() {
            ErrorKind::NotFound => anyhow::anyhow!(
                "there is no Java at `{}`; install a JRE 8 or later (Debian: apt-get install default-jre-headless), or set \
                 JAVA_HOME",
                launch.java.display()
            ),
            _ => anyhow::anyhow!("cannot start Java at `{}`: {error}", launch.java.display()),
        })?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("the process has no output")?);
        thread::Builder::new().name("situated-eis-reports".into()).spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if reports.send(Message::Line(number, line)).is_err() {
                    return;
                }
            }
            let _ = reports.send(Message::Gone(number));
        })?;
        Ok(Self { child, input })
    }

    /// Sends a task. If the process has ended, its output says so.
    pub(super) fn send(&mut self, request: &HostRequest) {
        let Some(input) = &mut self.input else { return };
        if let Ok(mut line) = serde_json::to_vec(request) {
            line.push(b'\n');
            let _ = input.write_all(&line).and_then(|()| input.flush());
        }
    }
}

impl Drop for JavaProcess {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.input = None;
        let begin = Instant::now();
        while begin.elapsed() < FAREWELL {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(Duration::from_millis(10)),
                _ => return,
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
