//! Tests of the view as a whole.

use std::collections::BTreeMap;

use situated::iil::{Action, Percept};
use situated::interface::Moment;
use situated::scene::{Color, Shape};
use situated_runtime::Speed;

use super::*;
use crate::run::step::Step;
use crate::run::story::heard;

/// A story in which the walkers moved, one action failed, and one walker sent a message.
fn story() -> Story {
    let actions = [("red", "goTo"), ("blue", "pickUp")]
        .map(|(entity, name)| (entity.into(), Action::new(name, ["RoomC1".into()])));
    let errors = BTreeMap::from([("blue".into(), "there is no \x1b[31mblock".to_owned())]);
    let said = Percept::new("message", ["red".into(), "I am going to RoomC1".into()]);
    let mut story = Story::default();
    story.tell(
        Step { number: 7, actions: actions.into(), errors, percepts: heard("blue", said), ..Step::default() },
        &|_| None,
    );
    story
}

fn view(story: &Story, (width, height): (f64, f64)) -> View<'_> {
    let place = Shape::rectangle(0.0, 0.0, width, height, Color::BLACK).labelled("\x1bmaze");
    let walker = |x: f64, color, name: &str| Shape::circle(x, 2.0, 0.5, color).standing_for(name);
    let scene =
        Scene { width, height, shapes: vec![place, walker(2.0, Color::RED, "red"), walker(4.0, Color::BLUE, "blue")] };
    let status = Status {
        state: State::Running,
        moment: Moment { step: 1204, ..Moment::default() },
        pace: Pace::RealTime { steps_per_second: 50.0 },
        speed: Speed::hertz(50.0),
        missed: 0,
        crash: None,
        awaited: Vec::new(),
        recording: None,
        data: None,
    };
    let measure =
        |of: &str, name: &str, value: i64| situated::environment::Measure::new(of, name, Parameter::from(value));
    View {
        title: ["bw4t", "seed 1"].map(str::to_owned).into(),
        status,
        rate: Some(49.7),
        steps: 30_000,
        tags: tags(&scene, ["red", "blue"]),
        scene,
        panel: Panel {
            players: ["random", "builtin"].map(|program| Player { program: Some(program.into()), failures: 3 }).into(),
            story,
            results: vec![measure("team", "delivered", 2), measure("red", "drops", 1), measure("blue", "drops", 0)],
            notes: Vec::new(),
        },
    }
}

#[test]
fn it_fills_every_window_exactly() {
    let story = story();
    for scene in [(10.0, 4.0), (52.0, 75.0), (1.0, 900.0), (0.0, 0.0)] {
        for columns in [1, 2, 5, 10, 20, 30, 47, 60, 69, 70, 80, 120, 200, 400] {
            for rows in [1, 2, 3, 4, 5, 6, 8, 9, 15, 16, 20, 24, 40, 60] {
                let lines = view(&story, scene).lines(columns, rows, false);
                assert_eq!(lines.len(), rows);
                assert!(lines.iter().all(|line| line.chars().count() == columns), "{columns} x {rows}");
            }
        }
    }
}

#[test]
fn a_window_shows_the_scene_and_the_events() {
    let story = story();
    let lines = view(&story, (10.0, 4.0)).lines(80, 24, false);
    let text = lines.join("\n");
    assert!(lines[0].starts_with(" bw4t · seed 1 ") && lines[0].ends_with("▶ running · speed 50 "), "{text}");
    assert!(lines[1].starts_with(" ##--") && lines[1].ends_with("-  0:24 of 10:00 · step 1,204 "), "{text}");
    for expected in [
        "│ 1 red  go to RoomC1 (random) · 3 ",
        "│ 2 blue ✗ there is no [31mblock (bu…",
        "│ delivered 2",
        "│ drops  1  0",
        "│  0:00 1 I am going to RoomC1",
    ] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
    assert!(text.contains("maze") && lines[23].starts_with(" q quit   space pause"), "{text}");
}

#[test]
fn a_narrow_window_shows_the_most_important_below_the_scene() {
    let story = story();
    let lines = view(&story, (10.0, 4.0)).lines(44, 18, false);
    let text = lines.join("\n");
    for expected in
        ["\n 1 red  go to RoomC1", "\n 2 blue ✗ there", "\n delivered 2", "I am going to RoomC1", "\n q quit"]
    {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
}

#[test]
fn nothing_steers_the_terminal() {
    let story = story();
    let lines = view(&story, (10.0, 4.0)).lines(80, 24, false).concat();
    assert!(!lines.contains(char::is_control));
}

#[test]
fn rates_are_measured_over_a_while() {
    let begin = Instant::now();
    let mut rate = Rate::new(begin);
    let after = |milliseconds| begin + Duration::from_millis(milliseconds);
    assert_eq!(rate.measure(5, after(500)), None);
    assert_eq!(rate.measure(20, after(2000)), Some(10.0));
    assert_eq!(rate.measure(90, after(2500)), Some(10.0));
    assert_eq!(rate.measure(0, after(2600)), None);
    assert_eq!(rate.measure(10, after(3600)), Some(10.0));
}

#[test]
fn time_is_shown_as_on_a_clock() {
    assert_eq!([0.5, 24.08, 61.0, 3600.0].map(clock), ["0:00", "0:24", "1:01", "1:00:00"]);
}
