//! `situated serve`: a server for environments, which runs until a signal stops it.

pub(crate) mod access;
mod addresses;
mod eis;
mod files;
mod platform;
mod reloading;
mod secret_file;

use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use anyhow::bail;
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use situated::iil::EcoString;
use situated::interface::Command;
use situated_hub::Error;
use situated_mcp::McpGateway;
use situated_recording::RecorderSettings;
use situated_runtime::Speed;
use situated_server::{Access, DataSettings, PORT, Right, Server, Settings, TlsFiles};
use tokio::sync::oneshot;
use tracing::Level;

use crate::arguments::{EpisodeArguments, PortArgument, Target, TargetParser, at_least_one};
use crate::environments::{kinds, with_kind};
use crate::launch::{Address, Launched};
use crate::models::Models;
use crate::pace::ChosenPace;
use crate::plan::Plan;
use crate::team_file::{LaunchProgram, LaunchRule, MOST_PATIENT};
use crate::usage::wrong_usage;
use access::AccessArguments;
use eis::Jar;
use platform::PlatformArguments;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Environments, Python files with one (FILE.py, or FILE.py:NAME), or team files (*.toml). Options apply to all;
    /// parameters in a team file, only to its environment. Managers can create more environments while the server
    /// runs.
    #[arg(value_name = "ENVIRONMENT|FILE", value_parser = TargetParser)]
    targets: Vec<Target>,
    /// Jar with an environment of the Environment Interface Standard (EIS), offered under the name of the jar; can be
    /// repeated. It runs in a Java process of its own.
    #[arg(long, value_name = "JAR", conflicts_with = "data")]
    eis: Vec<PathBuf>,
    /// File with the ontology of the environment in the jar [default: learned while it runs].
    #[arg(long, value_name = "FILE", requires = "eis")]
    eis_ontology: Option<PathBuf>,
    #[command(flatten)]
    episode: EpisodeArguments,
    /// The way in which time advances: `reactive` (each action), `lockstep` (all agents together), `real-time` or
    /// `real-time=HZ` (the clock) [default: as in the team file, or as the environment declares].
    #[arg(long, value_name = "PACE")]
    pace: Option<ChosenPace>,
    /// Seconds that a step in lockstep waits for agents that have not acted, also for language models [default: as in
    /// the team file, or 10 for agents of clients without a heartbeat and for language models that have called no tool
    /// for a minute, and no limit for others].
    #[arg(long, value_name = "SECONDS", value_parser = patience, allow_negative_numbers = true)]
    patience: Option<Duration>,
    /// Start with time stopped, until a manager starts it.
    #[arg(long)]
    paused: bool,
    /// Record all episodes in this folder, which is created if it does not exist.
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// Like --record, but pause environments while they cannot be recorded, for example on a full disk.
    #[arg(long, value_name = "FOLDER", conflicts_with = "record")]
    record_or_stop: Option<PathBuf>,
    /// Keep environments, sessions and numbered actions in this folder. A server that is started again with this
    /// folder continues with them, also after a crash. The folder is created if it does not exist.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Wait for the disk with each write, so that the data survives a power failure. This is slower.
    #[arg(long, requires = "data")]
    data_sync: bool,
    /// Start even if the data is damaged, without the damaged parts. The log lists them, and a folder in FOLDER keeps a
    /// copy of the damaged files. Without this option, the server refuses to start.
    #[arg(long, requires = "data")]
    data_discard: bool,
    #[command(flatten)]
    platform: PlatformArguments,
    #[command(flatten)]
    server: ServerArguments,
}

