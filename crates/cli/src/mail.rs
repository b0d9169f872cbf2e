//! `situated mail`: sends and receives messages of agents, and lists their services, for people and scripts.

mod directory;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Read, Write};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Subcommand;
use situated_acl::{Encoding, Expression, Message, Performative, Word};
use situated_client::{Client, Mail, Mailbox};
use situated_platform::names::{AMS, platform_of, qualified};
use situated_wire::methods::Role;
use tokio::time::timeout;

use crate::{acl, serve};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Sends a message to agents of a server.
    #[command(after_help = SEND_EXAMPLES)]
    Send(Sending),
    /// Waits for one message, and prints it.
    #[command(after_help = READ_EXAMPLES)]
    Read(Receiving),
    /// Prints all messages until it is interrupted (Ctrl-C).
    #[command(after_help = WATCH_EXAMPLES)]
    Watch(Receiving),
    /// Lists the agents that are registered with a server, and their services.
    #[command(after_help = directory::EXAMPLES)]
    Directory(directory::Listing),
}

#[derive(clap::Args)]
struct Server {
    /// Address of the server: tcp://HOST:PORT, tls://HOST:PORT, ws://HOST:PORT or wss://HOST:PORT.
    #[arg(long, value_name = "URL", default_value = "tcp://127.0.0.1:7467")]
    url: String,
    /// Token with the right to act, if the server requires tokens.
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
}

#[derive(clap::Args)]
struct Sending {
    /// Content [default: standard input].
    #[arg(value_name = "TEXT")]
    content: Option<String>,
    /// Name of the agent that sends the message. It is registered for as long as the command runs.
    #[arg(long, value_name = "NAME")]
    from: String,
    /// Name of an agent that gets the message; can be repeated.
    #[arg(long, value_name = "NAME", required = true)]
    to: Vec<String>,
    /// Communicative act, one of the 22 of FIPA.
    #[arg(long, value_name = "ACT", default_value = "inform")]
    act: Performative,
    /// Language of the content.
    #[arg(long, value_name = "NAME")]
    language: Option<String>,
    /// Ontology of the content.
    #[arg(long, value_name = "NAME")]
    ontology: Option<String>,
    /// Protocol of the conversation.
    #[arg(long, value_name = "NAME", value_parser = |name: &str| Word::new(name.to_owned()))]
    protocol: Option<Word<'static>>,
    /// Conversation that the message belongs to.
    #[arg(long, value_name = "ID")]
    conversation_id: Option<String>,
    /// Token that answers repeat.
    #[arg(long, value_name = "TOKEN")]
    reply_with: Option<String>,
    /// Token of the message that this one answers.
    #[arg(long, value_name = "TOKEN")]
    in_reply_to: Option<String>,
    #[command(flatten)]
    server: Server,
}

#[derive(clap::Args)]
struct Receiving {
    /// Name of the agent that gets the messages. It is registered for as long as the command runs.
    #[arg(value_name = "NAME")]
    agent: String,
    #[command(flatten)]
    server: Server,
}

const EXAMPLES: &str = "\
Examples:
  situated mail watch bob
  situated mail send --from ada --to bob 'it is done'
  situated mail directory
  situated mail send --help

The command speaks to a server that runs already: situated serve find-goals";

const SEND_EXAMPLES: &str = "\
Examples:
  situated mail send --from ada --to bob --to cleo 'it is done'
  situated mail send --from ada --to bob --act request --protocol fipa-request < plan.txt

Exit codes:
  0  the message is in the mailboxes of all its receivers
  1  it is not, or a receiver does not exist; the others have got it then
  2  wrong usage

With receivers on other platforms (--to bob@farm), the command waits up to a minute until these have answered. If they
have not, it fails (1), and the server goes on trying for an hour. The sender leaves at the end of the command, so
answers to the message come back to the receivers as failures.";

const READ_EXAMPLES: &str = "\
Examples:
  situated mail read bob
  situated mail read bob | situated acl parse --json

On a terminal, the command prints a table. Otherwise it prints the message in the string encoding of FIPA ACL.";

const WATCH_EXAMPLES: &str = "\
Examples:
  situated mail watch bob
  situated mail watch bob > received.acl

On a terminal, the command prints tables. Otherwise it prints the messages in the string encoding of FIPA ACL.";

/// Runs the subcommand.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match arguments.command {
            Command::Send(sending) => send(sending).await,
            Command::Read(Receiving { agent, server }) => receive(&agent, &server, false).await,
            Command::Watch(Receiving { agent, server }) => receive(&agent, &server, true).await,
            Command::Directory(listing) => directory::list(listing).await,
        }
    })
}

