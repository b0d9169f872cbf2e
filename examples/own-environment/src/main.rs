//! The command `elevator`: everything that the command `situated` does, for an environment of another author.

use std::process::ExitCode;

use elevator::Elevator;
use situated_cli::{Registry, environment};

fn main() -> ExitCode {
    situated_cli::main(Registry::new().with(environment::<Elevator>().with_agents().with_encoding()))
}