/// The address of the server, and the rights of its clients.
#[derive(clap::Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerArguments {
    /// Address to listen on; 0.0.0.0 means all network interfaces.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    #[command(flatten)]
    port: PortArgument,
    #[command(flatten)]
    access: AccessArguments,
    /// Listen beyond this machine without tokens, so that every client can do everything.
    #[arg(long)]
    exposed: bool,
    /// Origin of web pages that can connect, such as https://example.org; can be repeated.
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// Certificate chain for encrypted connections, a PEM file.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, a PEM file.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Seconds that agents keep their entities after their connection is lost.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    grace: u64,
    /// Seconds within which each client must send something, such as a ping; otherwise its connection counts as lost.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    heartbeat: Option<u64>,
    /// Maximum number of connections; clients that have not sent `hello` make room for new ones.
    #[arg(long, value_name = "N", default_value_t = Settings::default().connections, value_parser = connections)]
    connections: usize,
    /// Maximum number of connections from one address.
    #[arg(long, value_name = "N", value_parser = connections)]
    #[arg(default_value_t = Settings::default().connections_per_address)]
    connections_per_address: usize,
    /// Maximum memory in MiB that all clients together can make the server use [default: an eighth of the machine's
    /// memory].
    ///
    /// At most half of it is for what the server keeps, such as environments, and an eighth for what it keeps for one
    /// client; beyond that, it refuses to keep more. Connections have the rest, half of the whole for one address;
    /// beyond that, the server disconnects those that use most.
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    memory: Option<u32>,
    /// Show the documentation of hosted environments to language models, which may follow instructions in it.
    #[arg(long)]
    trust_host: bool,
    /// Format of the log, which goes to standard error.
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log: LogFormat,
    /// Lowest level of messages to log.
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    #[arg(value_parser = PossibleValuesParser::new(["error", "warn", "info", "debug", "trace"]))]
    log_level: String,
}

/// Format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object per line.
    Json,
}

pub(crate) const EXAMPLES: &str = "\
Examples:
  situated serve find-goals
  situated serve find-goals find-goals --agents random --speed 5
  situated serve team.toml --record episodes/
  situated serve shop.py --reload
  situated serve find-goals --data state/
  situated serve find-goals --platform market --peer farm=http://127.0.0.1:7468/acc --peer-secrets secrets.toml
  situated serve find-goals --host 0.0.0.0 --token-file tokens.toml
  situated serve find-goals --tls-cert chain.pem --tls-key key.pem

Agents connect to ws://ADDRESS:PORT/ws, or to the same port over TCP with one line of JSON per message. The page that
shows the environments is at http://ADDRESS:PORT/. /metrics has metrics for Prometheus, and /healthz reports whether the
server is healthy.";

/// Serves until a signal stops it.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    serve(&arguments, arguments.plans()?, PORT, None)
}

/// Serves while a model plays an entity of the first environment over standard input and output.
pub(crate) fn run_with_model(arguments: &Arguments, entity: Option<&str>) -> anyhow::Result<()> {
    let mut plans = arguments.plans()?;
    let (Some(first), Some(target)) = (plans.first_mut(), arguments.targets.first()) else {
        return Err(wrong_usage(&anyhow::anyhow!("which environment? For example: situated mcp bw4t")).into());
    };
    if entity.is_some() || !target.is_team() {
        let remote = LaunchRule::all(LaunchProgram::Remote { name: None });
        first.rules.insert(0, LaunchRule { entity: entity.map(EcoString::from), count: Some(1), ..remote });
    }
    serve(arguments, plans, 0, Some(Model { entity }))
}

/// A model that plays in the first environment.
struct Model<'a> {
    /// The entity that it controls; `None` for a free one.
    entity: Option<&'a str>,
}

