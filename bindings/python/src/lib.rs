//! The native part of the Python package `situated`. It is thin: it converts names, terms and arrays between Python and
//! the other crates.

mod arrays;
mod checking;
mod episode;
mod error;
mod interface;
mod parallel;
mod performing;
mod provider;
mod remote;
mod scene;
mod terms;
mod tools;
mod vector;

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situated::names;

/// The native part of the package; use `situated`.
#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use super::checking::{check, check_written};
    #[pymodule_export]
    use super::error::InterfaceError;
    #[pymodule_export]
    use super::interface::Interface;
    #[pymodule_export]
    use super::parallel::Parallel;
    #[pymodule_export]
    use super::performing::Performer;
    #[pymodule_export]
    use super::remote::directory_changes;
    #[pymodule_export]
    use super::remote::{Agent, Answer, Connecting, Directory, Hosted, Hosting, Session, Subscription};
    #[pymodule_export]
    use super::scene::{Animation, Scene, Shape};
    #[pymodule_export]
    use super::terms::{read_numeral, term_to_text};
    #[pymodule_export]
    use super::tools::Tools;
    #[pymodule_export]
    use super::vector::Vector;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Runs the command `situated` with these words, of which the first is its name, and returns its exit code.
    #[pyfunction]
    fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
        let code = py.detach(|| situated_cli::main_with(situated_registry::shipped(), words));
        u8::from(code != ExitCode::SUCCESS)
    }

    /// Joins outputs of `situated run --repeat --format json` for some seeds each to the table for all seeds, in this
    /// format: text, csv or json.
    #[pyfunction]
    fn join_results(parts: Vec<String>, format: &str) -> PyResult<String> {
        let joined = situated_cli::join_results(parts.iter().map(String::as_str), format);
        joined.map_err(|error| PyValueError::new_err(format!("{error:#}")))
    }

    /// The names of the environments that ship with the package, each with a summary.
    #[pyfunction]
    fn environments() -> Vec<(String, String)> {
        let shipped = situated_registry::shipped();
        let ontologies = shipped.environments().map(|registered| &registered.ontology);
        ontologies.map(|ontology| (ontology.name.clone(), ontology.summary().into())).collect()
    }

    /// The error message for an unknown name; `others` are the names of environments that do not ship.
    #[pyfunction]
    fn no_such_environment(name: &str, others: Vec<String>) -> String {
        error::no_environment_of(name, &others)
    }

    /// The end of an error for an unknown name, which suggests one of these names if it is similar enough.
    #[pyfunction]
    fn did_you_mean(name: &str, known: Vec<String>) -> String {
        names::did_you_mean(names::nearest(name, known.iter().map(String::as_str)))
    }

    /// The seed of the episode after the one with this seed, unless another one is given.
    #[pyfunction]
    fn next_seed(seed: u64) -> u64 {
        situated::random::next_seed(seed)
    }

    /// The names of the environments with an encoding, which vectors need.
    #[pyfunction]
    fn encoded_environments() -> Vec<String> {
        crate::vector::shipped().into_keys().collect()
    }
}
