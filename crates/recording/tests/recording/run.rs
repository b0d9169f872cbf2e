//! A run that is recorded in memory: the calls of an owner, without an owner.

use std::io::{self, Cursor, Write};
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcap::{MessageStream, WriteOptions};
use situated::iil::Action;
use situated::interface::{Command, EnvironmentInterface, Form, Interface, Since};
use situated::random::Random;
use situated_find_goals::FindGoals;
use situated_recording::{Entry, McapRecorder, Recorded, RecorderSettings, Recording, RecordingError, Report, replay};
use situated_runtime::{Effect, Input, Recorder, Time};

/// Bytes that can be read while they are written.
#[derive(Clone, Default)]
pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().expect("no thread panics with it").clone()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no thread panics with it").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An environment with its recorder.
pub(crate) struct Run {
    pub(crate) environment: Box<dyn EnvironmentInterface>,
    pub(crate) recorder: McapRecorder,
    pub(crate) written: Written,
    pub(crate) now: Time,
    /// The time that an input takes, in milliseconds.
    pub(crate) pace: u64,
}

impl Run {
    pub(crate) fn new(environment: Box<dyn EnvironmentInterface>, settings: RecorderSettings) -> Self {
        let written = Written::default();
        let recorder = McapRecorder::new(written.clone(), settings).expect("memory does not fail");
        let now = Time { monotonic: Duration::ZERO, wall: 1_700_000_000_000 };
        Self { environment, recorder, written, now, pace: 1 }
    }

    pub(crate) fn find_goals(settings: RecorderSettings) -> Self {
        Self::new(Box::new(Interface::<FindGoals>::new()), settings)
    }

    /// Gives an input; none if it is refused, or if the environment crashes.
    pub(crate) fn give(&mut self, input: Input) -> Option<Effect> {
        self.now.monotonic += Duration::from_millis(self.pace);
        self.now.wall += self.pace;
        let (environment, recorder, now) = (&mut *self.environment, &mut self.recorder, self.now);
        let given = catch_unwind(AssertUnwindSafe(|| {
            recorder.before_input(&input, environment, now);
            let effect = environment.apply(&input, now);
            recorder.after_input(&input, &effect, environment, now);
            effect.ok()
        }));
        given.unwrap_or_else(|_| {
            self.environment.abandon();
            self.recorder.crashed(Some(&input), "it broke", now);
            None
        })
    }

    pub(crate) fn begin(&mut self, seed: u64) {
        self.give(Input::Manage(Command::Init { parameters: [].into(), seed })).expect("a fresh environment");
        self.give(Input::Manage(Command::Start)).expect("it is paused");
    }

    pub(crate) fn join(&mut self, agent: &str, entity: &str) {
        self.give(Input::Register { agent: agent.into() }).expect("a new name");
        self.give(Input::Associate { agent: agent.into(), entity: entity.into() }).expect("a free entity");
    }

    pub(crate) fn act(&mut self, agent: &str, action: &str) -> Option<Effect> {
        let action: Action = action.parse().expect("an action");
        self.give(Input::Act { agent: agent.into(), action: action.into(), entities: Vec::new() })
    }

    pub(crate) fn perceive(&mut self, agent: &str) {
        let received = self.environment.perceive(agent, &[], Form::Update, Since::LastCall).expect("it has an entity");
        for (entity, perception) in received {
            self.recorder.perceived(agent, &entity, &perception, self.now);
        }
    }

    /// Agents walk at random for a number of steps; sometimes one of them acts twice, which fails.
    pub(crate) fn walk(&mut self, agents: &[&str], steps: u64, random: &mut Random) {
        for _ in 0..steps {
            for agent in agents {
                for _ in 0..1 + u64::from(random.chance(0.1)) {
                    let action = random.choose(&["right", "left", "up", "down", "wait"]).expect("some");
                    self.act(agent, action);
                }
                if random.chance(0.5) {
                    self.perceive(agent);
                }
            }
            self.give(Input::Step).expect("it is running");
        }
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.recorder.finish(&*self.environment, self.now).expect("memory does not fail");
        self.written.bytes()
    }
}

