//! Perceptions as text for a model.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};

use serde_json::{Value, json};
use situated::environment::{Ending, Outcome};
use situated::iil::Percept;
use situated::interface::{Moment, Perception};
use situated::names::visible;
use situated::ontology::Ontology;

use crate::of_entity_type;
use crate::sayings::Sayings;

/// The greatest number of percepts of one kind of news in a text. `look` with a name returns the others.
const LISTED: usize = 100;

/// The percepts of an entity that hold now, and the changes since the last answer.
#[derive(Debug, Default)]
pub struct Beliefs {
    holding: BTreeSet<Percept>,
    news: News,
    sayings: Sayings,
}

#[derive(Debug, Default)]
struct News {
    began: Vec<Percept>,
    ceased: Vec<Percept>,
    happened: Vec<Percept>,
    lost: u64,
    messages: Vec<Message>,
}

/// A message from another agent.
#[derive(Debug)]
struct Message {
    line: String,
    data: Value,
}

impl Beliefs {
    /// Creates the beliefs of an entity of this type, which knows nothing yet. Percepts become sentences if the
    /// ontology has some for them.
    pub fn of(ontology: &Ontology, entity_type: &str) -> Self {
        Self { sayings: Sayings::of(ontology, entity_type), ..Self::default() }
    }

    /// Adds a perception to the beliefs and to the news.
    pub fn update(&mut self, perception: Perception) {
        let Perception { resync, add, delete, events, lost, .. } = perception;
        let news = &mut self.news;
        let (mut old, mut began) = (BTreeSet::new(), Vec::new());
        if resync {
            old = std::mem::take(&mut self.holding);
        }
        for percept in delete {
            if self.holding.remove(&percept) {
                old.insert(percept);
            }
        }
        for percept in add {
            if self.holding.insert(percept.clone()) && !old.remove(&percept) {
                began.push(percept);
            }
        }
        for percept in old {
            // What began and ceased between two answers is no news.
            match news.began.iter().position(|new| *new == percept) {
                Some(index) => drop(news.began.remove(index)),
                None => news.ceased.push(percept),
            }
        }
        for percept in began {
            match news.ceased.iter().position(|old| *old == percept) {
                Some(index) => drop(news.ceased.remove(index)),
                None => news.began.push(percept),
            }
        }
        news.happened.extend(events);
        news.lost += lost;
    }

    /// Adds the percepts that an action returned. They are reported once, as events are.
    pub fn find_out(&mut self, found: Vec<Percept>) {
        self.news.happened.extend(found);
    }

    /// Adds a message from another agent to the news, as a line of text and as data.
    pub fn hear(&mut self, line: String, data: Value) {
        self.news.messages.push(Message { line, data });
    }

    /// Returns whether there is news since the last answer.
    pub fn has_news(&self) -> bool {
        let News { began, ceased, happened, lost, messages } = &self.news;
        !(began.is_empty() && ceased.is_empty() && happened.is_empty() && *lost == 0 && messages.is_empty())
    }

    /// Returns whether a percept holds or has just happened: one with this name, or exactly this one.
    pub fn contains(&self, wanted: &Percept) -> bool {
        let fits =
            |percept: &Percept| percept == wanted || (wanted.parameters.is_empty() && percept.name == wanted.name);
        self.holding.iter().any(fits) || self.news.happened.iter().any(fits)
    }

    /// Returns the news as text and as data, and forgets it.
    pub fn take_news(&mut self, moment: Moment) -> (String, Value) {
        let News { began, ceased, happened, lost, messages } = std::mem::take(&mut self.news);
        let mut text = format!("Step {}.", moment.step);
        self.list(&mut text, "New", &began);
        self.list(&mut text, "No longer", &ceased);
        self.list(&mut text, "Happened", &happened);
        if lost > 0 {
            let events = if lost == 1 { "1 earlier event was" } else { &format!("{lost} earlier events were") };
            let _ = write!(text, "\n{events} lost, because you had not looked for too long.");
        }
        if began.is_empty() && ceased.is_empty() && happened.is_empty() {
            text.push_str("\nNothing has changed.");
        }
        let mut data = json!({
            "step": moment.step, "new": texts(&began), "noLonger": texts(&ceased), "happened": texts(&happened),
            "lostEvents": lost,
        });
        if !messages.is_empty() {
            text.push_str("\nMessages from other agents:");
            messages.iter().for_each(|message| line(&mut text, &message.line));
            data["messages"] = messages.into_iter().map(|message| message.data).collect();
        }
        (text, data)
    }

    /// Returns everything that holds, or only percepts with a name, as text and as data.
    pub fn all(&self, about: Option<&str>) -> (String, Value) {
        let chosen: Vec<&Percept> =
            self.holding.iter().filter(|percept| about.is_none_or(|name| percept.name == name)).collect();
        let mut text = String::new();
        if chosen.is_empty() {
            text.push_str("\nNothing holds.");
        }
        match about {
            // The caller has asked for all of them.
            Some(_) => chosen.iter().for_each(|percept| line(&mut text, self.sayings.tell(percept))),
            None => self.list(&mut text, "Holds now", &chosen),
        }
        (text, json!(texts(&chosen)))
    }

