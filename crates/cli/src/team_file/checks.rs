//! Checks of a team file beyond its form.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use situated::iil::{EcoString, Parameter};
use situated::names::{did_you_mean, nearest};
use situated::ontology::{Ontology, Pace};
use situated_registry::Registered;
use situated_runtime::Speed;
use toml::Spanned;

use super::written::{Written, WrittenCondition, WrittenPace, WrittenRule, WrittenSpeed};
use super::{Condition, Language, LaunchProgram, LaunchRule, ModelProgram, TeamFile};
use crate::environments::registry;
use crate::pace::ChosenPace;

/// Maximum patience of a step in seconds: a day.
pub(crate) const MOST_PATIENT: f64 = 86_400.0;

/// A mistake, with the bytes of the file that it concerns.
pub(super) struct Wrong {
    pub(super) at: Range<usize>,
    pub(super) message: String,
}

/// Returns the meaning of a file, or its first mistake.
pub(super) fn check(written: Written) -> Result<TeamFile, Wrong> {
    let environment = environment(&written.environment)?;
    let ontology = &environment.ontology;
    let speed = written.speed.as_ref().map(speed).transpose()?;
    let pace = written.pace.as_ref().map(|written| pace(written, speed, ontology)).transpose()?;
    let patience = written.patience.as_ref().map(patience).transpose()?;
    let ends_on_violation = written.violations.as_ref().map(violations).transpose()?.unwrap_or(false);
    let rules = written.agents.into_iter().map(|written| rule(written, environment));
    let mut rules: Vec<LaunchRule> = rules.collect::<Result<_, _>>()?;
    if rules.is_empty() {
        rules.push(LaunchRule::all(LaunchProgram::BUILTIN));
    }
    let mut conditions: Vec<Condition> = Vec::new();
    for written in written.conditions {
        let name = written.name.get_ref();
        if name.is_empty() || conditions.iter().any(|known| known.name == *name) {
            return Err(wrong(&written.name, "each condition needs a name of its own".to_owned()));
        }
        conditions.push(condition(written, environment)?);
    }
    let Written { seed, steps, parameters, .. } = written;
    Ok(TeamFile { environment, seed, steps, pace, speed, patience, ends_on_violation, parameters, rules, conditions })
}

fn condition(written: WrittenCondition, environment: &Registered) -> Result<Condition, Wrong> {
    let WrittenCondition { name, parameters, agents } = written;
    let rules: Vec<LaunchRule> =
        agents.into_iter().map(|written| rule(written, environment)).collect::<Result<_, _>>()?;
    Ok(Condition { name: name.into_inner(), parameters, rules })
}

fn environment(name: &Spanned<String>) -> Result<&'static Registered, Wrong> {
    registry().find(name.get_ref()).ok_or_else(|| {
        let known: Vec<&str> = registry().environments().map(|one| one.ontology.name.as_str()).collect();
        not_among("environment", name, &known)
    })
}

fn speed(written: &Spanned<WrittenSpeed>) -> Result<Speed, Wrong> {
    match written.get_ref() {
        WrittenSpeed::Number(number) => {
            Speed::try_hertz(*number).map_err(|no_speed| wrong(written, format!("found {number}, {no_speed}")))
        }
        WrittenSpeed::Word(word) if word == "max" => Ok(Speed::MAX),
        WrittenSpeed::Word(word) => Err(wrong(written, not_max(word))),
    }
}

fn not_max(word: &str) -> String {
    match word.parse::<Speed>() {
        Ok(_) => "a speed is a number of steps per second; write it without quotes".to_owned(),
        Err(no_speed) => no_speed.to_string(),
    }
}

fn pace(written: &Spanned<WrittenPace>, speed: Option<Speed>, ontology: &Ontology) -> Result<Pace, Wrong> {
    let chosen = match written.get_ref() {
        WrittenPace::RealTime(pace) => ChosenPace::RealTime(Some(pace.real_time)),
        WrittenPace::Name(name) => ChosenPace::named(name).ok_or_else(|| {
            let name = Spanned::new(written.span(), name);
            not_among("pace", &name, &ChosenPace::NAMES)
        })?,
    };
    chosen.of(ontology, speed, "pace = { real-time = 50 }").map_err(|message| wrong(written, message))
}

fn patience(written: &Spanned<f64>) -> Result<Duration, Wrong> {
    let seconds = *written.get_ref();
    if (0.0..=MOST_PATIENT).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(wrong(written, format!("found {seconds} seconds, expected 0 to {MOST_PATIENT}")))
}

/// Returns whether a message that breaks a rule ends the run.
fn violations(written: &Spanned<String>) -> Result<bool, Wrong> {
    match written.get_ref().as_str() {
        "end" => Ok(true),
        "report" => Ok(false),
        _ => Err(not_among("way to handle violations", written, &["report", "end"])),
    }
}

