//! The command on a terminal, as a person sees it.

use std::io::Read;
use std::process::{self, Stdio};
use std::thread;
use std::time::Duration;

use pty_process::blocking::Command;
use vt100::{Color, Screen};

use crate::SITUATED;
use crate::picture;
use crate::terminal::Terminal;

/// Starts the command in a window of 80 columns and 24 rows.
fn start(arguments: &str) -> Terminal {
    start_with(arguments, &[])
}

fn start_with(arguments: &str, environment: &[(&str, &str)]) -> Terminal {
    let command = Command::new(SITUATED).args(arguments.split_whitespace());
    Terminal::start(command.env_remove("NO_COLOR").envs(environment.iter().copied()), 80, 24)
}

fn rows(screen: &Screen) -> Vec<String> {
    let (_, columns) = screen.size();
    screen.rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect()
}

/// The number behind `step` on the screen.
fn step(screen: &Screen) -> u64 {
    let contents = screen.contents();
    let (_, rest) = contents.split_once("step ").expect("the step is shown");
    let number = rest.split([' ', '\n']).next().map(|number| number.replace(',', ""));
    number.and_then(|number| number.parse().ok()).expect("it has a number")
}

fn is_colored(screen: &Screen) -> bool {
    let (rows, columns) = screen.size();
    let mut cells =
        (0..rows.get()).flat_map(|row| (0..columns.get()).filter_map(move |column| screen.cell(row, column)));
    cells.any(|cell| matches!(cell.bgcolor(), Color::Rgb(..)))
}

/// Returns whether the drawing is gone and the earlier contents are back.
fn is_left_alone(screen: &Screen) -> bool {
    !screen.alternate_screen() && !screen.hide_cursor()
}

#[test]
fn environment_and_events_are_drawn_and_the_results_printed_last() {
    let terminal = start("run find-goals --steps 30");
    let screen = terminal.wait_for("a step", |screen| screen.contents().contains("step 3 of 30"));
    assert!(screen.alternate_screen() && screen.hide_cursor() && is_colored(&screen));
    let rows = rows(&screen);
    // On a busy machine, the rate follows.
    assert!(rows[0].starts_with(" find-goals · seed 1 ") && rows[0].contains("▶ running · speed 10"), "{rows:#?}");
    assert!(rows[1].starts_with(" ━") && rows[1].ends_with("  step 3 of 30"), "{rows:#?}");
    let contents = screen.contents();
    for expected in ["goal", "│ Entities  builtin", "│ 1 red ", "│ 2 blue ", "│ Results", "joint reward ", "│ Events"]
    {
        assert!(contents.contains(expected), "{expected} is missing in\n{contents}");
    }
    assert!(rows[23].starts_with(" q quit   space pause   s step   + faster"), "{rows:#?}");
    let (screen, status) = terminal.end("find-goals, seed 1: 30 of 30 steps");
    assert!(status.success() && is_left_alone(&screen) && screen.contents().contains("joint reward"));
    // The last picture stays above the results.
    let rows = self::rows(&screen);
    let title = rows.iter().position(|row| row.starts_with("find-goals, seed 1")).expect("the results have a title");
    let picture = rows[..title].join("\n");
    for expected in ["step 30 of 30", "│ Entities", "│ 1 red ", "goal"] {
        assert!(picture.contains(expected), "{expected} is missing in\n{picture}");
    }
    assert!(is_colored(&screen) && !picture.contains("q quit"), "{picture}");
}

/// As in a shell, which gets the terminal back while the run is stopped.
#[test]
fn ctrl_z_stops_it_until_the_shell_continues_it() {
    let command = Command::new("bash").args(["--norc", "--noprofile", "-i"]);
    let terminal = Terminal::start(command.env("PS1", "shell> ").env_remove("NO_COLOR"), 80, 24);
    terminal.press(&format!("{SITUATED} run bw4t --speed 0.001\r"));
    terminal.wait_for("the drawing", |screen| screen.alternate_screen() && rows(screen)[23].starts_with(" q quit"));
    terminal.press("\x1a");
    let screen = terminal.wait_for_text("Stopped");
    assert!(is_left_alone(&screen), "{}", screen.contents());
    terminal.press("fg\r");
    terminal.wait_for("the drawing", |screen| screen.alternate_screen() && rows(screen)[23].starts_with(" q quit"));
    terminal.press("q");
    terminal.wait_for("the shell", |screen| is_left_alone(screen) && screen.contents().ends_with("shell> "));
    terminal.press("exit\r");
    terminal.end("bw4t, seed 1");
}

