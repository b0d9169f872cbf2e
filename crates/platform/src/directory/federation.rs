//! Searches that go on in the directories of other platforms (SC00023, section 4.1.3).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ecow::EcoString;
use situated_acl::{Expression, Message, Performative, Time};

use super::constraints::{Constraints, RESULT_BYTES};
use super::reading::{agent, agent_name, arguments, slot, word, write};
use super::reason::Reason;
use super::{ONTOLOGY, answers, asking};
use crate::names::{DF, is_foreign, platform_of, qualified};

/// Maximum number of searches that go on elsewhere: of an agent, and of all agents.
const SEARCHES: (usize, usize) = (32, 256);

/// The time within which the other directories must answer, in milliseconds, unless the searcher states another.
const PATIENCE: u64 = 10_000;

/// Maximum time that a searcher can state, in milliseconds.
const LONGEST: u64 = 60_000;

/// For how long a directory is left alone that has not answered in time, in milliseconds, and at most. The time doubles
/// when it does not answer the next search either.
const SILENCE: (u64, u64) = (60_000, 3_600_000);

/// The number of searches that are remembered, so that none comes round.
const REMEMBERED: usize = 1000;

/// The directories of other platforms, and the searches that go on there. Times are in milliseconds.
#[derive(Debug, Default)]
pub(crate) struct Federation {
    /// The name of this platform.
    platform: EcoString,
    others: Vec<Other>,
    /// By number.
    searches: BTreeMap<u64, Search>,
    last: u64,
    /// What distinguishes the latest searches, and the depths that they had here.
    seen: VecDeque<(String, u32)>,
    /// The answers of searches that have ended.
    ended: Vec<(u64, Message<'static>)>,
}

/// The directory of another platform.
#[derive(Debug)]
struct Other {
    /// The name of its directory facilitator.
    name: String,
    /// Whether its agents can register services here.
    registers: bool,
    /// How many times it was left alone, since it last answered.
    unanswered: u32,
    /// Until when it is left alone.
    silent_until: u64,
}

/// A search that goes on in other directories.
#[derive(Debug)]
struct Search {
    /// The conversation with the other directories.
    conversation: String,
    searcher: String,
    /// Its question, without the content.
    question: Message<'static>,
    action: Expression<'static>,
    results: usize,
    here: Vec<Expression<'static>>,
    /// What other directories have found, by their positions in the list.
    elsewhere: BTreeMap<usize, Vec<Expression<'static>>>,
    /// The positions of those that have not answered yet.
    awaited: BTreeSet<usize>,
    until: u64,
}

impl Federation {
    pub(crate) fn new(platform: EcoString, others: impl IntoIterator<Item = (EcoString, bool)>) -> Self {
        let other = |(platform, registers): (EcoString, bool)| {
            let name = qualified(DF, &platform);
            Other { name, registers, unanswered: 0, silent_until: 0 }
        };
        Self { platform, others: others.into_iter().map(other).collect(), ..Self::default() }
    }

    /// The name of this platform; empty without one.
    pub(crate) fn platform(&self) -> &str {
        &self.platform
    }

    /// Whether an agent can register services here: one of this platform, or of another one that may.
    pub(crate) fn may_register(&self, name: &str) -> bool {
        let is_of = |other: &Other| platform_of(&other.name) == platform_of(name);
        !is_foreign(name, &self.platform) || self.others.iter().any(|other| other.registers && is_of(other))
    }

    /// Whether this is a search of another directory that was here before, with at least the same depth.
    pub(crate) fn has_seen(&mut self, searcher: &str, constraints: &Constraints) -> bool {
        let Some(id) = &constraints.id else { return false };
        if !self.others.iter().any(|other| other.name == searcher) {
            return false;
        }
        if self.seen.iter().any(|(seen, depth)| seen == id && *depth >= constraints.depth) {
            return true;
        }
        self.remember(id.clone(), constraints.depth);
        false
    }

    fn remember(&mut self, id: String, depth: u32) {
        if self.seen.len() == REMEMBERED {
            self.seen.pop_front();
        }
        self.seen.push_back((id, depth));
    }

