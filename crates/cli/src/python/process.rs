//! The Python process of an environment. Its tasks and reports are lines of JSON on its standard streams.

use std::env;
use std::fmt;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use serde::Deserialize;
use situated::host::{HostAnswer, HostReport, HostRequest, HostTask, HostUpdate, LONGEST_ANSWER, LONGEST_BEGINNING};
use situated::ontology::Ontology;

use crate::terminal::print_error;

/// The variable with the Python that runs Python files. The command of the Python package sets it.
const PYTHON: &str = "SITUATED_PYTHON";

/// Loads the package, which may be missing or too old.
const BOOT: &str = "\
import sys
sys.path = [folder for folder in sys.path if folder]
try:
    from situated.hosting.process import main
except ImportError as error:
    import json
    print(json.dumps({'missing': str(error)}))
else:
    main()
";

/// Time for a process to end by itself.
const FAREWELL: Duration = Duration::from_secs(2);

/// Time after which another thread takes over the work of a thread of the server that waits for an answer.
const QUICK: Duration = Duration::from_millis(2);

/// A process. Dropping it ends it.
pub(super) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    /// Closed when all that the process has written for people is printed.
    printed: Receiver<()>,
}

/// The reason why a process has not started.
pub(super) enum NotStarted {
    /// The file has no environment that can run.
    Unusable(String),
    /// There is no Python with the package.
    Failed(anyhow::Error),
}

/// A line of a process.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Line {
    /// The package cannot be imported.
    Missing(String),
    /// The file has no environment that can run.
    Unusable(String),
    /// These files of the author were loaded.
    Loaded(Vec<PathBuf>),
    /// The environment declares this.
    Ready(Box<Ontology>),
    /// The report of a task.
    Report(Box<HostReport>),
    /// An exception of the environment has ended it.
    Failed(String),
}

impl Process {
    /// Starts a process for an environment in a file. Returns it with the ontology that it declares. `loads` gets the
    /// files of the author that the process loads.
    pub(super) fn start(
        python: Option<&Path>,
        file: &Path,
        name: Option<&str>,
        reloads: bool,
        loads: impl Fn(Vec<PathBuf>) + Send + 'static,
    ) -> Result<(Self, Ontology), NotStarted> {
        let (python, mut child) = spawn(python, |command| {
            command.args(["-u", "-c", BOOT]).arg(file).args(["--name", name.unwrap_or_default()]);
            command.args(reloads.then_some("--reload"));
        })?;
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().context("the process has no output")?);
        let read = move || {
            for line in output.lines().map_while(Result::ok) {
                let passed_on = match serde_json::from_str(&line) {
                    Ok(Line::Loaded(files)) => {
                        loads(files);
                        true
                    }
                    Ok(line) => sender.send(line).is_ok(),
                    Err(_) => false,
                };
                if !passed_on {
                    return;
                }
            }
        };
        thread::Builder::new().name("situated-python-reports".into()).spawn(read)?;
        let (prints, printed) = mpsc::channel();
        let errors = BufReader::new(child.stderr.take().context("the process has no errors")?);
        let print = move || {
            errors.lines().map_while(Result::ok).for_each(|line| print_error(&line));
            drop::<mpsc::Sender<()>>(prints);
        };
        thread::Builder::new().name("situated-python-errors".into()).spawn(print)?;
        let input = child.stdin.take();
        let process = Self { child, input, lines, printed };
        match process.lines.recv_timeout(LONGEST_BEGINNING) {
            Ok(Line::Ready(ontology)) => Ok((process, *ontology)),
            Ok(Line::Unusable(reason)) => Err(NotStarted::Unusable(reason)),
            Ok(Line::Missing(reason)) => Err(NotStarted::Failed(anyhow!(
                "{python} has no package `situated` of this version ({reason}); install it: {python} -m pip install --upgrade \
                 situated, or ./bindings/python in a clone; or name another Python: --python PROGRAM"
            ))),
            Ok(_) | Err(_) => Err(NotStarted::Failed(anyhow!("{python} has not loaded {}", file.display()))),
        }
    }

    /// Lets the process perform a task.
    pub(super) fn perform(&mut self, request: HostRequest) -> Result<(HostAnswer, HostUpdate), String> {
        let begins = matches!(request.task, HostTask::Init { .. } | HostTask::Reset { .. });
        let limit = if begins { LONGEST_BEGINNING } else { LONGEST_ANSWER };
        let is_last = request.task == HostTask::Kill;
        let sent = self.send(&request);
        if is_last {
            self.input = None;
            return Ok((HostAnswer::Done, HostUpdate::default()));
        }
        sent.map_err(|_| "its Python process has ended".to_owned())?;
        match self.receive(limit) {
            Ok(Line::Report(report)) => match *report {
                HostReport::Answer { answer, update, .. } => Ok((answer, update)),
                HostReport::Update(_) => Err("its Python process has not answered".into()),
            },
            Ok(Line::Failed(reason)) => Err(reason),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => Err("its Python process has ended".into()),
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.child.kill();
                Err(format!("its Python process has not answered within {} s", limit.as_secs()))
            }
        }
    }

    fn send(&mut self, request: &HostRequest) -> io::Result<()> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        let input = self.input.as_mut().ok_or(ErrorKind::BrokenPipe)?;
        input.write_all(&line).and_then(|()| input.flush())
    }

    fn receive(&self, limit: Duration) -> Result<Line, RecvTimeoutError> {
        let quick = self.lines.recv_timeout(QUICK);
        if !matches!(quick, Err(RecvTimeoutError::Timeout)) {
            return quick;
        }
        // Other environments of the server do not wait for this one.
        tokio::task::block_in_place(|| self.lines.recv_timeout(limit))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.input = None;
        let begin = Instant::now();
        while begin.elapsed() < FAREWELL && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = self.printed.recv_timeout(FAREWELL);
    }
}

/// Starts the Python that the user has chosen, or the first one that is there. Returns its name, too.
fn spawn(chosen: Option<&Path>, arguments: impl Fn(&mut Command)) -> Result<(String, Child), NotStarted> {
    let pythons = pythons(chosen);
    for python in &pythons {
        let mut command = Command::new(python);
        arguments(&mut command);
        // A terminal sends Ctrl-C to the whole group of the command, which ends its processes itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        match command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
            Ok(child) => return Ok((python.display().to_string(), child)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                return Err(NotStarted::Failed(anyhow!("cannot start Python at `{}`: {error}", python.display())));
            }
        }
    }
    let tried: Vec<String> = pythons.iter().map(|python| format!("`{}`", python.display())).collect();
    Err(NotStarted::Failed(anyhow!(
        "there is no Python at {}; install Python 3.10 or later and the package (pip install situated), or name another \
         Python: --python PROGRAM",
        tried.join(" or ")
    )))
}

/// Returns the Pythons to try, in order.
fn pythons(chosen: Option<&Path>) -> Vec<PathBuf> {
    if let Some(chosen) = chosen.map(Path::to_owned).or_else(|| env::var_os(PYTHON).map(PathBuf::from)) {
        return vec![chosen];
    }
    let in_environment = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python3" };
    match env::var_os("VIRTUAL_ENV") {
        Some(environment) => vec![Path::new(&environment).join(in_environment)],
        None => vec!["python3".into(), "python".into()],
    }
}

impl From<anyhow::Error> for NotStarted {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<io::Error> for NotStarted {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl fmt::Display for NotStarted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable(reason) => reason.fmt(formatter),
            Self::Failed(error) => write!(formatter, "{error:#}"),
        }
    }
}