#[test]
fn keys_steer_it() {
    let terminal = start("run find-goals --speed 50 --steps 100000");
    terminal.wait_for("some steps", |screen| screen.contents().contains("running · ") && step(screen) > 3);
    terminal.press(" ");
    let paused = step(&terminal.wait_for_text("paused · "));
    for more in 1..=3 {
        terminal.press("s");
        terminal.wait_for("one step", |screen| step(screen) == paused + more && screen.contents().contains("paused"));
    }
    terminal.press("+");
    terminal.wait_for_text("speed 100");
    terminal.press("---");
    terminal.wait_for("the speed", |screen| rows(screen)[0].ends_with("speed 10"));
    assert_eq!(step(&terminal.wait_for_text("paused")), paused + 3);
    terminal.press("r");
    terminal.wait_for("another seed", |screen| step(screen) == 0 && !screen.contents().contains("seed 1 "));
    terminal.press(" ");
    terminal.wait_for("some steps", |screen| screen.contents().contains("running") && step(screen) > 2);
    terminal.press("++++++++++");
    terminal.wait_for_text("speed max");
    terminal.press("q");
    let (screen, status) = terminal.end("100000 steps");
    assert!(status.success() && is_left_alone(&screen));
}

#[test]
fn an_interrupt_prints_the_table_of_the_runs_so_far() {
    let terminal = start("run find-goals --agents random --steps 20 --repeat 1000000 --jobs 1");
    terminal.wait_for("some runs", |screen| {
        let contents = screen.contents();
        contents.contains(" of 1000000 runs") && !contents.starts_with("0 of")
    });
    terminal.press("\x03");
    let (screen, status) = terminal.end("error: only seeds 1 to ");
    assert_eq!(status.code(), Some(1));
    assert!(screen.contents().contains("joint reward"), "{}", screen.contents());
}

#[test]
fn a_single_step_does_not_wait_for_the_speed() {
    let terminal = start("run find-goals --speed 0.001");
    terminal.wait_for_text("step 0 of 1,000");
    for number in 1..=2 {
        terminal.press("s");
        terminal.wait_for("one step", |screen| step(screen) == number && screen.contents().contains("paused"));
    }
    terminal.press("q");
    terminal.end("2 of 1000 steps");
}

#[test]
fn the_drawing_follows_the_size_of_the_window() {
    let terminal = start("run find-goals --speed 0.001");
    terminal.wait_for("the whole window", |screen| rows(screen)[23].starts_with(" q quit"));
    for (columns, height, last) in
        [(60, 20, " q quit"), (120, 40, " q quit"), (30, 8, " q quit"), (20, 6, " q quit"), (80, 24, " q quit")]
    {
        terminal.resize(columns, height);
        let screen =
            terminal.wait_for("the last row", |screen| rows(screen)[usize::from(height) - 1].starts_with(last));
        assert_eq!(screen.contents().matches(last).count(), 1, "{}", screen.contents());
    }
    terminal.press("q");
    terminal.end("0 of 1000 steps");
}

#[test]
fn every_interruption_restores_the_terminal() {
    for way in ["\x03", "q", "\x1b", "TERM", "INT", "HUP", "QUIT"] {
        // The shell prints the state of the terminal afterwards.
        let script = format!("{SITUATED} run find-goals --speed 0.001; stty -a");
        let terminal = Terminal::start(Command::new("sh").args(["-c", &script]), 80, 24);
        terminal.wait_for("the drawing", Screen::alternate_screen);
        if way.len() == 1 {
            terminal.press(way);
        } else {
            let signal = format!("-{way}");
            let parent = terminal.process().to_string();
            let killed = process::Command::new("pkill").args([&signal, "-P", &parent, "situated"]).status();
            assert!(killed.expect("there is pkill").success());
        }
        let (screen, status) = terminal.end("baud");
        let contents = screen.contents();
        assert!(status.success() && is_left_alone(&screen), "{way:?}");
        assert!(contents.contains("find-goals, seed 1: 0 of 1000 steps"), "{way:?}: {contents}");
        for mode in [" icanon", " echo ", " isig", " opost"] {
            assert!(contents.replace('\n', " ").contains(mode), "{way:?}: {mode} is missing in\n{contents}");
        }
    }
}

