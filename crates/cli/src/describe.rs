//! `situated describe`: prints what an environment declares, as text for people, as JSON, or as a reference page.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use crossterm::style::Stylize;
use situated::agent::BuiltInAgent;
use situated::ontology::{DeclaredProperty, EntityType, Field, NamedType, Ontology, Signature, Type, Word};

use crate::arguments::{Target, TargetParser};
use crate::environments;
use crate::program;
use crate::python::PythonArguments;
use crate::shorthand::short_form;
use crate::table;

/// The greatest width that is pleasant to read.
const WIDEST: usize = 100;

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Environment, or a Python file with one (FILE.py, or FILE.py:NAME).
    #[arg(value_name = "ENVIRONMENT|FILE.py", value_parser = TargetParser)]
    environment: Option<Target>,
    #[command(flatten)]
    python: PythonArguments,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const HELP: &str = "\
Examples:
  situated describe find-goals
  situated describe shop.py
  situated describe find-goals --format json
  situated describe find-goals --format markdown > find-goals.md";

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Text for people.
    Text,
    /// The ontology as JSON, for programs.
    Json,
    /// A reference page in Markdown.
    Markdown,
}

/// Prints the description.
pub(crate) fn describe(arguments: &Arguments) -> anyhow::Result<()> {
    let environment = match &arguments.environment {
        Some(target) => target.clone().environment(&arguments.python)?,
        None => environments::choose()?,
    };
    let ontology = &environment.ontology;
    let text = match arguments.format {
        Format::Text => {
            let width = table::columns().min(WIDEST);
            let mut page = Page { text: String::new(), width, bold: io::stdout().is_terminal() };
            page.ontology(ontology);
            page.agents(&environment.agents);
            page.text
        }
        Format::Json => ontology.to_json(),
        Format::Markdown => ontology.to_markdown(),
    };
    writeln!(io::stdout(), "{}", text.trim_end())?;
    Ok(())
}

/// The description, as it is written for a terminal.
struct Page {
    text: String,
    width: usize,
    bold: bool,
}

impl Page {
    fn ontology(&mut self, ontology: &Ontology) {
        self.heading(&format!("{} {}", ontology.name, ontology.version));
        self.prose(&ontology.documentation, 0);
        self.prose(&format!("\n{}", ontology.pace), 0);
        if !ontology.parameters.is_empty() {
            self.heading("Parameters");
            self.fields(&ontology.parameters, 2);
        }
        self.files(ontology);
        self.properties("Properties", &ontology.properties);
        self.properties("Properties of each entity", &ontology.entity_properties);
        ontology.entity_types.iter().for_each(|of| self.entity_type(of));
        if !ontology.types.is_empty() {
            self.heading("Types");
            ontology.types.iter().for_each(|(name, named)| self.named_type(name, named));
        }
    }

    fn agents(&mut self, agents: &[BuiltInAgent]) {
        if !agents.is_empty() {
            self.heading("Agents that ship with it");
            let rows = agents.iter().map(|agent| [agent.name.to_owned(), agent.documentation.to_owned()]);
            self.text += &table::render(&rows.collect::<Vec<_>>(), 2, self.width);
        }
    }

    /// Writes the commands for the parameters that are files.
    fn files(&mut self, ontology: &Ontology) {
        let rows = ontology.parameters.iter().filter(|field| field.is_file()).flat_map(|field| {
            let command = |verb| {
                let (program, name, option) = (program::name(), &ontology.name, short_form(&field.name));
                format!("{program} files {verb} {name} --{option} FILE")
            };
            let check = [command("check"), format!("reports the problems of a file for `{}`", field.name)];
            [check, [command("draw"), "draws the beginning of an episode with it".to_owned()]]
        });
        let rows: Vec<_> = rows.collect();
        if !rows.is_empty() {
            self.heading("Files");
            self.text += &table::render(&rows, 2, self.width);
        }
    }

    fn properties(&mut self, heading: &str, properties: &[DeclaredProperty]) {
        if !properties.is_empty() {
            self.heading(heading);
            let row = |property: &DeclaredProperty| [property.name.clone(), property.documentation.clone()];
            let rows: Vec<_> = properties.iter().map(row).collect();
            self.text += &table::render(&rows, 2, self.width);
        }
    }

    fn entity_type(&mut self, of: &EntityType) {
        self.heading(&format!("Entities of type {}", of.name));
        self.prose(&of.documentation, 0);
        if !of.actions.is_empty() {
            self.heading("What they can do");
            of.actions.iter().for_each(|action| self.signature(action, ""));
        }
        if !of.percepts.is_empty() {
            self.heading("What they can perceive");
            for percept in &of.percepts {
                self.signature(&percept.signature, &format!(", sent {}", percept.delivery));
            }
        }
    }

    fn signature(&mut self, signature: &Signature, remark: &str) {
        self.text += &format!("  {}{remark}\n", self.emphasized(&signature.to_string()));
        self.prose(&signature.documentation, 6);
        if signature.parameters.iter().any(|field| !field.documentation.is_empty()) {
            self.fields(&signature.parameters, 6);
        }
    }

    fn named_type(&mut self, name: &str, named: &NamedType) {
        let name = self.emphasized(name);
        match &named.of {
            Type::Choice(words) => {
                self.text += &format!("  {name}\n");
                self.prose(&named.documentation, 6);
                let row = |word: &Word| [word.name.clone(), word.documentation.clone()];
                let rows: Vec<_> = words.iter().map(row).collect();
                self.text += &table::render(&rows, 6, self.width);
            }
            other => {
                self.text += &format!("  {name}: {other}\n");
                self.prose(&named.documentation, 6);
            }
        }
    }

    fn fields(&mut self, fields: &[Field], indent: usize) {
        let rows: Vec<_> = fields.iter().map(field_row).collect();
        self.text += &table::render(&rows, indent, self.width);
    }

    fn heading(&mut self, heading: &str) {
        let separator = if self.text.is_empty() { "" } else { "\n" };
        self.text += &format!("{separator}{}\n", self.emphasized(heading));
    }

    /// Writes paragraphs and lists, wrapped.
    fn prose(&mut self, text: &str, indent: usize) {
        let margin = " ".repeat(indent);
        for paragraph in paragraphs(text) {
            for line in table::wrap(&paragraph, self.width.saturating_sub(indent)) {
                self.text += &format!("{}\n", format!("{margin}{line}").trim_end());
            }
        }
    }

    fn emphasized(&self, text: &str) -> String {
        if self.bold { text.bold().to_string() } else { text.to_owned() }
    }
}

fn field_row(field: &Field) -> [String; 3] {
    let remark = match (&field.default, field.optional) {
        (Some(default), _) => format!(" Default: {default}."),
        (None, true) => " Optional.".to_owned(),
        (None, false) => String::new(),
    };
    [field.name.clone(), field.type_in_words(), field.documentation.clone() + &remark]
}

/// Joins the lines of each paragraph. Empty lines and list items begin a new one.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim) {
        let begins = line.is_empty() || line.starts_with("- ") || line.starts_with("* ");
        match paragraphs.last_mut() {
            Some(last) if !begins && !last.is_empty() => *last += &format!(" {line}"),
            _ => paragraphs.push(line.to_owned()),
        }
    }
    paragraphs
}