fn rule(written: Spanned<WrittenRule>, environment: &Registered) -> Result<LaunchRule, Wrong> {
    let program = program(&written, environment)?;
    let WrittenRule { entity, entity_type, count, options, .. } = written.into_inner();
    let entity_type = entity_type.map(|name| known_type(name, &environment.ontology)).transpose()?;
    let options = options.map(|options| checked_options(options, &program)).transpose()?.unwrap_or_default();
    Ok(LaunchRule { entity, entity_type, count: count.map(usize::from), program, options })
}

fn known_type(name: Spanned<EcoString>, ontology: &Ontology) -> Result<EcoString, Wrong> {
    if ontology.find_entity_type(name.get_ref()).is_some() {
        return Ok(name.into_inner());
    }
    let types: Vec<&str> = ontology.entity_types.iter().map(|of| of.name.as_str()).collect();
    Err(not_among("type of entities", &name, &types))
}

/// Returns the options, which only programs in processes of their own can have.
fn checked_options(
    options: Spanned<BTreeMap<String, Parameter>>,
    program: &LaunchProgram,
) -> Result<BTreeMap<String, Parameter>, Wrong> {
    if !program.comes_from_outside() && !options.get_ref().is_empty() {
        return Err(wrong(&options, "random, idle, model and built-in agents have no options; remove them".to_owned()));
    }
    Ok(options.into_inner())
}

fn program(rule: &Spanned<WrittenRule>, environment: &Registered) -> Result<LaunchProgram, Wrong> {
    let WrittenRule { program, command, file, name, model, .. } = rule.get_ref();
    if let Some(model) = model
        && program.as_ref().is_none_or(|program| program.get_ref() != MODEL)
    {
        return Err(wrong(model, "only the program `model` has a table `model`; remove it".to_owned()));
    }
    let program = match (program, command) {
        (None, None) => return Err(wrong(rule, NO_PROGRAM.to_owned())),
        (None, Some(command)) => return launched(command, name.as_ref()),
        (Some(program), Some(command)) if program.get_ref() == COMMAND => return launched(command, name.as_ref()),
        (Some(other), Some(command)) => return Err(wrong(command, one_of_both(other.get_ref()))),
        (Some(program), None) => program,
    };
    let language = match program.get_ref().as_str() {
        PYTHON => Some(Language::Python),
        JASON => Some(Language::Jason),
        _ => None,
    };
    match (language, file) {
        (Some(language), Some(file)) if !file.get_ref().is_empty() => {
            return nameless(name.as_ref(), LaunchProgram::File { language, file: file.get_ref().into() });
        }
        (Some(_), _) => return Err(wrong(rule, NO_FILE.to_owned())),
        (None, Some(file)) => return Err(wrong(file, "only python and jason have a `file`; remove it".to_owned())),
        (None, None) => {}
    }
    let named = || name.as_ref().map(|name| name.get_ref().clone());
    match program.get_ref().as_str() {
        COMMAND => Err(wrong(rule, NO_COMMAND.to_owned())),
        MODEL => match model {
            Some(model) => nameless(name.as_ref(), LaunchProgram::Model(Box::new(checked_model(model)?))),
            None => Err(wrong(rule, NO_MODEL.to_owned())),
        },
        "person" => Ok(LaunchProgram::Person { name: named() }),
        "remote" => Ok(LaunchProgram::Remote { name: named() }),
        "builtin" => nameless(name.as_ref(), LaunchProgram::BUILTIN),
        "random" => nameless(name.as_ref(), LaunchProgram::Random),
        "idle" => nameless(name.as_ref(), LaunchProgram::Idle),
        other if environment.agents.iter().any(|agent| agent.name == other) => {
            nameless(name.as_ref(), LaunchProgram::Builtin { name: Some(other.into()) })
        }
        _ => {
            let shipped = environment.agents.iter().map(|agent| agent.name);
            Err(not_among("program", program, &PROGRAMS.into_iter().chain(shipped).collect::<Vec<_>>()))
        }
    }
}

/// The programs that every environment has.
const PROGRAMS: [&str; 9] = ["builtin", "random", "idle", COMMAND, PYTHON, JASON, MODEL, "person", "remote"];

const COMMAND: &str = "command";
const PYTHON: &str = "python";
const JASON: &str = "jason";
const MODEL: &str = "model";

const NO_PROGRAM: &str = "this rule has no `program`; give it one: builtin, random, idle, command, python, \
                          jason, model, person or remote";

const NO_COMMAND: &str = "this rule has no `command`; give it one, such as command = [\"python3\", \"agent.py\"]";

const NO_FILE: &str = "this rule has no `file`; give it one: a file in Python, or a `.mas2j` of Jason or its folder";

