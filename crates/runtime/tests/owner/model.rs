//! What must be true of an owner of a mill, said so simply that it can be read: sets and maps of names. Here is what is
//! managed; `acting` says what is done when.

mod acting;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use situated::interface::State;
use situated::ontology::Pace;
use situated_runtime::Tempo;

pub(crate) use acting::Deed;

/// An agent and one of its entities.
type Link = (String, String);

/// What has come of a numbered action: its answer, or the request that is still to be done.
type Stage = Result<String, u32>;

/// An owner with its environment. Requests are known by their numbers, answers are short texts.
pub(crate) struct Model {
    pace: Pace,
    period: Duration,
    patience: Option<Duration>,
    pub(crate) now: Duration,
    pub(crate) state: State,
    crashed: bool,
    pub(crate) episode: u64,
    pub(crate) step: u64,
    /// When the last step was due.
    last_due: Duration,
    speed_changed: Duration,
    /// When the last step was made, or time began to run.
    last_step: Duration,
    pub(crate) missed: u64,

    /// In order of creation.
    pub(crate) entities: Vec<String>,
    born: u32,
    /// Whether the next step panics.
    armed: bool,
    pub(crate) log: Vec<String>,
    pub(crate) agents: BTreeSet<String>,
    pub(crate) links: BTreeSet<Link>,

    /// Who has chosen for an entity, and with which request.
    choices: BTreeMap<String, (String, u32)>,
    waiting: BTreeMap<u32, Waiting>,
    /// Requests that wait for their turn.
    queue: VecDeque<u32>,
    /// The numbers that each agent has used.
    numbers: BTreeMap<String, Vec<(u64, Stage)>>,
    /// Who waits until the environment is further than this episode and step.
    sleepers: Vec<(u32, (u64, u64))>,
    /// For how many steps time is to run, and who wants that.
    advancing: Option<(u32, u64)>,
    /// What must have been answered.
    pub(crate) answers: BTreeMap<u32, String>,
}

/// An action or a pass that is still to be done.
struct Waiting {
    askers: Vec<u32>,
    agent: String,
    /// None is a pass.
    deed: Option<Deed>,
    entities: Vec<String>,
    number: Option<u64>,
    open: BTreeSet<String>,
    /// Whether any of its entities has tried.
    tried: bool,
    results: BTreeMap<String, bool>,
}

impl Model {
    /// An owner that has not been initialized.
    pub(crate) fn new(tempo: Tempo, now: Duration) -> Self {
        Self {
            pace: tempo.pace,
            period: tempo.speed.period(),
            patience: tempo.patience,
            now,
            state: State::Initializing,
            crashed: false,
            episode: 0,
            step: 0,
            last_due: Duration::ZERO,
            speed_changed: Duration::ZERO,
            last_step: Duration::ZERO,
            missed: 0,
            entities: Vec::new(),
            born: 0,
            armed: false,
            log: Vec::new(),
            agents: BTreeSet::new(),
            links: BTreeSet::new(),
            choices: BTreeMap::new(),
            waiting: BTreeMap::new(),
            queue: VecDeque::new(),
            numbers: BTreeMap::new(),
            sleepers: Vec::new(),
            advancing: None,
            answers: BTreeMap::new(),
        }
    }

    /// A request must have been answered so.
    pub(crate) fn answer(&mut self, asked: u32, answer: impl Into<String>) {
        let before = self.answers.insert(asked, answer.into());
        assert_eq!(before, None, "the model answers {asked} twice");
    }

    pub(crate) fn is_crashed(&self) -> bool {
        self.crashed
    }

    /// How many requests are still to be answered.
    pub(crate) fn unanswered(&self) -> usize {
        let askers: usize = self.waiting.values().map(|waiting| waiting.askers.len()).sum();
        askers + self.sleepers.len() + usize::from(self.advancing.is_some())
    }