impl Server {
    async fn open_mailbox(&self, agent: &str) -> anyhow::Result<(Client, Mailbox)> {
        let mut connect = Client::connect(&self.url).role(Role::Platform).program("situated mail");
        if let Some(token) = &self.token {
            connect = connect.token(token);
        }
        let client = connect.await?;
        let mailbox = client.open_mailbox(agent).await?;
        Ok((client, mailbox))
    }
}

async fn send(sending: Sending) -> anyhow::Result<()> {
    let message = sending.message()?;
    let (client, mailbox) = sending.server.open_mailbox(&sending.from).await?;
    let mut mail = mailbox.mail().await?;
    mailbox.send(&message).await?;
    let mut failures = Vec::new();
    let answered = timeout(PATIENCE, ask_platforms(&sending.to, &mailbox, &mut mail, &mut failures)).await;
    mailbox.close().await?;
    // Failures came before the mailbox was closed, which ends the subscription.
    while let Ok(message) = mail.receive().await {
        failures.extend(failure(&message));
    }
    client.close().await?;
    if !failures.is_empty() {
        bail!("the message did not reach all its receivers:\n{}", failures.join("\n"));
    }
    match answered {
        Ok(asked) => asked,
        Err(_) => bail!("another platform has not answered within a minute; the server goes on trying for an hour"),
    }
}

/// The reason why a message did not reach a receiver, if the message is about that.
fn failure(message: &Message<'_>) -> Option<String> {
    let content = message.content.as_ref().and_then(|content| content.as_text());
    content.filter(|_| message.is_delivery_report()).map(str::to_owned)
}

/// Waits until the platforms of these receivers have accepted or rejected what was sent to them: a platform gets
/// messages in order, so its AMS then answers a question.
async fn ask_platforms(
    receivers: &[String],
    mailbox: &Mailbox,
    mail: &mut Mail,
    failures: &mut Vec<String>,
) -> anyhow::Result<()> {
    let token = Expression::from(format!("situated-mail-{}", std::process::id()));
    let platforms: BTreeSet<&str> = receivers.iter().filter_map(|name| platform_of(name)).collect();
    for platform in &platforms {
        mailbox.send(&question(platform).reply_with(token.clone())).await?;
    }
    let mut unanswered = platforms.len();
    while unanswered > 0 {
        let message = mail.receive().await?;
        match &message.in_reply_to {
            Some(answered) if answered.says_same(&token) => unanswered -= 1,
            _ => failures.extend(failure(&message)),
        }
    }
    Ok(())
}

/// A request that the AMS of each platform answers.
fn question(platform: &str) -> Message<'static> {
    let ams = qualified(AMS, platform);
    let content = format!("((action (agent-identifier :name {ams}) (get-description)))");
    Message::request().to(ams).language("fipa-sl0").ontology("FIPA-Agent-Management").content(content)
}

impl Sending {
    fn message(&self) -> anyhow::Result<Message<'static>> {
        let content = match &self.content {
            Some(content) => content.clone(),
            None => io::read_to_string(io::stdin().take(MOST_BYTES)).context("cannot read standard input")?,
        };
        let mut message = Message::new(self.act).content(content);
        message.receivers = self.to.iter().map(|name| name.clone().into()).collect();
        let value = |text: &Option<String>| text.clone().map(Into::into);
        (message.language, message.ontology) = (value(&self.language), value(&self.ontology));
        message.protocol = self.protocol.clone();
        message.conversation_id = value(&self.conversation_id);
        (message.reply_with, message.in_reply_to) = (value(&self.reply_with), value(&self.in_reply_to));
        Ok(message)
    }
}

/// Maximum time to wait for other platforms.
const PATIENCE: Duration = Duration::from_secs(60);

/// Maximum number of bytes read from standard input, more than a server accepts.
const MOST_BYTES: u64 = 1 << 20;

/// Prints the next message, or all until a signal stops the command. Messages that are not printed return to their
/// senders.
async fn receive(agent: &str, server: &Server, all: bool) -> anyhow::Result<()> {
    let stop = serve::stop_signal()?;
    let (client, mailbox) = server.open_mailbox(agent).await?;
    let mut mail = mailbox.mail().await?;
    let receiving = async {
        loop {
            print(&mail.receive().await?)?;
            if !all {
                return Ok(());
            }
        }
    };
    let received = tokio::select! {
        received = receiving => received,
        () = stop => Ok(()),
    };
    drop(mail);
    // If the connection is lost, the session ends by itself.
    let _ = mailbox.close().await;
    let _ = client.close().await;
    received
}

fn print(message: &Message<'_>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        writeln!(out, "{}", acl::shown(message))?;
    } else {
        out.write_all(&Encoding::String.encode(message)?)?;
        writeln!(out)?;
    }
    Ok(())
}