    /// Continues a search in other directories, if it has room for more results and there are any to ask. Returns its
    /// number, and the questions.
    pub(crate) fn extend(
        &mut self,
        question: &Message<'_>,
        action: &Expression<'static>,
        template: &Expression<'static>,
        constraints: &Constraints,
        here: &[Expression<'static>],
        now: u64,
    ) -> Result<Option<(u64, Vec<Message<'static>>)>, Reason> {
        let searcher = question.sender_name().unwrap_or_default();
        let results = constraints.results.saturating_sub(here.len());
        let platform = platform_of(searcher);
        let asking = platform.map(|platform| qualified(DF, platform));
        let is_asked = |other: &Other| other.silent_until <= now && asking.as_ref() != Some(&other.name);
        let awaited: BTreeSet<usize> = (0..self.others.len()).filter(|&at| is_asked(&self.others[at])).collect();
        let patience = question.reply_by.as_ref().map_or(PATIENCE, |time| {
            let moment = time.moment(i64::try_from(now).unwrap_or(i64::MAX), 0);
            u64::try_from(moment).unwrap_or(0).saturating_sub(now).min(LONGEST)
        });
        if constraints.depth == 0 || results == 0 || patience == 0 || awaited.is_empty() {
            return Ok(None);
        }
        let of_searcher = self.searches.values().filter(|search| search.searcher == searcher).count();
        if of_searcher >= SEARCHES.0 || self.searches.len() >= SEARCHES.1 {
            return Err(Reason::internal_error("too many searches go on in other directories"));
        }
        self.last += 1;
        let number = self.last;
        let conversation = format!("{DF}@{}-{now}-{number}", self.platform);
        let id = constraints.id.clone().filter(|_| platform.is_some()).unwrap_or_else(|| conversation.clone());
        let passed_on = Constraints { results, depth: constraints.depth - 1, id: Some(id.clone()) };
        let ask = |&at: &usize| {
            let to = &self.others[at].name;
            let search = vec![word("search"), template.clone(), (&passed_on).into()];
            let action: Expression<'static> = vec![word("action"), agent(to), search.into()].into();
            let request = Message::request().from(DF).to(to.clone()).language("fipa-sl0").ontology(ONTOLOGY);
            // The others answer before the time for this answer is over.
            let request = request.reply_by(Time::after(patience / 4 * 3));
            request.conversation_id(conversation.clone()).content(write(&vec![action].into()))
        };
        let questions = awaited.iter().map(ask).collect();
        let search = Search {
            conversation: conversation.clone(),
            searcher: searcher.into(),
            question: Message { content: None, ..question.clone().into_owned() },
            action: action.clone(),
            results: constraints.results,
            here: here.to_vec(),
            elsewhere: BTreeMap::new(),
            awaited,
            until: now + patience,
        };
        self.searches.insert(number, search);
        self.remember(id, constraints.depth);
        Ok(Some((number, questions)))
    }

    /// Takes a message of another directory that belongs to a search. Returns whether it was one; what comes too late
    /// is taken, too.
    pub(crate) fn take(&mut self, message: &Message<'_>) -> bool {
        let sender = message.sender_name().unwrap_or_default();
        let Some(at) = self.others.iter().position(|other| other.name == sender) else { return false };
        let is_report = matches!(
            message.performative,
            Performative::Inform | Performative::Failure | Performative::Refuse | Performative::NotUnderstood
        );
        if !is_report {
            return message.performative == Performative::Agree;
        }
        (self.others[at].unanswered, self.others[at].silent_until) = (0, 0);
        let conversation = message.conversation_id.as_ref().and_then(Expression::as_text);
        let search = self.searches.iter_mut().find(|(_, search)| Some(search.conversation.as_str()) == conversation);
        if let Some((&number, search)) = search
            && search.awaited.remove(&at)
        {
            let mut room = RESULT_BYTES;
            let fits = |one: &Expression<'static>| {
                room = room.saturating_sub(write(one).len());
                room > 0
            };
            let found = asking::results(message).unwrap_or_default().into_iter().take_while(fits).collect();
            search.elsewhere.insert(at, found);
            if search.awaited.is_empty() {
                self.end(number);
            }
        }
        true
    }

    /// Ends the searches that have waited for too long, with what was found so far.
    pub(crate) fn expire(&mut self, now: u64) {
        let late: Vec<u64> =
            self.searches.iter().filter(|(_, search)| search.until <= now).map(|(number, _)| *number).collect();
        for number in late {
            for at in self.searches[&number].awaited.clone() {
                let other = &mut self.others[at];
                // Searches that went on at the same time count once.
                if other.silent_until > now {
                    continue;
                }
                let silence = SILENCE.0.saturating_mul(1 << other.unanswered.min(16)).min(SILENCE.1);
                other.unanswered += 1;
                other.silent_until = now + silence;
            }
            self.end(number);
        }
    }

    /// The time at which the next search has waited for too long.
    pub(crate) fn next_expiry(&self) -> Option<u64> {
        self.searches.values().map(|search| search.until).min()
    }

    /// Takes the answers of the searches that have ended, with their numbers.
    pub(crate) fn take_ended(&mut self) -> Vec<(u64, Message<'static>)> {
        std::mem::take(&mut self.ended)
    }

    fn end(&mut self, number: u64) {
        if let Some(search) = self.searches.remove(&number) {
            self.ended.push((number, search.answer(&self.platform)));
        }
    }
}

impl Search {
    /// The answer: what was found here, and then what the others have found about agents of other platforms, each agent
    /// once.
    fn answer(self, platform: &str) -> Message<'static> {
        let mut named = BTreeSet::new();
        let mut is_new = |description: &Expression<'static>, is_here: bool| {
            let name =
                arguments(description, "df-agent-description").and_then(|parts| agent_name(slot(parts, "name")?));
            name.is_some_and(|name| {
                let is_elsewhere = platform_of(&name).is_some_and(|of| of != platform);
                (is_here || is_elsewhere) && named.insert(name)
            })
        };
        let here = self.here.into_iter().map(|description| (description, true));
        let elsewhere = self.elsewhere.into_values().flatten().map(|description| (description, false));
        let found = here.chain(elsewhere).filter(|(one, is_here)| is_new(one, *is_here)).map(|(one, _)| one);
        let mut room = RESULT_BYTES;
        let found = found.take(self.results).take_while(|one| {
            room = room.saturating_sub(write(one).len());
            room > 0
        });
        answers::found(DF, &self.question, &self.action, found.collect())
    }
}
