//! The native part of the Python package `situated`: the interface in the process, and what learners step. It is thin: names,
//! terms and arrays are translated here, and everything else is done by the crates below or in Python above.

mod arrays;
mod checking;
mod error;
mod interface;
mod parallel;
mod provider;
mod remote;
mod scene;
mod terms;
mod vector;

use pyo3::prelude::*;

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
    use super::remote::{Agent, Answer, Connecting, Hosted, Session, Subscription};
    #[pymodule_export]
    use super::scene::{Scene, Shape};
    #[pymodule_export]
    use super::vector::Vector;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// The names of the environments that ship with the package, with what each is about in a line.
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

    /// The names of those that have an encoding, so that they can be stepped on numbers.
    #[pyfunction]
    fn encoded_environments() -> Vec<String> {
        let shipped = situated_registry::shipped();
        let encoded = shipped.environments().filter(|registered| registered.vector.is_some());
        encoded.map(|registered| registered.ontology.name.clone()).collect()
    }
}