/// Serves until a signal or the program of the model stops it. Without the option `--port`, it listens at this port.
fn serve(arguments: &Arguments, plans: Vec<Plan>, port: u16, model: Option<Model<'_>>) -> anyhow::Result<()> {
    let mut settings = arguments.server.settings(port)?;
    settings.pause_unrecorded = arguments.record_or_stop.is_some();
    settings.record = arguments
        .record
        .clone()
        .or(arguments.record_or_stop.clone())
        .map(|folder| (folder, RecorderSettings::default()));
    settings.platform = arguments.platform.settings()?;
    settings.data = arguments.data.clone().map(|folder| DataSettings {
        folder,
        sync: arguments.data_sync,
        discard: arguments.data_discard,
    });
    arguments.server.log();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let (open, token) = (settings.access.is_open(), settings.access.token_for(Right::Act).map(str::to_owned));
        let about_platforms = settings.platform.as_ref().map(platform::notes).unwrap_or_default();
        let in_files = plans.iter().filter(|plan| plan.source.is_some()).map(|plan| plan.environment);
        let server = Server::bind(settings, in_files.fold(kinds(), with_kind)).await?;
        if !open && arguments.server.sends_tokens_openly() {
            eprintln!(
                "warning: without TLS, others in the network can read the tokens that clients send; add --tls-cert and \
                 --tls-key"
            );
        }
        let (mut launched, mut models) = (Vec::new(), Vec::new());
        let mut first = String::new();
        for plan in &plans {
            let environment = add(&server, plan, arguments.paused)?;
            if first.is_empty() {
                first.clone_from(&environment);
            }
            let url =
                format!("{}://{}", if arguments.server.tls_cert.is_some() { "tls" } else { "tcp" }, server.address());
            let address = Address { url, environment: &environment, token: token.as_deref() };
            let entities = server.hub().environment(&environment)?.entities();
            let names: Vec<EcoString> = entities.iter().map(|(name, _)| name.clone()).collect();
            plan.warnings_of_unused_rules(&names).iter().for_each(|rule| eprintln!("warning: {rule}"));
            launched.push(Launched::start(plan, &address, &entities)?);
            let mut joined = Models::join(plan, server.hub(), &environment, &entities).await?;
            joined.play(&tokio::runtime::Handle::current());
            models.push(joined);
            reloading::follow(plan, server.hub(), &environment, arguments.paused)?;
        }
        // A signal that arrives while environments begin must count, too.
        let mut stop = pin!(stop_signal()?);
        let mut offered = Vec::new();
        for path in &arguments.eis {
            let jar = arguments.jar(path);
            tokio::select! {
                begun = jar.offer(&server) => offered.push(begun?),
                () = &mut stop => return Ok(()),
            }
        }
        server.restore()?;
        let addresses = addresses::text(&server, open, arguments.server.tls_cert.is_some(), &about_platforms);
        let hub = server.hub().clone();
        match model {
            None => {
                io::stdout().write_all(addresses.as_bytes())?;
                server.serve(stop).await;
            }
            Some(Model { entity }) => {
                // Standard output belongs to the model.
                io::stderr().write_all(addresses.as_bytes())?;
                let gateway = McpGateway::new(hub.clone(), arguments.server.trust_host);
                let played = gateway.play(&first, entity, tokio::io::stdin(), tokio::io::stdout());
                let mut ended = Ok(());
                let stop = async {
                    tokio::select! {
                        () = stop => {}
                        end = played => ended = end,
                    }
                };
                server.serve(stop).await;
                ended?;
            }
        }
        if let Some(reason) = hub.data_failure() {
            bail!("the data are incomplete: {reason}");
        }
        match hub.failed_recordings() {
            0 => Ok(()),
            1 => bail!("one recording is incomplete; see the log"),
            failed => bail!("{failed} recordings are incomplete; see the log"),
        }
    });
    // A thread that waits for standard input would keep the process.
    runtime.shutdown_background();
    served
}

/// Adds the environment of a plan, and returns its name on the server.
fn add(server: &Server, plan: &Plan, paused: bool) -> anyhow::Result<String> {
    let name = &plan.environment.ontology.name;
    let mut commands = vec![plan.init(plan.seed)];
    commands.extend((!paused).then_some(Command::Start));
    let added = server.hub().add(name, plan.owner(false, None), commands);
    let status = added.map_err(|error| match error {
        Error::Owner(error) => plan.refusal((*error).into()),
        error => wrong_usage(&error.into()).into(),
    })?;
    Ok(status.environment.to_string())
}

/// Completes when a signal asks the process to stop. A second signal ends the process at once.
#[cfg(unix)]
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut next = async move || {
        tokio::select! {
            _ = interrupt.recv() => 2,
            _ = terminate.recv() => 15,
        }
    };
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(async move {
        next().await;
        // Nobody waits any more if the process is about to end.
        let _ = stop.send(());
        std::process::exit(128 + next().await)
    });
    Ok(async move { drop(stopped.await) })
}

#[cfg(not(unix))]
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Where the signal does not exist, it never comes.
        let _ = tokio::signal::ctrl_c().await;
    })
}

impl Arguments {
    fn jar<'a>(&'a self, path: &'a PathBuf) -> Jar<'a> {
        let ontology = self.eis_ontology.as_ref();
        Jar { path, ontology, parameters: &self.episode.parameters.given, seed: self.episode.seed, paused: self.paused }
    }

