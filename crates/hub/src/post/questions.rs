//! Questions to the AMS and the DF. A thread of its own answers them, so that nobody who acts or sends messages waits for a
//! search. Sessions get turns.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::{Arc, Weak};
use std::time::Duration;

use situated::iil::EcoString;
use situated_acl::Message;
use situated_platform::directory::{Agent, Answer, LifeCycle, rename};
use situated_platform::mail::Sent;
use situated_platform::names::{AMS, DF};
use situated_runtime::wall_clock;
use situated_wire::AclMessage;
use situated_wire::methods::{AskDirectory, DirectoryAnswer};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::{LOOK, Post, RESERVED, State, View, account};
use crate::error::Error;
use crate::reply::Reply;
use crate::session::Session;

/// The questions that wait for the AMS and the DF. Their messages are in the mailboxes of these two.
#[derive(Default)]
pub(super) struct Questions {
    /// By account, in the order in which they came.
    waiting: BTreeMap<EcoString, VecDeque<Question>>,
    /// The account that had the last turn.
    last: EcoString,
    /// The number of the last message that is in the list.
    noted: u64,
    /// Those who wait for an answer past the mail, by the number of their question.
    replies: HashMap<u64, Reply<AskDirectory>>,
    /// Those who wait for searches in other directories, by the numbers of these.
    searching: HashMap<u64, Reply<AskDirectory>>,
    /// The agents that have left. Their services are still in the directory.
    departed: Vec<EcoString>,
}

/// A message that waits for the AMS or the DF.
struct Question {
    service: &'static str,
    number: u64,
    sender: EcoString,
}

