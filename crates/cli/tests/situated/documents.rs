//! Tests of `situated files`: checking and drawing the files that environments take.

use std::fs;
use std::process::{Command, Stdio};

use crate::{SITUATED, fresh_directory, printed, situated};

#[test]
fn a_sound_map_has_no_errors() {
    let path = fresh_directory("sound_map").join("rainbow.map");
    fs::write(&path, printed("query bw4t map")).expect("there is room");
    let path = path.display();
    let expected =
        format!("{path}:2: note: <newMap>: all 6 colours of the sequence can be delivered\n0 errors, 0 warnings\n");
    assert_eq!(printed(&format!("files check bw4t --map {path}")), expected);
}

#[test]
fn findings_name_the_line_and_end_with_a_failure() {
    let path = fresh_directory("faulty_map").join("faulty.map");
    let map = printed("query bw4t map");
    let no_blue = map.replace("<blocks>BLUE</blocks>", "");
    for (map, wrong) in [
        (no_blue.clone(), ":2: warning: <newMap>: the sequence cannot be delivered"),
        (map.replacen("<neighbours>", "<neighbours>No", 1), ": error: <zones> "),
        (map.replace("</newMap>", ""), ": error: "),
    ] {
        fs::write(&path, map).expect("there is room");
        let checked = situated(&format!("files check bw4t --map {}", path.display()));
        assert_eq!((checked.code, checked.err.as_str()), (1, ""));
        assert!(checked.out.contains(wrong), "{}", checked.out);
    }
}

#[test]
fn a_closed_pipe_does_not_change_the_verdict() {
    let path = fresh_directory("closed_pipe").join("faulty.map");
    fs::write(&path, "<map>").expect("there is room");
    let mut command = Command::new(SITUATED);
    let mut checking = command
        .args(["files", "check", "bw4t", "--map"])
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary can be started");
    drop(checking.stdout.take());
    assert_eq!(checking.wait().expect("it was started").code(), Some(1));
}

#[test]
fn a_map_is_drawn_as_svg_and_png() {
    let folder = fresh_directory("drawn_map");
    let drawn = printed("files draw bw4t --map Rainbow");
    assert!(drawn.starts_with("<svg") && drawn.contains("RoomC1"));
    let [svg, png, gif] = ["map.svg", "map.png", "map.gif"].map(|name| folder.join(name));
    assert_eq!(printed(&format!("files draw bw4t --map Rainbow -o {}", svg.display())), "");
    assert_eq!(fs::read_to_string(&svg).expect("it was written"), drawn);
    assert_eq!(printed(&format!("files draw bw4t --map Rainbow -o {}", png.display())), "");
    let bytes = fs::read(&png).expect("it was written");
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    assert!((1590..=1600).contains(&side(20)) && side(16) < side(20), "{} x {}", side(16), side(20));
    assert_eq!(situated(&format!("files draw bw4t --map Rainbow -o {}", gif.display())).code, 2);
    assert_eq!(situated("files draw bw4t --map nowhere.map").code, 2);
}

#[test]
fn a_team_is_checked_on_its_map() {
    let path = fresh_directory("checked_team").join("team.toml");
    fs::write(&path, "[[bots]]\namount = 4\n").expect("there is room");
    let checked = situated(&format!("files check bw4t --team {} --map Rainbow", path.display()));
    assert_eq!(checked.code, 1);
    assert!(checked.out.contains("it has 4 robots, and the map has 3 starting points"), "{}", checked.out);
    printed(&format!("files check bw4t --team {} --map SuperRandom", path.display()));
}

#[test]
fn all_files_of_an_environment_are_checked() {
    let folder = fresh_directory("map_and_team");
    let (map, team) = (folder.join("faulty.map"), folder.join("team.toml"));
    fs::write(&map, printed("query bw4t map").replace("<blocks>BLUE</blocks>", "")).expect("there is room");
    fs::write(&team, "[[bots]]\namount = 4\n").expect("there is room");
    let checked = situated(&format!("files check bw4t --map {} --team {}", map.display(), team.display()));
    for expected in [format!("{}:2: warning: ", map.display()), format!("{}:", team.display()), "0 errors, 2 ".into()] {
        assert!(checked.out.contains(&expected), "{expected} is missing in\n{}", checked.out);
    }
}