/// Returns settings with a checkpoint every `steps` steps.
pub(crate) fn every(steps: u64) -> RecorderSettings {
    RecorderSettings { checkpoint_every: NonZeroU64::new(steps).expect("at least one"), ..Default::default() }
}

/// Two episodes of Find the Goals, of 250 and 150 steps, with a pause, and with agents that come and go.
pub(crate) fn eventful(settings: RecorderSettings) -> Vec<u8> {
    let mut run = Run::find_goals(settings);
    let mut random = Random::new(3);
    run.give(Input::Register { agent: "ada".into() });
    run.begin(7);
    run.give(Input::Associate { agent: "ada".into(), entity: "red".into() });
    run.join("bob", "blue");
    run.walk(&["ada", "bob"], 120, &mut random);
    run.give(Input::Manage(Command::Pause)).expect("it is running");
    assert_eq!(run.act("ada", "right"), None, "it is paused");
    run.give(Input::Manage(Command::Start)).expect("it is paused");
    run.give(Input::Unregister { agent: "bob".into() }).expect("it is registered");
    run.walk(&["ada"], 30, &mut random);
    run.join("eve", "blue");
    run.walk(&["ada", "eve"], 100, &mut random);
    run.give(Input::Manage(Command::Reset { parameters: None, seed: None })).expect("it is running");
    run.give(Input::Manage(Command::Start)).expect("it is paused");
    run.walk(&["ada", "eve"], 150, &mut random);
    run.finish()
}

/// An episode of 30 steps, slow enough for several chunks.
pub(crate) fn short() -> Vec<u8> {
    let mut run = Run::find_goals(every(10));
    run.pace = 30;
    run.begin(7);
    run.join("ada", "red");
    run.walk(&["ada"], 30, &mut Random::new(3));
    run.finish()
}

pub(crate) fn open(bytes: Vec<u8>) -> Result<Recording, RecordingError> {
    Recording::from_reader(Cursor::new(bytes))
}

/// All messages of a recording that is not damaged.
pub(crate) fn read(bytes: Vec<u8>) -> Vec<Recorded> {
    let mut recording = open(bytes).expect("a recording");
    recording.entries().expect("readable").collect::<Result<_, _>>().expect("undamaged")
}

pub(crate) fn make(name: &str) -> Option<Box<dyn EnvironmentInterface>> {
    (name == "find-goals").then(|| Box::new(Interface::<FindGoals>::new()) as Box<dyn EnvironmentInterface>)
}

pub(crate) fn replayed(bytes: Vec<u8>, from: Option<u64>) -> Report {
    replay(&mut open(bytes).expect("a recording"), make, from, |_, _| {}).expect("it can be replayed")
}

/// The same recording with other messages: the text of each is replaced by what is made of it.
pub(crate) fn rewritten(bytes: &[u8], mut change: impl FnMut(&str, u32, &[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let mut writer = WriteOptions::new().profile("situated").library("a test").create(&mut out).expect("memory");
    for message in MessageStream::new(bytes).expect("a complete file") {
        let mut message = message.expect("undamaged");
        message.data = change(&message.channel.topic, message.sequence, &message.data).into();
        writer.write(&message).expect("memory");
    }
    writer.finish().expect("memory");
    drop(writer);
    out.into_inner()
}

/// The same recording with another input.
pub(crate) fn with_input(bytes: &[u8], sequence: u32, change: impl Fn(&mut Entry)) -> Vec<u8> {
    let mut recorded = read(bytes.to_vec());
    let entry = &mut recorded[sequence as usize].entry;
    change(entry);
    let Entry::Input(given) = entry else { panic!("{sequence} is no input") };
    let text = serde_json::to_vec(given).expect("serialisable");
    rewritten(bytes, |_, number, data| if number == sequence { text.clone() } else { data.to_vec() })
}
