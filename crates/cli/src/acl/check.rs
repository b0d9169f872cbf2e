//! `situated acl check`: checks whether conversations follow their protocols.

use std::io::{self, Write};

use anyhow::bail;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use situated_acl::{Monitor, Problem, Profile, Protocol};

use super::source::Source;
use super::{complain, printable};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Rules to check against.
    #[arg(long, value_enum, default_value_t = Rules::Standard)]
    profile: Rules,
    /// Protocol of messages that name none, for example `fipa-contract-net`.
    #[arg(long, ignore_case = true, hide_possible_values = true, value_parser = protocols())]
    protocol: Option<Protocol>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Rules {
    /// The rules of FIPA.
    Standard,
    /// The rules of the tutorial `ACL & Protocols`: a query may be confirmed or disconfirmed, and a cancel needs no
    /// answer.
    Tutorial,
}

const EXAMPLES: &str = "\
Examples:
  situated acl check conversation.acl
  situated acl check --profile tutorial --lenient --protocol fipa-subscribe subscription.acl

The command checks the messages in their order in the files; they can belong to any number of conversations. It does not
know when they were sent, so no deadline passes.

Exit codes:
  0  no message breaks a rule; unusual messages are reported on the standard error
  1  a message breaks a rule or cannot be read";

fn protocols() -> impl TypedValueParser<Value = Protocol> {
    PossibleValuesParser::new(Protocol::ALL.map(Protocol::name)).try_map(|name| name.parse::<Protocol>())
}

/// Reports whether conversations follow their protocols.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let profile = match arguments.profile {
        Rules::Standard => Profile::Standard,
        Rules::Tutorial => Profile::Tutorial,
    };
    let mut monitor = Monitor::new(profile);
    let (mut count, mut judged) = (0, 0);
    arguments.source.for_each(|letter| {
        let mut message = letter.message;
        if let (None, Some(protocol)) = (&message.protocol, arguments.protocol) {
            message.protocol = Some(protocol.into());
        }
        count += 1;
        judged += usize::from(message.protocol.is_some() || profile == Profile::Tutorial);
        for finding in monitor.observe(&message, 0) {
            let report = format!("message {count} ({}): {finding}", letter.place);
            // The files have the conversations from their beginnings.
            if finding.is_violation() || matches!(finding.problem, Problem::UnknownConversation(_)) {
                bail!(printable(&report));
            }
            complain(report);
        }
        Ok(())
    })?;
    let in_all = format!("{} in {}", counted(judged, "message"), counted(monitor.conversations(), "conversation"));
    writeln!(io::stdout(), "{in_all} follow their protocols.")?;
    if judged < count {
        let others = counted(count - judged, "message");
        complain(format_args!("{others} without a protocol were not checked; name it with --protocol"));
    }
    Ok(())
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
