//! Commands for documents, such as `situated map check FILE`. There is one for each name of a parameter that takes the
//! contents of a file, in the environments of the registry.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use clap::{Arg, ArgMatches, Command, value_parser};
use situated::document::{Examination, Finding, Severity};
use situated::iil::Parameter;
use situated::interface::{Command as Management, Error as Refused, FIRST_SEED};
use situated_registry::Registered;
use situated_render::png;
use situated_runtime::Error;

use crate::environments;
use crate::parameters::{parameter, values};
use crate::unless_closed;
use crate::usage::{refusal, wrong_usage};

/// Pixels of the longer side of a picture.
const SIDE: usize = 1600;

const EXIT_CODES: &str = "\
Exit codes:
  0  an episode can begin with the document, and there are no warnings
  1  there are errors or warnings
  2  wrong usage, such as a file that cannot be read";

/// Adds a command for each kind of documents.
pub(crate) fn with_commands(command: Command) -> Command {
    let names: BTreeSet<&'static str> = kinds().map(|(name, _)| name).collect();
    let free: Vec<_> = names.into_iter().filter(|name| command.find_subcommand(name).is_none()).collect();
    free.into_iter().fold(command, |command, name| command.subcommand(of_kind(name)))
}

/// Runs the command for a document, if the command line has one.
pub(crate) fn run(matches: &ArgMatches) -> Option<anyhow::Result<ExitCode>> {
    let (name, matches) = matches.subcommand()?;
    let (name, _) = kinds().find(|(kind, _)| *kind == name)?;
    let (command, matches) = matches.subcommand()?;
    Some(match command {
        "check" => Document::read(name, matches).and_then(|document| document.check()),
        _ => Document::read(name, matches).and_then(|document| {
            document.render(matches.get_one::<PathBuf>("output").map(PathBuf::as_path)).map(|()| ExitCode::SUCCESS)
        }),
    })
}

/// The names of the kinds of documents, each with an environment that has it.
fn kinds() -> impl Iterator<Item = (&'static str, &'static Registered)> {
    environments::registry().environments().flat_map(|one| {
        one.ontology.parameters.iter().filter(|field| field.is_file()).map(move |field| (field.name.as_str(), one))
    })
}

