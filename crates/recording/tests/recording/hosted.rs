//! Recordings of environments that run elsewhere: they contain the reports of the host, and cannot be replayed.

use situated::environment::Environment;
use situated::host::Provider;
use situated::hosted::HostedInterface;
use situated::iil::EcoString;
use situated::interface::{Command, EnvironmentInterface, Form, Since};
use situated::ontology::Pace;
use situated::scene::Scene;
use situated_find_goals::FindGoals;
use situated_recording::{Entry, ExportFormat, McapRecorder, Recorded, Recording, export, replay};
use situated_runtime::{HostTerms, Input, Owner, Speed, Tempo, Time};

use crate::run::{Written, every, open, read};

/// A maze whose host is prompt.
struct Maze {
    owner: Owner<()>,
    provider: Provider<FindGoals>,
    now: Time,
}

impl Maze {
    fn ask(&mut self, request: impl FnOnce(&mut Owner<()>, Time)) {
        self.now.wall += 1;
        request(&mut self.owner, self.now);
        while let Some(call) = self.owner.next_host_request() {
            self.owner.hear(self.provider.answer(call), self.now).expect("a provider says nothing wrong");
        }
        while let Some(((), answered)) = self.owner.next_reply() {
            answered.expect("it can be done");
        }
    }

    fn give(&mut self, input: Input) {
        self.ask(|owner, now| owner.apply((), input, now));
    }
}

/// Two episodes, the first of which is interrupted after some steps.
fn recorded() -> Vec<u8> {
    let (mut maze, written) = begun();
    play(&mut maze, |_| {});
    maze.give(Input::Manage(Command::Reset { parameters: None, seed: None }));
    maze.owner.finish(maze.now).expect("memory does not fail");
    written.bytes()
}

/// A recorded maze in which `anna` has an entity.
fn begun() -> (Maze, Written) {
    let written = Written::default();
    let tempo = Tempo { pace: Pace::Reactive, speed: Speed::MAX, patience: None };
    let owner = Owner::hosted(FindGoals::ontology(), tempo, HostTerms::default()).expect("sound");
    let recorder = McapRecorder::new(written.clone(), every(3)).expect("memory does not fail");
    let now = Time { wall: 1_700_000_000_000, ..Time::default() };
    let mut maze = Maze { owner: owner.with_recorder(Box::new(recorder)), provider: Provider::new(), now };
    let agent = EcoString::from("anna");
    maze.give(Input::Register { agent: agent.clone() });
    maze.give(Input::Manage(Command::Init { parameters: [].into(), seed: 1 }));
    let entity = maze.owner.read(|interface| interface.entities().remove(0)).expect("whole");
    maze.give(Input::Associate { agent: agent.clone(), entity });
    maze.give(Input::Manage(Command::Start));
    (maze, written)
}

/// Makes five steps, and looks after each.
fn play(maze: &mut Maze, mut look: impl FnMut(&mut Maze)) {
    for action in ["up", "left", "down", "right", "up"] {
        let (form, since) = (Form::Update, Since::LastCall);
        maze.ask(|owner, now| drop(owner.perceive("anna", &[], form, since, now).expect("it has an entity")));
        let action = action.parse().expect("an action");
        maze.ask(|owner, now| owner.act((), "anna".into(), action, Vec::new(), None, now));
        look(maze);
    }
}

/// The scenes in a recording, each with its step, and the number of their shapes that are recorded.
fn scenes(bytes: Vec<u8>) -> (Vec<(u64, Scene)>, usize) {
    let (mut scene, mut scenes, mut shapes) = (Scene::default(), Vec::new(), 0);
    for Recorded { entry, .. } in read(bytes) {
        match entry {
            Entry::Episode(_) => scene = Scene::default(),
            Entry::Scene(changed) => {
                changed.apply(&mut scene);
                shapes += changed.shapes.len();
                scenes.push((changed.step, scene.clone()));
            }
            _ => {}
        }
    }
    (scenes, shapes)
}