    fn plans(&self) -> anyhow::Result<Vec<Plan>> {
        let plans: Vec<Plan> = self.targets.iter().map(|target| self.plan(target)).collect::<anyhow::Result<_>>()?;
        if let (Some(_), Some(source)) = (&self.data, plans.iter().find_map(|plan| plan.source.as_ref())) {
            let file = source.shown();
            return Err(wrong_usage(&anyhow::anyhow!(
                "--data cannot keep the environment in {file}, whose state is in a Python process; host it on a server with \
                 --data instead, with `situated.host`"
            ))
            .into());
        }
        for (parameter, _) in &self.episode.parameters.given {
            check_shared(parameter, &plans)?;
        }
        Ok(plans)
    }

    /// Returns the plan. Options override the team file.
    fn plan(&self, target: &Target) -> anyhow::Result<Plan> {
        let program = match (&self.episode.agents, target) {
            (Some(program), _) => Some(program.clone()),
            (None, target) if target.is_team() => None,
            (None, _) => Some(LaunchProgram::Remote { name: None }),
        };
        let mut plan = target.clone().plan(program.map(LaunchRule::all), &self.episode.python, self.episode.reload)?;
        plan.check_single()?;
        self.episode.adjust(&mut plan)?;
        if let Some(pace) = self.pace {
            let pace = pace.of(&plan.environment.ontology, plan.speed, "--pace real-time=50");
            plan.pace = pace.map_err(|message| wrong_usage(&anyhow::anyhow!(message)))?;
        }
        plan.patience = self.patience.or(plan.patience);
        plan.speed.get_or_insert(Speed::of(plan.pace));
        Ok(plan)
    }
}

/// Checks that all environments have this parameter, if any has it.
fn check_shared(parameter: &str, plans: &[Plan]) -> anyhow::Result<()> {
    let has_it = |plan: &&Plan| plan.environment.ontology.parameters.iter().any(|field| field.name == parameter);
    let (with, without): (Vec<&Plan>, Vec<&Plan>) = plans.iter().partition(has_it);
    let (Some(with), Some(without)) = (with.first(), without.first()) else { return Ok(()) };
    let (with, without) = (&with.environment.ontology.name, &without.environment.ontology.name);
    Err(wrong_usage(&anyhow::anyhow!(
        "{without} has no parameter `{parameter}`, and options apply to all environments. To give {with} parameters of its \
         own, write this team file, and name it instead of {with}:\n\n  environment = \"{with}\"\n\n  [parameters]\n  \
         {parameter} = VALUE"
    ))
    .into())
}

fn connections(text: &str) -> Result<usize, &'static str> {
    at_least_one::<NonZeroUsize>(text).map(NonZeroUsize::get)
}

fn patience(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=MOST_PATIENT).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| format!("expected a number of seconds, 0 to {MOST_PATIENT}"))
}

impl ServerArguments {
    /// Returns the settings of the server, at a port without the option `--port`.
    pub(crate) fn settings(&self, port: u16) -> anyhow::Result<Settings> {
        let access: Access = self.access.access()?;
        let tls = self.tls_cert.clone().zip(self.tls_key.clone());
        Ok(Settings {
            address: SocketAddr::new(self.host, self.port.or(port)),
            exposed: self.exposed,
            access,
            origins: self.origins.clone(),
            tls: tls.map(|(certificate, key)| TlsFiles { certificate, key }),
            grace: Duration::from_secs(self.grace),
            heartbeat: self.heartbeat.map(Duration::from_secs),
            connections: files::connections_within(self.connections),
            connections_per_address: self.connections_per_address,
            trust_hosts: self.trust_host,
            memory: self.memory.map(|mib| mib as usize * (1 << 20)),
            ..Settings::default()
        })
    }

    /// Whether clients on other machines send their tokens without encryption.
    fn sends_tokens_openly(&self) -> bool {
        self.tls_cert.is_none() && !self.host.is_loopback()
    }

    /// Starts logging.
    pub(crate) fn log(&self) {
        // The argument parser accepts only valid levels.
        let level: Level = self.log_level.parse().unwrap_or(Level::INFO);
        let log = tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).with_target(false);
        // If nobody reads the log any more, the library would print that to the same place, and panic.
        let log = log.log_internal_errors(false);
        match self.log {
            LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).init(),
            LogFormat::Json => log.json().init(),
        }
    }
}
