//! `situated mcp`: an environment for one language model, whose program starts this command and speaks to it over
//! standard input and output.

use crate::serve;

/// The arguments of `situated mcp`.
#[derive(clap::Args)]
#[group(skip)]
#[command(mut_arg("port", |port| port.help("Port of the server [default: any free port]")))]
pub(crate) struct Arguments {
    /// Entity that the model controls [default: the first free one].
    #[arg(long, value_name = "NAME")]
    entity: Option<String>,
    #[command(flatten)]
    serve: serve::Arguments,
}

pub(crate) const EXAMPLES: &str = "\
Examples:
  situated mcp find-goals --agents random --entity red
  situated mcp bw4t --robots 2 --port 7467

Programs for language models start this command by themselves. In the settings of many of them:
  { \"mcpServers\": { \"bw4t\": { \"command\": \"situated\", \"args\": [\"mcp\", \"bw4t\"] } } }

It is a server as `situated serve` is, too, so that people and other agents can play beside the model. The addresses
are printed to standard error. It ends when the program closes standard input.";

/// Serves until the program of the model has ended.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    serve::run_with_model(&arguments.serve, arguments.entity.as_deref())
}