const NO_MODEL: &str = "this rule has no `model`; give it a table [agents.model] with at least `base_url` and `name`";

/// The longest time of a request to a model in seconds.
const LONGEST_TIMEOUT: f64 = 3600.0;

fn checked_model(written: &Spanned<ModelProgram>) -> Result<ModelProgram, Wrong> {
    let model = written.get_ref();
    let ModelProgram { base_url, temperature, timeout, .. } = model;
    if !["http://", "https://"].iter().any(|scheme| base_url.starts_with(scheme)) {
        let message = format!("`base_url` is `{base_url}`, expected an address such as http://127.0.0.1:11434/v1");
        return Err(wrong(written, message));
    }
    if let Some(temperature) = temperature.filter(|temperature| !(0.0..=2.0).contains(temperature)) {
        return Err(wrong(written, format!("`temperature` is {temperature}, expected 0 to 2")));
    }
    if let Some(timeout) = timeout.filter(|timeout| !(0.001..=LONGEST_TIMEOUT).contains(timeout)) {
        return Err(wrong(written, format!("`timeout` is {timeout} seconds, expected 0.001 to {LONGEST_TIMEOUT}")));
    }
    Ok(model.clone())
}

fn launched(command: &Spanned<Vec<String>>, name: Option<&Spanned<EcoString>>) -> Result<LaunchProgram, Wrong> {
    let words = command.get_ref();
    if words.first().is_none_or(String::is_empty) {
        let message = "the command is empty; give a program and its arguments, such as [\"python3\", \"agent.py\"]";
        return Err(wrong(command, message.to_owned()));
    }
    nameless(name, LaunchProgram::Command(words.clone()))
}

/// Returns the program of a rule that must have no name, because the program does not connect as an agent.
fn nameless(name: Option<&Spanned<EcoString>>, program: LaunchProgram) -> Result<LaunchProgram, Wrong> {
    match name {
        Some(name) => Err(wrong(name, "only people and remote agents have a `name`; remove it".to_owned())),
        None => Ok(program),
    }
}

fn one_of_both(program: &str) -> String {
    format!("this rule already has the program `{program}`; remove one of them")
}

/// Returns the error for an unknown name, with the known ones.
fn not_among<T: AsRef<str>>(what: &str, name: &Spanned<T>, known: &[&str]) -> Wrong {
    let wanted = name.get_ref().as_ref();
    let suggestion = did_you_mean(nearest(wanted, known.iter().copied()));
    let shown: String = wanted.chars().take(60).collect();
    wrong(name, format!("there is no {what} `{shown}`, expected {}{suggestion}", known.join(", ")))
}

fn wrong<T>(at: &Spanned<T>, message: String) -> Wrong {
    Wrong { at: at.span(), message }
}

#[cfg(test)]
mod tests {
    use super::super::Mistake;
    use super::*;

    const ENVIRONMENT: &str = "environment = 'find-goals'\n";

    fn parse(text: &str) -> TeamFile {
        TeamFile::parse(&format!("{ENVIRONMENT}{text}")).unwrap_or_else(|mistake| panic!("{mistake}"))
    }

    fn mistake(text: &str) -> String {
        let mistake: Mistake = TeamFile::parse(text).err().expect("something is wrong");
        mistake.to_string()
    }

    #[test]
    fn speeds_paces_and_patience_are_understood() {
        let speed = |text| parse(text).speed;
        assert_eq!(speed("speed = 10"), Some(Speed::hertz(10.0)));
        assert_eq!(speed("speed = 0.001"), Some(Speed::hertz(0.001)));
        assert_eq!(speed("speed = 'max'"), Some(Speed::MAX));
        let pace = |text| parse(text).pace;
        assert_eq!(pace("pace = 'reactive'"), Some(Pace::Reactive));
        assert_eq!(pace("pace = 'lockstep'"), Some(Pace::Lockstep));
        assert_eq!(pace("pace = { real-time = 50 }"), Some(Pace::RealTime { steps_per_second: 50.0 }));
        assert_eq!(pace("pace.real-time = 2.5"), Some(Pace::RealTime { steps_per_second: 2.5 }));
        assert_eq!(pace("pace = 'real-time'\nspeed = 4"), Some(Pace::RealTime { steps_per_second: 4.0 }));
        let patience = |text| parse(text).patience;
        assert_eq!(patience("patience = 2.5"), Some(Duration::from_millis(2500)));
        assert_eq!(patience("patience = 0"), Some(Duration::ZERO));
    }

