//! `run --repeat`.

use serde_json::Value;

use crate::{printed, situated};

fn json(arguments: &str) -> Value {
    serde_json::from_str(&printed(&format!("{arguments} --format json"))).expect("it prints JSON")
}

#[test]
fn many_seeds_make_a_table_of_means_with_intervals() {
    let text = printed("run find-goals --agents random --steps 100 --repeat 12");
    assert!(text.starts_with("find-goals in lockstep, 12 runs, seeds 1 to 12"), "{text}");
    for expected in ["mean", "joint reward", "goals", "±"] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
}

#[test]
fn how_many_run_at_a_time_makes_no_difference() {
    let run =
        |jobs| printed(&format!("run find-goals --agents random --steps 50 --repeat 9 --jobs {jobs} --format json"));
    assert_eq!(run(1), run(4));
}

#[test]
fn each_run_equals_a_single_run_with_its_seed() {
    let all = json("run find-goals --agents random --steps 60 --seed 5 --repeat 3");
    for (place, seed) in (5..8).enumerate() {
        let alone = printed(&format!("run find-goals --agents random --steps 60 --seed {seed} --quiet"));
        let alone: Value = serde_json::from_str(&alone).expect("it prints JSON");
        assert_eq!(all["runs"][place]["seed"], seed);
        assert_eq!(all["runs"][place]["results"], alone["outcome"]["results"]);
    }
}

#[test]
fn programs_read_tables_with_a_row_for_each_run_and_measure() {
    let table = printed("run find-goals --steps 20 --seed 5 --repeat 3 --format csv");
    let (header, rows) = table.split_once('\n').expect("a header");
    assert_eq!(header, "condition,seed,steps,failures,ending,of,measure,value");
    assert!(rows.lines().all(|row| row.split(',').count() == 8), "{table}");
    let seeds: Vec<&str> =
        rows.lines().filter(|row| row.contains(",team,joint reward,")).map(|row| &row[..3]).collect();
    assert_eq!(seeds, [",5,", ",6,", ",7,"]);
    let alone = printed("run find-goals --steps 20 --seed 6 --quiet --format csv");
    let of_seed: Vec<&str> = rows.lines().filter(|row| row.starts_with(",6,")).collect();
    assert_eq!(alone.lines().skip(1).collect::<Vec<_>>(), of_seed);

    let table = printed(&format!("run {} --repeat 2 --steps 50 --format csv", example("talking")));
    for (condition, seed) in [("silent", 1), ("silent", 2), ("talking", 1), ("talking", 2)] {
        assert!(table.contains(&format!("\n{condition},{seed},50,")), "{table}");
    }
}

#[test]
fn the_format_of_quiet_runs_can_be_chosen() {
    let text = printed("run find-goals --steps 20 --quiet --format text");
    assert!(
        text.starts_with("find-goals, seed 1: 20 of 1000 steps") || text.starts_with("find-goals, seed 1: "),
        "{text}"
    );
    let lines = printed("run find-goals --steps 20 --quiet --format json");
    assert_eq!(lines, printed("run find-goals --steps 20 --quiet"));
    let finished = situated("run find-goals --format json");
    assert_eq!((finished.code, finished.out.as_str()), (2, ""));
    assert!(finished.err.contains("`--format` is for the results: add `--quiet` or `--repeat N`"), "{}", finished.err);
}

#[test]
fn documents_among_the_parameters_are_identified() {
    let map = printed("query bw4t map");
    let path = std::env::temp_dir().join(format!("situated-{}-identified.map", std::process::id()));
    std::fs::write(&path, &map).expect("there is room");
    let arguments = format!("run bw4t --agents random --steps 3 --map {}", path.display());
    let alone: Value = serde_json::from_str(&printed(&format!("{arguments} --quiet"))).expect("it prints JSON");
    let many = json(&format!("{arguments} --repeat 2"));
    std::fs::remove_file(&path).expect("it is there");
    let identified = many["parameters"]["map"].as_str().expect("a text");
    assert_eq!(alone["parameters"]["map"], identified);
    assert!(identified.starts_with(&format!("document of {} bytes, xxh3 ", map.len())), "{identified}");
    let named: Value = serde_json::from_str(&printed("run bw4t --agents random --steps 3 --map Banana --quiet"))
        .expect("it prints JSON");
    assert_eq!(named["parameters"]["map"], "Banana");
}

