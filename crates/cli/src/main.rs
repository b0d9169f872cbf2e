//! The command `situated`, with the environments that ship with it.

use std::process::ExitCode;

fn main() -> ExitCode {
    situated_cli::main(situated_registry::shipped())
}