#[test]
fn a_second_signal_restores_the_terminal_too() {
    let script = format!("{SITUATED} run find-goals --speed 0.001; echo; stty -a");
    let terminal = Terminal::start(Command::new("sh").args(["-c", &script]), 80, 24);
    terminal.wait_for("the drawing", Screen::alternate_screen);
    let parent = terminal.process().to_string();
    // The command notices the first signal within a tenth of a second; the second one usually arrives before that.
    for signal in ["-TERM", "-INT"] {
        let killed = process::Command::new("pkill").args([signal, "-P", &parent, "situated"]).status();
        assert!(killed.is_ok(), "there is pkill");
    }
    let (screen, _) = terminal.end("baud");
    assert!(
        is_left_alone(&screen) && screen.contents().replace('\n', " ").contains(" icanon"),
        "{}",
        screen.contents()
    );
}

#[test]
fn a_run_ends_when_its_terminal_is_gone() {
    // No other run has this seed.
    const SEED: &str = "--seed 77117711";
    let command = format!("{SITUATED} run find-goals --speed 0.001 {SEED}");
    let mut window = process::Command::new("script");
    window.args(["-qec", &command, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut window = window.spawn().expect("`script` of util-linux is installed");
    let mut drawing = [0; 1000];
    window.stdout.as_mut().expect("it is piped").read_exact(&mut drawing).expect("it draws");
    window.kill().expect("it is there");
    window.wait().expect("it ends");
    let is_running =
        || process::Command::new("pgrep").args(["-f", "--", SEED]).status().is_ok_and(|status| status.success());
    for _ in 0..300 {
        if !is_running() {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("it runs on");
}

#[test]
fn without_colours_it_is_drawn_in_characters() {
    let terminal = start_with("run find-goals --steps 3 --speed 0.001", &[("NO_COLOR", "1")]);
    let screen = terminal.wait_for_text("q quit");
    assert!(screen.contents().contains("########") && !is_colored(&screen), "{}", screen.contents());
    assert!(screen.contents().contains("----  step 0 of 3"), "{}", screen.contents());
    terminal.press("q");
    terminal.end("0 of 3 steps");
}

#[test]
fn a_run_without_a_name_asks_for_one() {
    let terminal = start("run --steps 3 --speed max");
    let screen = terminal.wait_for_text("  find-goals");
    let listed = rows(&screen).into_iter().find(|row| row.contains("  find-goals")).expect("it is listed");
    let number = listed.split_whitespace().next().expect("it has a number").to_owned();
    terminal.press("find-gaols\r");
    terminal.wait_for_text("There is no environment `find-gaols`; did you mean `find-goals`?");
    terminal.press(&format!("{number}\r"));
    let (_, status) = terminal.end("find-goals, seed 1: 3 of 3 steps");
    assert!(status.success());
}

#[test]
fn the_quiet_see_the_results_only() {
    let (screen, _) = start("run find-goals --steps 30 --quiet").end("best possible");
    let rows = rows(&screen);
    assert!(rows[0].starts_with("find-goals, seed 1: 30 of 30 steps"), "{rows:#?}");
}

#[test]
fn headings_are_bold() {
    let terminal = Terminal::start(Command::new(SITUATED).args(["describe", "find-goals"]), 100, 80);
    let (screen, _) = terminal.end("Parameters");
    let (row, _) = screen.rows(0, 100).enumerate().find(|(_, row)| row == "Parameters").expect("a heading");
    assert!(screen.cell(row as u16, 0).is_some_and(|cell| cell.bold()));
}

/// Draws the picture of the book: `cargo test -p situated-cli --test situated picture_of_a_run -- --ignored`.
#[test]
#[ignore = "writes docs/src/terminal.svg, and takes a minute"]
fn the_picture_of_a_run_is_drawn() {
    let arguments = "run bw4t --agents team --robots 3 --seed 2 --speed 25".split(' ');
    let terminal = Terminal::start(Command::new(SITUATED).args(arguments).env_remove("NO_COLOR"), 100, 30);
    let deliveries = |screen: &Screen| screen.contents().contains("delivered 2") && screen.contents().contains("■ ");
    terminal.wait_at_most(Duration::from_secs(120), "two deliveries", deliveries);
    terminal.press(" ");
    terminal.wait_for_text("paused");
    // The rest of the frame follows.
    thread::sleep(Duration::from_millis(500));
    let screen = terminal.wait_for("the frame", |_| true);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/terminal.svg");
    std::fs::write(path, picture::svg(&screen)).expect("it can be written");
    terminal.press("q");
    terminal.end("idle steps");
}
