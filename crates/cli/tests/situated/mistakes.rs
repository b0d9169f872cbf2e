//! Tests of wrong usage: the error says what is wrong and what to do, and the exit code is 2.

use crate::situated;

#[test]
fn wrong_usage_is_explained() {
    for (arguments, expected) in [
        ("describe find-goal", "'find-goals'"),
        ("run find-goal", "'find-goals'"),
        ("run find-goals --param veiw=local", "did you mean `view`?"),
        ("run find-goals --param veiw=local", "view=local|global"),
        ("run find-goals --param view=lokal", "view=local|global"),
        ("run find-goals --param view", "KEY=VALUE"),
        (
            "run bw4t --map Rainbwo",
            "bw4t cannot begin with these parameters: the map cannot be used: the map `Rainbwo`: ",
        ),
        ("run bw4t --map Rainbwo", "did you mean `Rainbow`?"),
        ("run bw4t --map Rainbwo --repeat 2", "the map cannot be used"),
        ("run bw4t --map Rainbwo", "A path can be given for `map`, `team`."),
        ("run bw4t --robots 200", "the map Rainbow has 101 for robots to begin"),
        ("run bw4t --robot 3", "did you mean `--robots`?"),
        ("serve bw4t --robot 3", "did you mean `--robots`?"),
        (
            "run find-goals --agents nobody",
            "find-goals has no agent `nobody`, expected one of: builtin, random, idle, ",
        ),
        ("run find-goals --agents temmate", "; did you mean `teammate`?"),
        ("run Find-Goals", "a similar value exists: 'find-goals'"),
        ("run BW4T --robots 3", "a similar value exists: 'bw4t'"),
        ("describe BW4T", "a similar value exists: 'bw4t'"),
        ("serve Find-Goals", "a similar value exists: 'find-goals'"),
        ("check-environment BW4T", "; did you mean `bw4t`?"),
        ("run find-goals --speed fast", "`max` or a number of steps per second"),
        ("run find-goals --speed 0", "`max` or a number of steps per second"),
        ("run find-goals --speed -3", "`max` or a number of steps per second"),
        ("export run.mcap --format svg --speed -3", "`max` or a number of steps per second"),
        ("serve find-goals --patience -1", "expected a number of seconds, 0 to 86400"),
        ("serve find-goals --connections 0", "expected a whole number from 1"),
        (
            "serve find-goals --platform market --peer farm=http://127.0.0.1:7468/acc",
            "platform `farm` has no secret, so any program could write in the name of its agents; add farm = \"SECRET\" to",
        ),
        (
            "serve find-goals --platform market --peer farm=http://127.0.0.1:7468/acc --peer-by-address fram",
            "`fram` is not a platform of --peer; did you mean `farm`?",
        ),
        (
            "serve find-goals --platform market --peer farm=http://127.0.0.1:7468/acc --peer-registers mill",
            "`mill` is not a platform of --peer",
        ),
        ("serve bw4t find-goals --robots 2 --port 0", "find-goals has no parameter `robots`, and options apply to all"),
        (
            "serve bw4t find-goals --robots 2 --port 0",
            "write this team file, and name it instead of bw4t:\n\n  environment = \"bw4t\"\n\n  [parameters]\n  robots = VALUE",
        ),
        ("serve bw4t find-goals --param robot=2 --port 0", "Parameters of bw4t:"),
        ("files check bw4t", "name a file for bw4t: --map FILE or --team FILE"),
        ("files check bw4t --mop x.map", "did you mean `--map`?"),
        ("files draw find-goals", "find-goals takes no files"),
        ("acl check --protocol fipa-bribe", "fipa-request-when, "),
        ("run find-goals --steps many", "--steps"),
        ("run find-goals --steps -1", "invalid value '-1' for '--steps"),
        ("run ./find-goals", "./find-goals"),
        ("run find-goals --sede 1", "--seed"),
        ("describe find-goals --format html", "markdown"),
        ("completions tcsh", "fish"),
        ("rnu find-goals", "a similar subcommand exists: 'run'"),
        ("run bw4t --agents taem", "; did you mean `team`?"),
        (
            "run",
            "the name of an environment is missing; name one of these:\n  blocks-world\n  bw4t\n  cows\n  elevator\n  find-goals\n  tower\n  vacuum\n  wumpus\n",
        ),
        ("describe", "the name of an environment is missing"),
    ] {
        let finished = situated(arguments);
        assert_eq!(finished.code, 2, "situated {arguments}");
        assert_eq!(finished.out, "", "situated {arguments}");
        assert!(finished.err.contains(expected), "situated {arguments}\n{}", finished.err);
    }
}

#[test]
fn the_command_without_arguments_shows_what_to_try() {
    let finished = situated("");
    assert_eq!((finished.code, finished.err.as_str()), (0, ""));
    for expected in ["run bw4t --agents team --robots 3  ", "serve bw4t  ", "describe bw4t  "] {
        let line = finished.out.lines().find(|line| line.trim_start().starts_with(&format!("situated {expected}")));
        assert!(line.is_some(), "{expected} is missing in\n{}", finished.out);
    }
}

#[test]
fn errors_begin_with_the_word_error() {
    for arguments in ["run find-goals --param veiw=local", "run find-goal"] {
        let error = situated(arguments).err;
        assert!(error.starts_with("error: "), "{error}");
    }
}
