//! `situated acl convert`: converts messages from any encoding to any other.

use std::io::{self, IsTerminal, Write};

use anyhow::{Context, bail};

use super::complain;
use super::form::{Form, Platform, framed};
use super::source::Source;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Output encoding.
    #[arg(long, value_enum, value_name = "FORM")]
    to: Form,
    /// Platform to write for. JADE reads some things differently from the standard.
    #[arg(long = "for", value_enum, value_name = "PLATFORM", default_value_t = Platform::Standard)]
    platform: Platform,
}

const EXAMPLES: &str = "\
Examples:
  echo '(inform :sender A :receiver B :content <p>plums</p>)' | situated acl convert --lenient --to string
  echo '(inform :content \"it rains\")' | situated acl convert --to xml
  echo '(inform :content \"it rains\")' | situated acl convert --to bit-efficient > rain.acl
  echo 'fa101301' | situated acl convert --to string
  echo '(inform :content \"it rains\")' | situated acl convert --to bit-efficient --for jade > rain.acl
  situated acl convert --by jade rain.acl --to string

Repairs of --lenient are listed on the standard error. The output conforms to the grammar.

Exit codes:
  0  all messages were written
  1  a message could not be read, or cannot be written in that encoding";

/// Writes messages in another encoding.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if arguments.to == Form::BitEfficient && out.is_terminal() {
        bail!("a terminal cannot show bytes; redirect the output to a file, or use --to hex");
    }
    arguments.source.for_each(|letter| {
        for repair in &letter.repairs {
            complain(format_args!("repaired: {repair}"));
        }
        let data = arguments.platform.dialect().encode(arguments.to.encoding(), &letter.message);
        let data =
            data.with_context(|| format!("the message at {} cannot be written in this encoding", letter.place))?;
        out.write_all(&framed(arguments.to, data))?;
        Ok(())
    })
}