#[test]
fn scenes_are_recorded_as_changes() {
    let (mut maze, written) = begun();
    let seen =
        |maze: &mut Maze| maze.owner.read(|interface| interface.scene(None)).expect("whole").expect("it has one");
    let mut expected = vec![(0, seen(&mut maze))];
    play(&mut maze, |maze| {
        let step = maze.owner.moment().step;
        let scene = seen(maze);
        if expected.last().is_some_and(|(_, last)| *last != scene) {
            expected.push((step, scene));
        }
    });
    maze.owner.finish(maze.now).expect("memory does not fail");
    let (scenes, shapes) = scenes(written.bytes());
    // Anna moves before the step is over.
    assert!(expected.len() > 2);
    let ends = |scenes: &[(u64, Scene)]| [scenes.first(), scenes.last()].map(|one| one.map(|(_, scene)| scene.clone()));
    assert_eq!(ends(&scenes), ends(&expected));
    let are_recorded = |(_, scene): &(u64, Scene)| scenes.iter().any(|(_, recorded)| recorded == scene);
    assert!(expected.iter().all(are_recorded));
    let whole: usize = scenes.iter().map(|(_, scene)| scene.shapes.len()).sum();
    assert!(shapes < whole, "{shapes} of {whole} shapes");
    let reports = read(written.bytes()).into_iter().filter_map(|one| match one.entry {
        Entry::Input(given) => Some(serde_json::to_string(&given.input).expect("it was read")),
        _ => None,
    });
    assert!(reports.into_iter().all(|report| !report.contains("scene")), "scenes are on a channel of their own");
}

#[test]
fn the_reports_of_the_host_can_be_read_and_exported() {
    let bytes = recorded();
    let entries: Vec<Entry> = read(bytes.clone()).into_iter().map(|Recorded { entry, .. }| entry).collect();
    let hosted = entries.iter().filter(|entry| matches!(entry, Entry::Episode(begun) if begun.hosted));
    assert_eq!(hosted.count(), 2);
    let said = |entry: &&Entry| matches!(entry, Entry::Input(given) if matches!(given.input, Input::Host(_)));
    assert!(entries.iter().filter(said).count() > 10);
    assert!(entries.iter().any(|entry| matches!(entry, Entry::Percepts(_))));
    let checkpoints = entries.iter().filter_map(|entry| match entry {
        Entry::Checkpoint(checkpoint) => Some((checkpoint.episode, checkpoint.step)),
        _ => None,
    });
    // The host reports more about the second episode after it has begun.
    assert_eq!(checkpoints.collect::<Vec<_>>(), [(1, 0), (1, 3), (1, 5), (2, 0), (2, 0)]);
    let outcomes = entries.iter().filter(|entry| matches!(entry, Entry::Outcome(one) if one.episode == 1));
    assert_eq!(outcomes.count(), 1);
    for format in [ExportFormat::Jsonl, ExportFormat::Csv] {
        let mut out = Vec::new();
        let exported = export(&mut open(bytes.clone()).expect("a recording"), format, &mut out);
        assert_eq!(exported.expect("memory does not fail"), entries.len() as u64);
    }
}

#[test]
fn a_checkpoint_can_be_looked_at() {
    let mut states = read(recorded()).into_iter().filter_map(|one| match one.entry {
        Entry::Checkpoint(checkpoint) if checkpoint.step == 5 => Some(checkpoint),
        _ => None,
    });
    let checkpoint = states.next().expect("that at the end of the first episode");
    let seen = HostedInterface::of_snapshot(FindGoals::ontology(), &checkpoint.state).expect("its own state");
    assert_eq!(seen.bookkeeping().moment().step, 5);
    assert_eq!(seen.episode().map(|episode| episode.hash()), Some(checkpoint.hash));
}

fn hosted() -> HostedInterface {
    HostedInterface::new(FindGoals::ontology(), HostTerms::default()).expect("sound")
}

#[test]
fn it_cannot_be_replayed() {
    let mut recording: Recording = open(recorded()).expect("a recording");
    let mirror = |_: &str| Some(Box::new(hosted()) as Box<_>);
    for from in [None, Some(4)] {
        let refused = replay(&mut recording, mirror, from, |_, _| {});
        let error = refused.expect_err("nobody can").to_string();
        assert!(error.contains("`find-goals` was run elsewhere, by a host"), "{error}");
    }
}
