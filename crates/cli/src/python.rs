//! Environments in Python files, such as `shop.py` or `shop.py:Shop`. Each runs in a Python process of its own, and is
//! otherwise an environment like those of the registry.

mod process;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::anyhow;
use situated::host::{Host, HostAnswer, HostRequest, HostTask, HostUpdate};
use situated::hosted::HostedInterface;
use situated::interface::Error as Refused;
use situated::ontology::Ontology;
use situated_checker::Settings;
use situated_registry::{MakeInterface, Registered};
use situated_runtime::Error;

use crate::usage::wrong_usage;
use process::{NotStarted, Process};

/// Time between two looks at the files.
pub(crate) const LOOK: Duration = Duration::from_millis(300);

/// Time after a change of a file until it counts as saved.
const SETTLED: Duration = Duration::from_millis(50);

/// How Python files are run.
#[derive(clap::Args, Clone, Default)]
pub(crate) struct PythonArguments {
    /// Python that runs an environment in a Python file; it needs the package `situated` [default: that of the active
    /// virtual environment, or `python3` in the PATH].
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) python: Option<PathBuf>,
}

/// A Python file with an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PythonFile {
    path: PathBuf,
    /// The name of the class or function in it; `None` for the only one.
    name: Option<String>,
}

impl PythonFile {
    /// Returns the file that a text names as `FILE.py` or `FILE.py:NAME`.
    pub(crate) fn named(text: &str) -> Option<Self> {
        let (path, name) = match text.rsplit_once(".py:") {
            Some((stem, name)) => (format!("{stem}.py"), Some(name.to_owned())),
            None => (text.strip_suffix(".py").map(|_| text.to_owned())?, None),
        };
        Some(Self { path: path.into(), name })
    }

    /// Starts its process, and returns it as an environment with the ontology that it declares. With `reloads`, a new
    /// episode begins with the file as it is then.
    ///
    /// # Errors
    /// Returns an error if there is no Python with the package, and a usage error if the file has no environment.
    pub(crate) fn load(self, python: &PythonArguments, reloads: bool) -> anyhow::Result<Loaded> {
        if !self.path.is_file() {
            return Err(wrong_usage(&anyhow!("there is no file {}", self.path.display())).into());
        }
        let shown = self.path.display().to_string();
        let source = Arc::new(Source {
            file: self,
            python: python.clone(),
            reloads,
            spare: Mutex::default(),
            seen: Mutex::default(),
        });
        let (process, ontology) = source.start().map_err(|error| match error {
            NotStarted::Unusable(reason) => wrong_usage(&anyhow!("{shown}: {reason}")).into(),
            NotStarted::Failed(error) => error,
        })?;
        ontology.check().map_err(|unsound| wrong_usage(&anyhow!("{shown}: {unsound}")))?;
        source.keep(process);
        // It is one of few environments of the command, which need it until they end.
        let environment = Box::leak(Box::new(source.clone().registered(ontology)));
        Ok(Loaded { environment, source })
    }
}

/// An environment in a Python file whose ontology is known.
pub(crate) struct Loaded {
    pub(crate) environment: &'static Registered,
    pub(crate) source: Arc<Source>,
}

/// A Python file as the command runs it.
pub(crate) struct Source {
    file: PythonFile,
    python: PythonArguments,
    reloads: bool,
    /// A process that no environment has yet.
    spare: Mutex<Option<Process>>,
    /// The files of the author that its processes have loaded, with the times at which they were changed.
    seen: Mutex<BTreeMap<PathBuf, Option<SystemTime>>>,
}

impl Source {
    fn registered(self: Arc<Self>, ontology: Ontology) -> Registered {
        let declared = ontology.clone();
        let interface: MakeInterface = Arc::new(move || {
            let host = HostInFile { source: self.clone(), process: None, requests: 0 };
            Box::new(HostedInterface::local(declared.clone(), host).expect("the ontology was checked"))
        });
        let (make, declared) = (interface.clone(), ontology.clone());
        let check = move |settings: &Settings| {
            declared.complete_parameters(&settings.parameters)?;
            let make = make.clone();
            settings.check_by_name(move || Ok(make()))
        };
        Registered { ontology, group: "", interface, agents: Vec::new(), check: Arc::new(check) }
    }

    /// Starts a process. Returns it with the ontology that it declares.
    fn start(self: &Arc<Self>) -> Result<(Process, Ontology), NotStarted> {
        let PythonFile { path, name } = &self.file;
        let source = Arc::downgrade(self);
        let loads = move |files| {
            if let Some(source) = source.upgrade() {
                source.note(files)
            }
        };
        Process::start(self.python.python.as_deref(), path, name.as_deref(), self.reloads, loads)
    }

    fn keep(&self, process: Process) {
        *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = Some(process);
    }

    fn process(self: &Arc<Self>) -> Result<Process, String> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
        spare.map_or_else(|| self.start().map(|(process, _)| process).map_err(|error| error.to_string()), Ok)
    }

    /// Notes files that a process has loaded.
    fn note(&self, files: Vec<PathBuf>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for file in files {
            let changed = changed(&file);
            seen.entry(file).or_insert(changed);
        }
    }

    /// Returns whether one of the files was changed since the last call.
    pub(crate) fn was_saved(&self) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut saved = false;
        for (file, last) in seen.iter_mut() {
            // An editor may replace the file, or still write it.
            let settled = |now: &SystemTime| now.elapsed().map_or(true, |age| age >= SETTLED);
            let Some(now) = changed(file).filter(settled) else { continue };
            saved |= last.replace(now) != Some(now);
        }
        saved
    }

    /// Returns whether a change of the files begins a new episode.
    pub(crate) fn reloads(&self) -> bool {
        self.reloads
    }

    /// The file, for messages.
    pub(crate) fn shown(&self) -> String {
        self.file.path.display().to_string()
    }

    /// Returns the message for an error with which no new episode could begin.
    pub(crate) fn not_reloaded(&self, error: &Error) -> String {
        let reason = match error {
            Error::Interface(Refused::Init(failure)) => failure.reason.clone(),
            error => error.to_string(),
        };
        format!("{} was saved, but the last code continues: {reason}", self.shown())
    }
}

fn changed(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}

/// The host of one environment, with a process of its own.
struct HostInFile {
    source: Arc<Source>,
    /// The process, from the first task on.
    process: Option<Process>,
    /// The number of tasks so far.
    requests: u64,
}

impl Host for HostInFile {
    fn perform(&mut self, task: HostTask) -> Result<(HostAnswer, HostUpdate), String> {
        let process = match &mut self.process {
            Some(process) => process,
            // It has nothing to end.
            None if task == HostTask::Kill => return Ok((HostAnswer::Done, HostUpdate::default())),
            none => none.insert(self.source.process()?),
        };
        self.requests += 1;
        process.perform(HostRequest { number: self.requests, task })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_a_python_file_and_what_is_in_it() {
        let file =
            |path: &str, name: Option<&str>| Some(PythonFile { path: path.into(), name: name.map(str::to_owned) });
        for (text, expected) in [
            ("shop.py", file("shop.py", None)),
            ("a/shop.py:Shop", file("a/shop.py", Some("Shop"))),
            (r"C:\a\shop.py:Shop", file(r"C:\a\shop.py", Some("Shop"))),
            (r"C:\a\shop.py", file(r"C:\a\shop.py", None)),
            ("find-goals", None),
            ("team.toml", None),
        ] {
            assert_eq!(PythonFile::named(text), expected, "{text}");
        }
    }
}