#[test]
fn the_files_and_parameters_of_a_team_file_are_checked() {
    let folder = fresh_directory("checked_team_file");
    let path = folder.join("team.toml");
    fs::write(folder.join("faulty.map"), "<map>").expect("there is room");
    for (rest, code, expected) in [
        ("", 0, "0 errors, 0 warnings\n"),
        ("[parameters]\nmap = 'Rainbow'", 0, "0 errors, 0 warnings\n"),
        ("[parameters]\nmap = 'faulty.map'", 1, "map:1: error: "),
        ("[parameters]\nrobots = 200", 1, "parameters: error: parameters: "),
        ("[[conditions]]\nname = 'many'\nparameters = { robots = 200 }", 1, "parameters: error: parameters: "),
    ] {
        fs::write(&path, format!("environment = 'bw4t'\n{rest}")).expect("there is room");
        let checked = situated(&format!("files check {}", path.display()));
        assert_eq!((checked.code, checked.err.as_str()), (code, ""), "{rest}\n{}", checked.out);
        assert!(checked.out.contains(expected), "{rest}\n{}", checked.out);
    }
    fs::write(&path, "enviroment = 'bw4t'").expect("there is room");
    let mistaken = situated(&format!("files check {}", path.display()));
    assert_eq!(mistaken.code, 2);
    assert!(mistaken.err.contains("team.toml: line 1, column 1: unknown key `enviroment`"), "{}", mistaken.err);
}

#[test]
fn checking_and_running_agree() {
    let folder = fresh_directory("agreeing");
    let scenario = "<bw4TClientConfig><mapFile>maps/nowhere.map</mapFile><bots><bot/></bots></bw4TClientConfig>";
    fs::write(folder.join("scenario.xml"), scenario).expect("there is room");
    fs::write(folder.join("one.toml"), "[[bots]]\n").expect("there is room");
    fs::write(folder.join("nobody.toml"), "bots = []\n").expect("there is room");
    for (team_file, expected) in [
        ("[parameters]\nteam = 'scenario.xml'", "names the map `maps/nowhere.map`, which is none of"),
        ("[parameters]\nteam = 'one.toml'\nrobots = 2", "`team` and `robots` both say how many robots there are"),
        ("[parameters]\nteam = 'nobody.toml'", "bw4t has no entities with these parameters"),
        ("[parameters]\nrobots = 0", "bw4t has no entities with these parameters"),
        ("[[agents]]\nentity = 'Bto_1'\nprogram = 'idle'", "no entity has an agent: a rule names `Bto_1`"),
        (
            "[[agents]]\nentity = 'Bot_1'\ntype = 'epartner'\nprogram = 'idle'",
            "no entity has an agent: no rule matches",
        ),
    ] {
        let path = folder.join("team-file.toml");
        fs::write(&path, format!("environment = 'bw4t'\n{team_file}\n")).expect("there is room");
        let (checked, run) =
            (situated(&format!("files check {}", path.display())), situated(&format!("run {}", path.display())));
        assert_eq!((checked.code, run.code, run.out.as_str()), (1, 2, ""), "{team_file}\n{}{}", checked.out, run.err);
        assert!(checked.out.contains(expected), "{team_file}\n{}", checked.out);
        assert!(run.err.contains(expected), "{team_file}\n{}", run.err);
    }
}

#[test]
fn a_document_of_an_environment_without_an_examination_is_tried() {
    let folder = fresh_directory("tried");
    for (environment, kind, good, bad) in [("vacuum", "level", "3", "99"), ("cows", "pasture", "", "Nowhere")] {
        let path = folder.join(kind);
        fs::write(&path, bad).expect("there is room");
        let checked = situated(&format!("files check {environment} --{kind} {}", path.display()));
        assert_eq!((checked.code, checked.err.as_str()), (1, ""), "{}", checked.out);
        assert!(checked.out.contains(&format!(": error: {kind}: ")), "{}", checked.out);
        assert!(checked.out.ends_with("\n1 error, 0 warnings\n"), "{}", checked.out);
        if !good.is_empty() {
            assert_eq!(printed(&format!("files check {environment} --{kind} {good}")), "0 errors, 0 warnings\n");
        }
    }
}

#[test]
fn files_of_the_other_kind_are_named() {
    let folder = fresh_directory("two_kinds");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("there is room");
        path
    };
    let robots = write("robots.toml", "[[bots]]\nname = 'Big'\namount = 2\n");
    let run = write("run.toml", "environment = 'bw4t'\nsteps = 3\n");
    let map = write("plain.map", &printed("query bw4t map"));
    let (robots, run, map) = (robots.display(), run.display(), map.display());
    for (arguments, expected) in [
        (
            format!("run {robots}"),
            format!(
                "{robots} is no team file, which names an environment: it is a `team` of bw4t; use `situated run bw4t \
                 --team {robots}`"
            ),
        ),
        (format!("run {map}"), format!("use `situated run bw4t --map {map}`")),
        (format!("run bw4t --team {run}"), "it is a team file, which `situated run FILE` takes".to_owned()),
    ] {
        let finished = situated(&arguments);
        assert_eq!((finished.code, finished.out.as_str()), (2, ""), "situated {arguments}");
        assert!(finished.err.contains(&expected), "situated {arguments}\n{}", finished.err);
    }
}