fn of_kind(name: &'static str) -> Command {
    let file =
        Arg::new("file").value_name("FILE").required(true).help(format!("File for the parameter `{name}`, or a name"));
    let environment = Arg::new("environment")
        .long("environment")
        .value_name("NAME")
        .value_parser(environments::parser())
        .help("Environment, if several have such documents");
    let parameters = Arg::new("param")
        .long("param")
        .value_name("KEY=VALUE")
        .value_parser(parameter)
        .action(clap::ArgAction::Append)
        .help("Another parameter of the environment; can be repeated");
    let seed = Arg::new("seed").long("seed").value_name("S").value_parser(value_parser!(u64));
    let arguments = [file, environment, parameters];
    let check = Command::new("check")
        .about("Reports the problems of such a file, with their places")
        .args(arguments.clone())
        .arg(seed.clone().help("Seed for what the document leaves to chance; by default that is left open"))
        .after_help(format!("Examples:\n  situated {name} check FILE\n\n{EXIT_CODES}"));
    let output = Arg::new("output").short('o').long("output").value_name("FILE");
    let render = Command::new("render")
        .about("Draws the beginning of an episode with such a file")
        .args(arguments)
        .arg(seed.help("Seed of the episode").default_value(FIRST_SEED.to_string()))
        .arg(
            output
                .value_parser(value_parser!(PathBuf))
                .help("Picture, .svg or .png; by default SVG on the standard output"),
        )
        .after_help(format!(
            "Examples:\n  situated {name} render FILE > {name}.svg\n  situated {name} render FILE -o {name}.png"
        ));
    Command::new(name)
        .about(format!("Checks and draws files for the parameter `{name}`"))
        .subcommands([check, render])
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// A document, with the environment that it is for.
struct Document {
    kind: &'static str,
    file: String,
    environment: &'static Registered,
    parameters: BTreeMap<String, Parameter>,
    seed: Option<u64>,
}

impl Document {
    fn read(kind: &'static str, matches: &ArgMatches) -> anyhow::Result<Self> {
        let named = matches.get_one::<&'static Registered>("environment").copied();
        let mut with_kind = kinds().filter(|(name, _)| *name == kind).map(|(_, environment)| environment);
        let (first, second) = (with_kind.next(), with_kind.next());
        let environment = match (named, second) {
            (Some(named), _) => named,
            (None, Some(_)) => {
                let problem =
                    anyhow!("several environments have the parameter `{kind}`; choose one with --environment");
                return Err(wrong_usage(&problem).into());
            }
            (None, None) => first.with_context(|| format!("no environment has the parameter `{kind}`"))?,
        };
        let file = matches.get_one::<String>("file").cloned().unwrap_or_default();
        let given = matches.get_many::<(String, String)>("param").into_iter().flatten().cloned();
        let given: Vec<_> = given.chain([(kind.to_owned(), file.clone())]).collect();
        let parameters = values(&given, &environment.ontology).map_err(|error| wrong_usage(&error))?;
        Ok(Self { kind, file, environment, parameters, seed: matches.get_one("seed").copied() })
    }

    /// Prints the findings.
    fn check(&self) -> anyhow::Result<ExitCode> {
        let examined = (self.environment.interface)().examine(self.kind, &self.parameters, self.seed);
        let examined = examined.map_err(|error| refusal(Error::Interface(error).into(), &self.environment.ontology))?;
        let examination = match examined {
            Some(examination) => examination,
            None => self.try_to_begin()?,
        };
        let findings = examination.findings.iter().map(|finding| self.in_words(finding) + "\n");
        let report = findings.collect::<String>() + &summary(&examination) + "\n";
        unless_closed(io::stdout().write_all(report.as_bytes()))?;
        Ok(if examination.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Begins an episode with a document that the environment cannot examine without one.
    fn try_to_begin(&self) -> anyhow::Result<Examination> {
        match (self.environment.interface)().manage(self.init()) {
            Ok(_) => Ok(Examination::default()),
            Err(Refused::Init(failure)) => {
                let (place, path, text) = (self.kind.to_owned(), String::new(), failure.to_string());
                Ok(Examination::new(
                    vec![Finding { severity: Severity::Error, line: None, place, path, text }],
                    Vec::new(),
                ))
            }
            Err(error) => Err(refusal(Error::Interface(error).into(), &self.environment.ontology)),
        }
    }

    fn init(&self) -> Management {
        Management::Init { parameters: self.parameters.clone(), seed: self.seed.unwrap_or(FIRST_SEED) }
    }

    fn in_words(&self, finding: &Finding) -> String {
        let Finding { severity, line, place, text, .. } = finding;
        let severity = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let line = line.map_or(String::new(), |line| format!("{line}:"));
        let text: String = situated_render::printable(&format!("{place}: {text}")).collect();
        format!("{}:{line} {severity}: {text}", self.file)
    }

    /// Begins an episode and draws its scene.
    fn render(&self, output: Option<&Path>) -> anyhow::Result<()> {
        let mut interface = (self.environment.interface)();
        let begun = interface.manage(self.init());
        begun.map_err(|error| refusal(Error::Interface(error).into(), &self.environment.ontology))?;
        let scene = interface.scene(None)?;
        if scene.shapes.is_empty() {
            bail!("{} has no scene to draw", self.environment.ontology.name);
        }
        let Some(path) = output else {
            io::stdout().lock().write_all(situated_render::svg(&scene).as_bytes())?;
            return Ok(());
        };
        let picture = match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => situated_render::svg(&scene).into_bytes(),
            Some("png") => png(&scene, SIDE)?,
            _ => return Err(wrong_usage(&anyhow!("{} must end in .svg or .png", path.display())).into()),
        };
        std::fs::write(path, picture).with_context(|| format!("cannot write {}", path.display()))
    }
}

fn summary(examination: &Examination) -> String {
    let count = |severity| examination.findings.iter().filter(|finding| finding.severity == severity).count();
    let counted = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    format!("{}, {}", counted(count(Severity::Error), "error"), counted(count(Severity::Warning), "warning"))
}
