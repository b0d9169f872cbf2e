//! `situated files`: checks and draws the files that parameters of environments take, such as maps.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use situated::document::{Examination, Finding, Severity};
use situated::interface::{Command as Management, Error as Refused};
use situated::ontology::Ontology;
use situated_render::png;
use situated_runtime::Error;

use crate::arguments::{ParameterArguments, Target, TargetParser};
use crate::plan::Plan;
use crate::python::PythonArguments;
use crate::shorthand::short_form;
use crate::unless_closed;
use crate::usage::{refusal, wrong_usage};

/// The place of a problem with a team file that names no files.
const PARAMETERS: &str = "parameters";

/// Pixels of the longer side of a picture.
const SIDE: usize = 1600;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Reports the problems of files, with their places.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(FileArguments),
    /// Draws the beginning of an episode with files.
    #[command(after_help = DRAW_EXAMPLES)]
    Draw(DrawArguments),
}

#[derive(clap::Args)]
struct FileArguments {
    /// Environment whose parameters the files are, or a team file (*.toml).
    #[arg(value_name = "ENVIRONMENT|FILE", value_parser = TargetParser)]
    target: Target,
    /// Seed of the episode [default: 1 where an episode begins; otherwise, a check leaves open what depends on the
    /// seed].
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    #[command(flatten)]
    parameters: ParameterArguments,
}

#[derive(clap::Args)]
struct DrawArguments {
    #[command(flatten)]
    files: FileArguments,
    /// Picture, .svg or .png [default: SVG on the standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  situated query bw4t map > rainbow.map && situated files check bw4t --map rainbow.map
  situated files check team.toml

`situated describe ENVIRONMENT` lists the files that an environment takes.

Exit codes:
  0  an episode can begin with the files, and there are no warnings
  1  there are errors or warnings
  2  wrong usage, such as a file that cannot be read, or a team file with a mistake";

const DRAW_EXAMPLES: &str = "\
Examples:
  situated files draw bw4t --map Banana > banana.svg
  situated files draw bw4t --map Banana -o banana.png";

/// Checks or draws the files.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Check(files) => files.check(),
        Command::Draw(DrawArguments { files, output }) => files.draw(output.as_deref()).map(|()| ExitCode::SUCCESS),
    }
}

impl FileArguments {
    /// Returns the plan with the parameters.
    fn plan(&self) -> anyhow::Result<Plan> {
        let mut plan = self.target.clone().plan(None, &PythonArguments::default(), false)?;
        plan.set_parameters(&self.parameters.given)?;
        match &self.target {
            target if !target.is_team() && plan.files().next().is_none() => {
                Err(wrong_usage(&no_file(&plan.environment.ontology)).into())
            }
            _ => Ok(plan),
        }
    }

    /// Prints the findings.
    fn check(&self) -> anyhow::Result<ExitCode> {
        let plan = self.plan()?;
        let plans = match plan.conditions.as_slice() {
            [] => vec![&plan],
            conditions => conditions.iter().map(|(_, plan)| plan).collect(),
        };
        let (mut report, mut findings) = (String::new(), Vec::new());
        for plan in plans {
            for (name, examination) in self.examinations(plan)? {
                report.extend(examination.findings.iter().map(|finding| self.in_words(name, finding) + "\n"));
                findings.extend(examination.findings);
            }
        }
        let is_sound = findings.iter().all(|finding| finding.severity == Severity::Note);
        report += &summary(&findings);
        unless_closed(io::stdout().write_all(report.as_bytes()))?;
        Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Examines each file of a plan. If no episode can begin with them anyway, the last examination says why.
    fn examinations<'a>(&self, plan: &'a Plan) -> anyhow::Result<Vec<(&'a str, Examination)>> {
        let files = plan.files().map(|name| Ok((name, self.examine(plan, name)?)));
        let mut examinations = files.collect::<anyhow::Result<Vec<_>>>()?;
        let findings = |(_, examination): &(&str, Examination)| examination.findings.clone();
        if examinations.iter().flat_map(findings).all(|finding| finding.severity != Severity::Error) {
            examinations.push((PARAMETERS, self.try_to_begin(plan, PARAMETERS)?));
        }
        Ok(examinations)
    }

    fn examine(&self, plan: &Plan, name: &str) -> anyhow::Result<Examination> {
        let examined = (plan.environment.interface)().examine(name, &plan.parameters, self.seed);
        let examined = examined.map_err(|error| refusal(Error::Interface(error).into(), &plan.environment.ontology))?;
        examined.map_or_else(|| self.try_to_begin(plan, name), Ok)
    }

    /// Begins an episode, as a run does, and finds out whether an agent could act in it.
    fn try_to_begin(&self, plan: &Plan, name: &str) -> anyhow::Result<Examination> {
        let mut interface = (plan.environment.interface)();
        let fault = match interface.manage(self.init(plan)) {
            Ok(_) => plan.lack_of_agents(&*interface).map(|error| error.to_string()),
            Err(Refused::Init(failure)) => Some(failure.to_string()),
            Err(error) => return Err(refusal(Error::Interface(error).into(), &plan.environment.ontology)),
        };
        let finding = |text| {
            let (place, path) = (name.to_owned(), String::new());
            Finding { severity: Severity::Error, line: None, place, path, text }
        };
        Ok(Examination::new(fault.map(finding).into_iter().collect(), Vec::new()))
    }

    fn init(&self, plan: &Plan) -> Management {
        plan.init(self.seed.unwrap_or(plan.seed))
    }

    /// Returns the line for a finding about the file of this parameter.
    fn in_words(&self, name: &str, finding: &Finding) -> String {
        let Finding { severity, line, place, text, .. } = finding;
        let severity = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let path = self.parameters.given.iter().rfind(|(given, _)| given == name).map_or(name, |(_, path)| path);
        let line = line.map_or(String::new(), |line| format!("{line}:"));
        let text: String = situated_render::printable(&format!("{place}: {text}")).collect();
        format!("{path}:{line} {severity}: {text}")
    }

    /// Begins an episode and draws its scene.
    fn draw(&self, output: Option<&Path>) -> anyhow::Result<()> {
        let plan = self.plan()?;
        let mut interface = (plan.environment.interface)();
        let begun = interface.manage(self.init(&plan));
        begun.map_err(|error| refusal(Error::Interface(error).into(), &plan.environment.ontology))?;
        let scene = interface.scene(None)?;
        if scene.shapes.is_empty() {
            bail!("{} has no scene to draw", plan.environment.ontology.name);
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

/// Returns the error for an environment that is named without a file.
fn no_file(ontology: &Ontology) -> anyhow::Error {
    let environment = &ontology.name;
    let options = ontology.parameters.iter().filter(|field| field.is_file());
    let options: Vec<String> = options.map(|field| format!("--{} FILE", short_form(&field.name))).collect();
    match options.is_empty() {
        true => anyhow!("{environment} takes no files"),
        false => anyhow!("name a file for {environment}: {}", options.join(" or ")),
    }
}

fn summary(findings: &[Finding]) -> String {
    let counted = |severity, noun: &str| {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
    };
    format!("{}, {}\n", counted(Severity::Error, "error"), counted(Severity::Warning, "warning"))
}