#[test]
fn a_note_says_if_seeds_make_no_difference() {
    let received =
        "All seeds gave the same results: neither the environment nor these agents seem to use random numbers.";
    assert_eq!(printed("run find-goals --steps 20 --repeat 3").lines().last(), Some(received));
    assert!(!printed("run find-goals --agents random --steps 20 --repeat 3").contains(received));
    assert!(!printed("run find-goals --steps 20 --repeat 1").contains(received));
}

#[test]
fn wrong_repetitions_are_explained() {
    for (arguments, expected) in [
        ("run find-goals --repeat 0", "'0' for '--repeat <N>': expected a whole number from 1"),
        ("run find-goals --repeat 2 --jobs 0", "'0' for '--jobs <M>': expected a whole number from 1"),
        ("run find-goals --jobs 2", "--repeat"),
        ("run find-goals --repeat 2 --record run.mcap", "cannot be used with"),
        ("run find-goals --repeat 2 --checkpoint-every 3", "cannot be used with"),
        ("run find-goals --repeat 2 --param veiw=local", "did you mean `view`?"),
        ("run find-goals --seed 18446744073709551615 --repeat 2", "seed"),
    ] {
        let finished = situated(arguments);
        assert_eq!((finished.code, finished.out.as_str()), (2, ""), "situated {arguments}");
        assert!(finished.err.contains(expected), "situated {arguments}\n{}", finished.err);
    }
}

fn example(name: &str) -> String {
    format!("{}/../../examples/comparison/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_example_shows_that_talking_helps() {
    let run = json(&format!("run {} --repeat 6", example("talking")));
    let names: Vec<&Value> = run["conditions"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["silent", "talking"]);
    let measure = |condition: usize, name: &str| {
        let all = run["conditions"][condition]["measures"].as_array().expect("a list");
        let found = all.iter().find(|one| one["of"] == "team" && one["name"] == name).expect("it is measured");
        found["mean"].as_f64().expect("a number")
    };
    assert_eq!((measure(0, "delivered"), measure(1, "delivered")), (6.0, 6.0));
    assert_eq!(measure(0, "messages"), 0.0);
    assert!(measure(1, "messages") > 10.0);
    let differences = run["differences"].as_array().expect("a list");
    let saved = differences.iter().find(|one| one["name"] == "simulated seconds").expect("both take time");
    assert_eq!((&saved["condition"], &saved["n"]), (&Value::from("talking"), &Value::from(6)));
    assert!(saved["high"].as_f64().expect("a number") < 0.0, "talking takes time: {saved}");
}

#[test]
fn conditions_can_run_alone_and_options_hold_for_all() {
    let file = example("talking");
    let alone = json(&format!("run {file} --condition silent --repeat 2 --steps 50"));
    let both = json(&format!("run {file} --repeat 2 --steps 50 --jobs 1"));
    assert_eq!(alone["runs"], both["conditions"][0]["runs"]);
    assert_eq!(both["conditions"][1]["runs"][0]["steps"], 50);
    assert_eq!(alone["parameters"]["messages"], false);
    let text = printed(&format!("run {file} --repeat 2 --steps 50 --agents explorer"));
    assert!(text.contains("more than silent"), "{text}");

    for (arguments, expected) in [
        (format!("run {file}"), "compares conditions (silent, talking); use `situated run FILE --repeat 20`"),
        (format!("serve {file}"), "compares conditions (silent, talking)"),
        (format!("run {file} --condition talkin"), "expected one of: silent, talking; did you mean `talking`?"),
        ("run bw4t --condition silent".into(), "only team files with `[[conditions]]` have some"),
    ] {
        let finished = situated(&arguments);
        assert_eq!((finished.code, finished.out.as_str()), (2, ""), "situated {arguments}");
        assert!(finished.err.contains(expected), "situated {arguments}\n{}", finished.err);
    }
}
