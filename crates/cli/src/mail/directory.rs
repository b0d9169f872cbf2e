//! `situated mail directory`: the agents of a server and their services.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use situated_acl::{Expression, string};
use situated_client::directory::{Description, Service};

use super::Server;
use crate::table;

#[derive(clap::Args)]
pub(crate) struct Listing {
    /// List only agents with a service of this type.
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// List also agents with services in the directories of other platforms, up to this number of directories one after
    /// another.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    max_depth: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

pub(crate) const EXAMPLES: &str = "\
Examples:
  situated mail directory
  situated mail directory --type trade | cut -f 1
  situated mail directory --max-depth 1
  situated mail directory --json

On a terminal, the command prints a table. Otherwise it prints a line for each service, with tabs between agent,
service, type and properties.";

/// The agents and services as JSON.
#[derive(Serialize)]
struct Listed<'a> {
    agents: &'a [String],
    services: &'a [Description],
}

/// Prints the agents that are registered with a server, and their services.
pub(crate) async fn list(listing: Listing) -> anyhow::Result<()> {
    let asker = format!("situated-mail-{}", std::process::id());
    let (client, mailbox) = listing.server.open_mailbox(&asker).await?;
    let directory = mailbox.directory();
    let template: Description = listing.kind.map(|kind| Service::of_type(kind).into()).unwrap_or_default();
    let is_filtered = template != Description::default();
    let services = directory.search_federated(template, listing.max_depth).await?;
    let is_shown =
        |name: &String| *name != asker && (!is_filtered || services.iter().any(|one| one.agent.as_ref() == Some(name)));
    let mut agents: Vec<String> = directory.agents().await?.into_iter().filter(is_shown).collect();
    let elsewhere: BTreeSet<&String> =
        services.iter().filter_map(|one| one.agent.as_ref()).filter(|name| !agents.contains(name)).collect();
    agents.extend(elsewhere.into_iter().cloned().collect::<Vec<_>>());
    mailbox.close().await?;
    client.close().await?;
    if listing.json {
        let listed = Listed { agents: &agents, services: &services };
        writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&listed)?)?;
        return Ok(());
    }
    let rows = agents.iter().flat_map(|agent| rows(agent, &services));
    if io::stdout().is_terminal() {
        table::print(["AGENT", "SERVICE", "TYPE", "PROPERTIES"], rows)?;
    } else {
        let lines: String = rows.map(|row| row.map(|cell| cell.replace(['\t', '\n'], " ")).join("\t") + "\n").collect();
        io::stdout().write_all(lines.as_bytes())?;
    }
    Ok(())
}

/// A row for each service of an agent, or one with only its name.
fn rows(agent: &str, services: &[Description]) -> Vec<[String; 4]> {
    let described = services.iter().find(|one| one.agent.as_deref() == Some(agent));
    let services = described.map(|described| &described.services[..]).unwrap_or_default();
    if services.is_empty() {
        return vec![[agent.to_owned(), String::new(), String::new(), String::new()]];
    }
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let row = |service: &Service| [agent.to_owned(), text(&service.name), text(&service.kind), properties(service)];
    services.iter().map(row).collect()
}

/// The properties of a service: `price=3, unit=box`.
fn properties(service: &Service) -> String {
    let shown = |(name, value): (&String, &Expression<'_>)| {
        let mut text = Vec::new();
        // A value that was received can be written.
        let _ = string::write_expression(value, &mut text);
        format!("{name}={}", String::from_utf8_lossy(&text))
    };
    service.properties.iter().map(shown).collect::<Vec<_>>().join(", ")
}