/// The next work of the directory.
struct Turn {
    departed: Vec<EcoString>,
    question: Option<(Question, Arc<Message<'static>>, EcoString)>,
    /// The agents that are registered with the server, if the question is one to the AMS.
    agents: Vec<(EcoString, Weak<Session>)>,
}

/// An answer past the mail.
type Given = (Message<'static>, Reply<AskDirectory>);

impl Questions {
    /// Takes the next question of the account whose turn it is.
    fn next(&mut self) -> Option<Question> {
        let later = self.waiting.range::<EcoString, _>((Excluded(&self.last), Unbounded)).next();
        let account = later.or_else(|| self.waiting.first_key_value()).map(|(account, _)| account.clone())?;
        let questions = self.waiting.get_mut(&account)?;
        let question = questions.pop_front();
        if questions.is_empty() {
            self.waiting.remove(&account);
        }
        self.last = account;
        question
    }
}

impl Post {
    /// Asks the AMS or the DF for an agent of a session. The answer comes later.
    pub(crate) fn ask(self: &Arc<Self>, agent: EcoString, question: Message<'static>, reply: Reply<AskDirectory>) {
        if let Err((error, reply)) = self.try_ask(&agent, question, reply) {
            reply.refuse(error);
        }
        self.conversations.record();
    }

    fn try_ask(
        self: &Arc<Self>,
        agent: &EcoString,
        mut message: Message<'static>,
        reply: Reply<AskDirectory>,
    ) -> Result<(), (Error, Reply<AskDirectory>)> {
        self.gates.localize(&mut message);
        let is_directory = match &*message.receivers {
            [one] => RESERVED.contains(&self.gates.local(&one.name)),
            _ => false,
        };
        let mut state = self.state.lock();
        let address = state.address(reply.session(), agent);
        let checked = address.and_then(|address| if is_directory { Ok(address) } else { Err(Error::NotADirectory) });
        let account = account(reply.session());
        if let Err(error) = checked.and_then(|address| Ok(state.send(&address, None, account, message)?)) {
            return Err((error, reply));
        }
        state.finish(self);
        let number = state.questions.noted;
        state.questions.replies.insert(number, reply);
        Ok(())
    }

    /// Answers questions until the hub closes.
    pub(crate) async fn keep_answering(self: Arc<Self>) {
        loop {
            let due = self.directory.lock().next_expiry();
            let rest = due.map(|due| Duration::from_millis(due.saturating_sub(wall_clock())).max(LOOK));
            tokio::select! {
                () = self.asked.notified() => {}
                () = async { match rest { Some(rest) => sleep(rest).await, None => std::future::pending().await } } => {}
            }
            if self.is_closed() {
                return;
            }
            let post = self.clone();
            match spawn_blocking(move || post.answer()).await {
                Ok(()) => {}
                Err(error) if error.is_panic() => tracing::error!(%error, "the directory lost a question"),
                // The process ends.
                Err(_) => return,
            }
        }
    }

    /// Answers all questions that wait, and ends what has lasted for long enough.
    fn answer(self: &Arc<Self>) {
        let mut directory = self.directory.lock();
        loop {
            let Turn { departed, question, agents } = self.state.lock().next_turn();
            let is_last = departed.is_empty() && question.is_none() || self.is_closed();
            let (now, agents) = (wall_clock(), described(agents));
            let mut told: Vec<_> = departed.iter().flat_map(|agent| directory.remove(agent)).collect();
            let heard = question.map(|(question, message, account)| {
                let message = self.with_addresses(&question.sender, message);
                let heard = directory.hear(question.service, &message, &account, &agents, now);
                told.extend(heard.told);
                let mut answer = heard.answer;
                if let Answer::Given(answer) = &mut answer {
                    self.name_agents(answer);
                }
                (question, message, answer)
            });
            told.extend(directory.expire(now));
            let (mut found, changes) = (directory.take_found(), directory.take_changes());
            told.iter_mut().chain(found.iter_mut().map(|(_, answer)| answer)).for_each(|one| self.name_agents(one));
            let mut state = self.state.lock();
            state.directory_charge.set(directory.bytes());
            let mut given = Vec::new();
            if let Some((question, message, answer)) = heard {
                given.extend(state.conclude(&question, &message, answer));
            }
            state.submit(told);
            for (search, answer) in found {
                match state.questions.searching.remove(&search) {
                    Some(reply) => given.push((answer, reply)),
                    None => state.submit([answer]),
                }
            }
            state.answered.extend(given.iter().map(|(answer, _)| Sent::new(answer.clone(), now)));
            state.finish_with(self, changes);
            drop(state);
            for (answer, reply) in given {
                let message = Box::new(AclMessage::from(&answer));
                reply.answer(DirectoryAnswer { message, time: wall_clock() });
            }
            self.conversations.record();
            if is_last {
                return;
            }
        }
    }

    /// Returns a question with the addresses of the agents in its content, whose names are those that the sender knows.
    fn with_addresses(&self, sender: &str, mut question: Arc<Message<'static>>) -> Arc<Message<'static>> {
        if let Some(view) = self.view_of(sender) {
            let address = |name: &str| {
                let state = self.state.lock();
                state.agents.find(&view, state.gates.local(name)).map_or_else(|| name.into(), EcoString::to_string)
            };
            rename(Arc::make_mut(&mut question), &address);
        }
        question
    }

    /// Gives the agents in the content of an answer the names by which its receiver knows them.
    fn name_agents(&self, answer: &mut Message<'static>) {
        if let Some(view) = answer.receivers.first().and_then(|receiver| self.view_of(&receiver.name)) {
            let name = |address: &str| {
                self.state.lock().agents.name_of(&view, address).map_or_else(|| address.into(), String::from)
            };
            rename(answer, &name);
        }
    }

    /// The environments whose agents an agent knows by their names alone, if other environments have agents of these names.
    fn view_of(&self, address: &str) -> Option<View> {
        let agents = &self.state.lock().agents;
        agents.at(address).filter(|_| agents.has_namesakes()).map(|agent| agent.environments.clone())
    }
}

impl State {
    /// Adds the messages that have come for the AMS and the DF to the list of questions.
    pub(super) fn note_questions(&mut self) {
        let Self { mail, questions: Questions { waiting, noted, .. }, .. } = self;
        let mut last = *noted;
        for service in RESERVED {
            for letter in mail.waiting(service, *noted) {
                let question = Question { service, number: letter.number, sender: letter.sender.clone() };
                waiting.entry(letter.account.clone()).or_default().push_back(question);
                last = last.max(letter.number);
            }
        }
        *noted = last;
    }

    /// Removes the questions of an agent that has left. The directory removes its services before it answers others.
    pub(super) fn drop_questions(&mut self, account: &EcoString, agent: &EcoString) {
        let mut dropped = Vec::new();
        // Questions that another process has stored count for the agent itself.
        for account in [account, agent] {
            let Some(questions) = self.questions.waiting.remove(account) else { continue };
            let (of_agent, others): (VecDeque<_>, _) =
                questions.into_iter().partition(|question| question.sender == *agent);
            dropped.extend(of_agent);
            if !others.is_empty() {
                self.questions.waiting.insert(account.clone(), others);
            }
        }
        for Question { service, number, .. } in dropped {
            self.mail.take(&service.into(), number);
            if let Some(reply) = self.questions.replies.remove(&number) {
                reply.refuse(Error::not_registered(agent));
            }
        }
        self.questions.departed.push(agent.clone());
    }

    fn next_turn(&mut self) -> Turn {
        let departed = std::mem::take(&mut self.questions.departed);
        let question = self.next_question();
        let is_for_ams = question.as_ref().is_some_and(|(question, ..)| question.service == AMS);
        let agents = if is_for_ams { self.agents() } else { Vec::new() };
        Turn { departed, question, agents }
    }

    /// Takes the question whose turn it is, with its message and account.
    fn next_question(&mut self) -> Option<(Question, Arc<Message<'static>>, EcoString)> {
        while let Some(question) = self.questions.next() {
            let mut waiting = self.mail.waiting(question.service, question.number - 1);
            match waiting.next().filter(|letter| letter.number == question.number) {
                Some(letter) => return Some((question, letter.message.clone(), letter.account.clone())),
                // It has waited for too long. Dropping the reply says so.
                None => drop(self.questions.replies.remove(&question.number)),
            }
        }
        None
    }

    /// Removes a question from its mailbox, and sends the answer. Returns it if it goes past the mail.
    fn conclude(&mut self, question: &Question, message: &Message<'_>, answer: Answer) -> Option<Given> {
        let reply = self.questions.replies.remove(&question.number);
        if !self.mail.take(&question.service.into(), question.number) {
            // It has waited for too long meanwhile.
            return None;
        }
        match (answer, reply) {
            (Answer::Given(answer), Some(reply)) => return Some((*answer, reply)),
            (Answer::Given(answer), None) => self.submit([*answer]),
            (Answer::Later(search), Some(reply)) => drop(self.questions.searching.insert(search, reply)),
            (Answer::None, Some(reply)) => reply.refuse(Error::NoAnswer { act: message.performative }),
            (Answer::Later(_) | Answer::None, None) => {}
        }
        None
    }

    /// The addresses of the agents that are registered with the server.
    fn agents(&self) -> Vec<(EcoString, Weak<Session>)> {
        self.agents.all().map(|(address, owner)| (address.clone(), owner.clone())).collect()
    }

    /// Sends messages of the AMS and the DF, which count for their receivers. An agent whose mailbox is full does not get
    /// them.
    pub(super) fn submit(&mut self, messages: impl IntoIterator<Item = Message<'static>>) {
        for message in messages {
            let service = if message.sender_name() == Some(AMS) { AMS } else { DF };
            let receiver = message.receivers.first().map_or("", |receiver| &*receiver.name);
            let account = self.account_of(receiver);
            // Agents that do not read their mail must not stop the directory.
            let _ = self.send(&service.into(), None, account, message);
        }
    }
}

/// Describes agents to the AMS, by name.
fn described(agents: Vec<(EcoString, Weak<Session>)>) -> Vec<Agent> {
    let describe = |(name, owner): (EcoString, Weak<Session>)| {
        let is_absent = owner.upgrade().is_some_and(|session| session.is_absent());
        Agent { name, state: if is_absent { LifeCycle::Suspended } else { LifeCycle::Active } }
    };
    let mut agents: Vec<Agent> = agents.into_iter().map(describe).collect();
    agents.sort_unstable();
    agents
}