    fn list<P: Borrow<Percept>>(&self, text: &mut String, title: &str, percepts: &[P]) {
        if percepts.is_empty() {
            return;
        }
        let _ = write!(text, "\n{title}:");
        percepts.iter().take(LISTED).for_each(|percept| line(text, self.sayings.tell(percept.borrow())));
        if percepts.len() > LISTED {
            let _ = write!(text, "\n- and {} more; call `look` with `about` to see them", percepts.len() - LISTED);
        }
    }
}

fn line(text: &mut String, percept: impl Display) {
    text.push_str("\n- ");
    text.push_str(&visible(&percept.to_string()));
}

fn texts<P: Display>(percepts: &[P]) -> Vec<String> {
    percepts.iter().map(|percept| visible(&percept.to_string())).collect()
}

/// Returns what an entity of this type is, perceives and can do.
pub fn introduction(ontology: &Ontology, entity_type: &str) -> String {
    let mut text = String::new();
    if let Some(known) = ontology.entity_types.iter().find(|one| one.name == entity_type) {
        let _ = write!(text, "{}\n\nWhat you can perceive:\n", known.documentation);
        for percept in &known.percepts {
            let _ = write!(text, "- {}: {}", percept.signature, percept.signature.documentation);
            // Models that wait for a percept need its name.
            let _ = match &percept.say {
                Some(say) => writeln!(text, " You read: {say}"),
                None => writeln!(text),
            };
        }
    }
    let tools: Vec<String> = of_entity_type(ontology, entity_type).into_iter().map(|tool| tool.name).collect();
    let _ = write!(text, "\nWhat you can do: {}.\n", tools.join(", "));
    visible_lines(&text)
}

/// Writes characters that people do not see as codes, except for the ends of lines. Text from other agents can hide
/// nothing.
pub fn visible_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    lines.join("\n")
}

/// Returns a noun with `a` or `an`.
pub fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(|first: char| "aeiouAEIOU".contains(first)) { "an" } else { "a" };
    format!("{article} {noun}")
}

/// Returns how an episode ended, and its results.
pub fn ended(outcome: &Outcome) -> Option<String> {
    let mut text = match outcome.ending? {
        Ending::Terminated => String::from("\nThe episode has ended. Results:"),
        Ending::Truncated => String::from("\nThe time is up. Results:"),
    };
    for measure in &outcome.results {
        let _ = write!(text, "\n- {} {}: {}", measure.of, measure.name, measure.value);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use situated::interface::Version;

    use super::*;

    fn percepts(texts: &[&str]) -> Vec<Percept> {
        texts.iter().map(|text| text.parse().expect("a percept")).collect()
    }

    fn perception(add: &[&str], delete: &[&str], events: &[&str]) -> Perception {
        let (moment, since, version) = (Moment::default(), Version::default(), Version::default());
        let (add, delete, events) = (percepts(add), percepts(delete), percepts(events));
        Perception { moment, since, version, resync: false, add, delete, events, lost: 0 }
    }

    #[test]
    fn news_is_told_once_and_only_if_it_is_still_true() {
        let mut beliefs = Beliefs::default();
        beliefs.update(perception(&["at(a)", "holding"], &[], &["heard(x)"]));
        beliefs.update(perception(&["at(b)"], &["at(a)"], &[]));
        let (text, data) = beliefs.take_news(Moment { step: 7, ..Moment::default() });
        assert_eq!(text, "Step 7.\nNew:\n- holding\n- at(b)\nHappened:\n- heard(x)");
        assert_eq!(data["new"], json!(["holding", "at(b)"]));
        assert!(!beliefs.has_news());
        beliefs.update(perception(&[], &["holding"], &[]));
        beliefs.update(perception(&["holding"], &[], &[]));
        assert!(!beliefs.has_news());
        assert_eq!(beliefs.all(None).0, "\nHolds now:\n- at(b)\n- holding");
        assert_eq!(beliefs.all(Some("at")).1, json!(["at(b)"]));
    }

    #[test]
    fn a_resync_replaces_what_was_believed() {
        let mut beliefs = Beliefs::default();
        beliefs.update(perception(&["at(a)", "holding"], &[], &[]));
        beliefs.take_news(Moment::default());
        beliefs.update(Perception { resync: true, ..perception(&["at(b)", "holding"], &[], &[]) });
        assert_eq!(beliefs.take_news(Moment::default()).0, "Step 0.\nNew:\n- at(b)\nNo longer:\n- at(a)");
    }

    #[test]
    fn hidden_characters_become_codes() {
        let text = "a\u{202e}b\u{e0041}c\n\u{200b}é😀";
        assert_eq!(visible(text), "a\\u{202e}b\\u{e0041}c\\u{a}\\u{200b}é😀");
        assert_eq!(visible_lines(text), "a\\u{202e}b\\u{e0041}c\n\\u{200b}é😀");
    }
}
