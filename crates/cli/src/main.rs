//! The command `situated`, with the environments that ship with it.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod allocator;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    allocator::set_up();
    situated_cli::main(situated_registry::shipped())
}
