//! Examining teams for their authors: the checks of the original's scenario editor.

use situated::document::{DocumentForm, Examination, Finding, Severity};
use situated::environment::Failure;

use super::{AgentFile, Team};
use crate::map::Map;

impl Team {
    /// Examines a text that should be a [scenario file](Team::read), for an episode on a map, which may be unusable. The
    /// forms are `toml`, `xml`, `json` for programs, and `mas2g`, the [project](Team::to_mas2g) of agents.
    pub fn examine(text: &str, map: Option<Result<&Map, &Failure>>) -> Examination {
        let team = match Team::read(text) {
            Ok(team) => team,
            Err(error) => return error.into(),
        };
        let json = serde_json::to_string(&team).expect("a team can be written as JSON");
        let texts = [("toml", team.to_toml()), ("xml", team.to_xml()), ("json", json), ("mas2g", team.to_mas2g())];
        let forms = texts.map(|(format, text)| DocumentForm::new(format, text));
        Examination::new(team.findings(map), forms.into())
    }

    fn findings(&self, map: Option<Result<&Map, &Failure>>) -> Vec<Finding> {
        let finding = |severity, path: String, place: &str, text: String| Finding {
            severity,
            line: None,
            place: place.to_owned(),
            path,
            text,
        };
        let robots: u64 = self.bots.iter().map(|bots| u64::from(bots.amount)).sum();
        let partners: u64 = self.partners.iter().map(|partners| u64::from(partners.amount)).sum();
        let of_team = |text| finding(Severity::Warning, String::new(), "the team", text);
        let mut findings = Vec::new();
        if robots == 0 {
            findings.push(of_team("it has no robots".to_owned()));
        }
        if partners > robots {
            findings.push(of_team(format!("it has {partners} e-partners, but only {robots} robots can carry one")));
        }
        match map {
            None => {
                let text = "it names no map; the default is Rainbow".to_owned();
                findings.push(finding(Severity::Note, String::new(), "the team", text));
            }
            Some(Err(failure)) => {
                findings.push(finding(Severity::Error, String::new(), "the team", failure.reason.to_string()));
            }
            Some(Ok(map)) if robots > map.spawns.len() as u64 => findings.push(of_team(format!(
                "it has {robots} robots, and the map has {} starting points; the others begin anywhere in halls",
                map.spawns.len()
            ))),
            Some(Ok(_)) => {}
        }
        let bots = self.bots.iter().enumerate();
        let bots = bots.map(|(index, bots)| (format!("bots/{index}"), &bots.name, &bots.agent));
        let carried = self.partners.iter().enumerate();
        let carried = carried.map(|(index, one)| (format!("epartners/{index}"), &one.name, &one.agent));
        for (path, name, agent) in bots.chain(carried) {
            if agent.is_named() && !agent.is_program() {
                let said = format!("its agent file is `{}`; use letters and digits and the ending .goal", agent.file);
                findings.push(finding(Severity::Warning, path, name, said));
            }
        }
        findings.push(finding(
            Severity::Note,
            String::new(),
            "the team",
            format!("{} and {}", counted(robots, "robot"), counted(partners, "e-partner")),
        ));
        findings
    }

    /// Returns the project of agents for the GOAL platform, as the original's scenario editor exports it: each kind of
    /// robots and e-partners with its agent file. It expects the team as `team.xml` beside it.
    pub fn to_mas2g(&self) -> String {
        let bots = self.bots.iter().map(|bots| (bots.entity_type(), bots.amount, &bots.agent, "robot"));
        let partners =
            self.partners.iter().map(|partners| (super::EPARTNER, partners.amount, &partners.agent, "epartner"));
        let (mut files, mut rules) = (Vec::new(), String::new());
        for (of, amount, agent, usual) in bots.chain(partners) {
            let name = if agent.reference.is_empty() { usual } else { agent.reference.as_str() };
            let file = if agent.is_named() { agent.file.clone() } else { format!("{usual}.goal") };
            let line = format!("    \"{}\" [name = {name}].\n", file.replace('"', ""));
            if !files.contains(&line) {
                files.push(line);
            }
            rules += &format!("    when [type = {of}, max = {amount}]@env do launch {name} : {name}.\n");
        }
        format!(
            "environment {{\n    env = \"bw4t-client.jar\".\n    init = [configfile = \"team.xml\"].\n}}\n\n\
             agentfiles {{\n{}}}\n\nlaunchpolicy {{\n{rules}}}\n",
            files.concat()
        )
    }
}

impl AgentFile {
    /// Returns whether the author has chosen a file.
    fn is_named(&self) -> bool {
        *self.file != *AgentFile::default().file && !self.file.is_empty()
    }

    /// Returns whether the original's editor accepts the name of the file.
    fn is_program(&self) -> bool {
        let name = self.file.strip_suffix(".goal");
        name.is_some_and(|name| !name.is_empty() && name.chars().all(char::is_alphanumeric))
    }
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