    #[test]
    fn rules_are_understood() {
        let rules = |text: &str| parse(text).rules;
        let rule = "[[agents]]\nentity = 'red'\ntype = 'walker'\ncount = 2\nprogram = 'remote'\noptions = { hops = 3 }";
        let expected = LaunchRule {
            entity: Some("red".into()),
            entity_type: Some("walker".into()),
            count: Some(2),
            program: LaunchProgram::Remote { name: None },
            options: [("hops".to_owned(), 3.into())].into(),
        };
        assert_eq!(rules(rule), [expected]);
        let program = |text: &str| rules(&format!("[[agents]]\n{text}")).remove(0).program;
        let command = LaunchProgram::Command(vec!["python3".into(), "agent.py".into()]);
        assert_eq!(program("command = ['python3', 'agent.py']"), command);
        assert_eq!(program("program = 'command'\ncommand = ['python3', 'agent.py']"), command);
        assert_eq!(program("program = 'person'\nname = 'Ada'"), LaunchProgram::Person { name: Some("Ada".into()) });
        let file = |language, file: &str| LaunchProgram::File { language, file: file.into() };
        assert_eq!(program("program = 'python'\nfile = 'robot.py'"), file(Language::Python, "robot.py"));
        assert_eq!(program("program = 'jason'\nfile = 'robots'"), file(Language::Jason, "robots"));
        assert_eq!(program("program = 'remote'"), LaunchProgram::Remote { name: None });
        assert_eq!(program("program = 'random'"), LaunchProgram::Random);
        assert_eq!(program("program = 'teammate'"), LaunchProgram::Builtin { name: Some("teammate".into()) });
        assert_eq!(program("program = 'idle'\noptions = {}"), LaunchProgram::Idle);
    }

    #[test]
    fn errors_name_their_place() {
        for (text, place, expected) in [
            ("speed = 0", "2, column 9", "found 0, expected `max` or a number of steps per second, at least 0.001"),
            ("speed = -inf", "2, column 9", "found -inf, expected `max` or a number of steps per second"),
            ("speed = 'mxa'", "2, column 9", "expected `max`"),
            ("speed = '10'", "2, column 9", "write it without quotes"),
            ("patience = -1", "2, column 12", "found -1 seconds, expected 0 to 86400"),
            ("patience = nan", "2, column 12", "expected 0 to 86400"),
            ("patience = 1e300", "2, column 12", "expected 0 to 86400"),
            ("pace = 'lokstep'", "2, column 8", "expected reactive, lockstep, real-time; did you mean `lockstep`?"),
            ("pace = 'real-time'", "2, column 8", "choose one: pace = { real-time = 50 }"),
            ("pace = 'real-time'\nspeed = 'max'", "2, column 8", "choose one: pace = { real-time = 50 }"),
            ("pace = { real-time = 0 }", "2, column 8", "expected a number of steps per second, at least 0.001"),
            ("[[agents]]\ntype = 'walkr'\nprogram = 'idle'", "3, column 8", "did you mean `walker`?"),
            ("[[agents]]\nentity = 'red'", "2, column 1", "this rule has no `program`; give it one: builtin,"),
            ("[[agents]]\nprogram = 'buildin'", "3, column 11", "; did you mean `builtin`?"),
            ("[[agents]]\nprogram = 'magic'", "3, column 11", "person, remote, teammate"),
            ("[[agents]]\nprogram = 'command'", "2, column 1", "this rule has no `command`; give it one, such as"),
            ("[[agents]]\ncommand = []", "3, column 11", "the command is empty"),
            ("[[agents]]\ncommand = ['', 'x']", "3, column 11", "the command is empty"),
            ("[[agents]]\nprogram = 'idle'\ncommand = ['x']", "4, column 11", "already has the program `idle`"),
            ("[[agents]]\nprogram = 'jason'", "2, column 1", "this rule has no `file`; give it one"),
            ("[[agents]]\nprogram = 'idle'\nfile = 'x'", "4, column 8", "only python and jason have a `file`"),
            ("[[agents]]\nprogram = 'idle'\nname = 'x'", "4, column 8", "only people and remote agents"),
            ("[[agents]]\ncommand = ['x']\nname = 'x'", "4, column 8", "only people and remote agents"),
            (
                "[[agents]]\nprogram = 'idle'\noptions = { a = 1 }",
                "4, column 11",
                "random, idle, model and built-in agents have no options",
            ),
            ("[[agents]]\nprogram = 'builtin'\noptions = { a = 1 }", "4, column 11", "built-in agents have no options"),
        ] {
            let mistake = mistake(&format!("{ENVIRONMENT}{text}"));
            assert!(mistake.starts_with(&format!("line {place}: ")), "{mistake}");
            assert!(mistake.contains(expected), "{mistake}");
        }
    }

    #[test]
    fn environments_must_be_known() {
        let mistake = mistake("environment = 'find-goal'");
        let expected = "line 1, column 15: there is no environment `find-goal`, expected ";
        assert!(mistake.starts_with(expected), "{mistake}");
        assert!(mistake.contains("did you mean `find-goals`?"), "{mistake}");
    }
}