    /// Why nothing can be done in this state.
    fn refusal(&self) -> &'static str {
        if self.crashed { "Crashed" } else { "WrongState" }
    }

    fn begin_episode(&mut self) {
        (self.episode, self.step, self.missed, self.born) = (self.episode + 1, 0, 0, 0);
        self.armed = false;
        self.log.clear();
        self.entities = ["worker0", "worker1", "guard0"].map(String::from).to_vec();
        self.state = State::Paused;
    }

    pub(crate) fn init(&mut self, asked: u32) {
        self.begin_episode();
        self.answer(asked, "done");
    }

    pub(crate) fn start(&mut self, asked: u32) {
        let answer = if self.begin_running() { "done" } else { self.refusal() };
        self.answer(asked, answer);
    }

    fn begin_running(&mut self) -> bool {
        let paused = self.state == State::Paused;
        if paused {
            self.state = State::Running;
            (self.last_due, self.last_step) = (self.now, self.now);
        }
        paused
    }

    pub(crate) fn pause(&mut self, asked: u32) {
        let running = self.state == State::Running;
        self.answer(asked, if running { "done" } else { self.refusal() });
        if running {
            self.stop_running();
        }
    }

    fn stop_running(&mut self) {
        self.state = State::Paused;
        if let Some((asked, _)) = self.advancing.take() {
            self.answer(asked, "moment");
        }
    }

    /// Entities of the first hour keep their agents, and all that waits is overtaken.
    pub(crate) fn reset(&mut self, asked: u32) {
        if !matches!(self.state, State::Running | State::Paused) {
            return self.answer(asked, self.refusal());
        }
        self.refuse_all("Superseded");
        self.begin_episode();
        let entities = &self.entities;
        self.links.retain(|(_, entity)| entities.contains(entity));
        self.answer(asked, "done");
        self.stop_running();
        self.wake();
    }

    pub(crate) fn kill(&mut self, asked: u32) {
        if self.state == State::Killed {
            return self.answer(asked, self.refusal());
        }
        self.answer(asked, "done");
        self.end();
    }

    fn crash(&mut self) {
        self.crashed = true;
        self.end();
    }

    /// The environment is over, however that came: whoever waits hears of it.
    fn end(&mut self) {
        (self.state, self.step) = (State::Killed, 0);
        self.entities.clear();
        self.links.clear();
        self.log.clear();
        self.refuse_all(self.refusal());
        let advancing = self.advancing.take().map(|(asked, _)| asked);
        let sleepers = std::mem::take(&mut self.sleepers).into_iter().map(|(asked, _)| asked);
        for asked in sleepers.chain(advancing) {
            self.answer(asked, self.refusal());
        }
    }

    fn refuse_all(&mut self, why: &str) {
        self.queue.clear();
        self.choices.clear();
        for (_, waiting) in std::mem::take(&mut self.waiting) {
            self.forget_number(&waiting);
            waiting.askers.iter().for_each(|asked| self.answer(*asked, why));
        }
    }

    pub(crate) fn set_speed(&mut self, asked: u32, period: Duration) {
        self.period = period;
        // A step that would have been due earlier is due now.
        self.speed_changed = self.now;
        self.answer(asked, "done");
    }

    /// From pause, time runs for so many steps.
    pub(crate) fn advance_by(&mut self, asked: u32, steps: u64) {
        if self.state != State::Paused {
            self.answer(asked, self.refusal());
        } else if steps == 0 {
            self.answer(asked, "moment");
        } else {
            self.begin_running();
            self.advancing = Some((asked, steps));
        }
    }

    /// Somebody waits until the environment is further.
    pub(crate) fn wait(&mut self, asked: u32, after: (u64, u64)) {
        if self.state == State::Killed {
            return self.answer(asked, self.refusal());
        }
        self.sleepers.push((asked, after));
        self.wake();
    }

    fn wake(&mut self) {
        let now = (self.episode, self.step);
        for (asked, after) in std::mem::take(&mut self.sleepers) {
            if now > after {
                self.answer(asked, "moment");
            } else {
                self.sleepers.push((asked, after));
            }
        }
    }

    pub(crate) fn register(&mut self, asked: u32, agent: &str) {
        let answer = match () {
            () if self.crashed => "Crashed",
            () if self.agents.insert(agent.to_owned()) => "done",
            () => "NotRegistrable",
        };
        self.answer(asked, answer);
    }

    /// The agent leaves: what it had chosen is not done, and its numbers are forgotten.
    pub(crate) fn unregister(&mut self, asked: u32, agent: &str) {
        if let Some(error) = self.stranger(agent) {
            return self.answer(asked, error);
        }
        self.agents.remove(agent);
        self.links.retain(|(of, _)| of != agent);
        for queued in std::mem::take(&mut self.queue) {
            match self.waiting.remove(&queued) {
                Some(waiting) if waiting.agent == agent => {
                    waiting.askers.iter().for_each(|asked| self.answer(*asked, "NotRegistered"));
                }
                Some(waiting) => {
                    self.waiting.insert(queued, waiting);
                    self.queue.push_back(queued);
                }
                None => {}
            }
        }
        self.void_choices();
        self.numbers.remove(agent);
        self.answer(asked, "done");
    }

    /// Why nothing can be asked in this agent's name.
    fn stranger(&self, agent: &str) -> Option<&'static str> {
        match () {
            () if self.crashed => Some("Crashed"),
            () if !self.agents.contains(agent) => Some("NotRegistered"),
            () => None,
        }
    }

    pub(crate) fn associate(&mut self, asked: u32, agent: &str, entity: &str) {
        let answer = match self.stranger(agent) {
            Some(error) => error,
            None if !self.entities.iter().any(|one| one == entity) => "WrongEntity",
            None => {
                self.links.insert((agent.to_owned(), entity.to_owned()));
                "done"
            }
        };
        self.answer(asked, answer);
    }

    pub(crate) fn free_pair(&mut self, asked: u32, agent: &str, entity: &str) {
        let link = (agent.to_owned(), entity.to_owned());
        let answer = match self.stranger(agent) {
            Some(error) => error,
            None if self.links.remove(&link) => "done",
            None if !self.entities.contains(&link.1) => "WrongEntity",
            None if !self.links.iter().any(|(of, _)| of == agent) => "NoEntities",
            None => "WrongEntity",
        };
        self.void_choices();
        self.answer(asked, answer);
    }

    pub(crate) fn free_entity(&mut self, asked: u32, entity: &str) {
        let held = self.links.iter().any(|(_, of)| of == entity);
        let answer = match () {
            () if self.crashed => "Crashed",
            () if held => "done",
            () if self.entities.iter().any(|one| one == entity) => "Relation",
            () => "WrongEntity",
        };
        self.links.retain(|(_, of)| of != entity);
        self.void_choices();
        self.answer(asked, answer);
    }

    pub(crate) fn free_agent(&mut self, asked: u32, agent: &str) {
        let answer = self.stranger(agent).unwrap_or("done");
        self.links.retain(|(of, _)| of != agent);
        self.void_choices();
        self.answer(asked, answer);
    }

    pub(crate) fn perceive(&mut self, asked: u32, agent: &str) {
        let answer = match self.stranger(agent) {
            Some("Crashed") => "Crashed",
            _ if self.state == State::Killed => "WrongState",
            Some(error) => error,
            None if !self.links.iter().any(|(of, _)| of == agent) => "NoEntities",
            None => "perceived",
        };
        self.answer(asked, answer);
    }
}
