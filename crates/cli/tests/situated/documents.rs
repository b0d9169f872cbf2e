//! Tests of `situated map` and `situated team`: checking and drawing documents.

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
    assert_eq!(printed(&format!("map check {path}")), expected);
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
        let checked = situated(&format!("map check {}", path.display()));
        assert_eq!((checked.code, checked.err.as_str()), (1, ""));
        assert!(checked.out.contains(wrong), "{}", checked.out);
    }
}

#[test]
fn a_closed_pipe_does_not_change_the_verdict() {
    let path = fresh_directory("closed_pipe").join("faulty.map");
    fs::write(&path, "<map>").expect("there is room");
    let mut command = Command::new(SITUATED);
    let mut checking =
        command.args(["map", "check"]).arg(&path).stdout(Stdio::piped()).spawn().expect("the binary can be started");
    drop(checking.stdout.take());
    assert_eq!(checking.wait().expect("it was started").code(), Some(1));
}

#[test]
fn a_map_is_drawn_as_svg_and_png() {
    let folder = fresh_directory("drawn_map");
    let drawn = printed("map render Rainbow");
    assert!(drawn.starts_with("<svg") && drawn.contains("RoomC1"));
    let [svg, png, gif] = ["map.svg", "map.png", "map.gif"].map(|name| folder.join(name));
    assert_eq!(printed(&format!("map render Rainbow -o {}", svg.display())), "");
    assert_eq!(fs::read_to_string(&svg).expect("it was written"), drawn);
    assert_eq!(printed(&format!("map render Rainbow -o {}", png.display())), "");
    let bytes = fs::read(&png).expect("it was written");
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    assert!((1590..=1600).contains(&side(20)) && side(16) < side(20), "{} x {}", side(16), side(20));
    assert_eq!(situated(&format!("map render Rainbow -o {}", gif.display())).code, 2);
    assert_eq!(situated("map render nowhere.map").code, 2);
}

#[test]
fn a_team_is_checked_on_its_map() {
    let path = fresh_directory("checked_team").join("team.toml");
    fs::write(&path, "[[bots]]\namount = 4\n").expect("there is room");
    let checked = situated(&format!("team check {} --param map=Rainbow", path.display()));
    assert_eq!(checked.code, 1);
    assert!(checked.out.contains("it has 4 robots, and the map has 3 starting points"), "{}", checked.out);
    printed(&format!("team check {} --param map=SuperRandom", path.display()));
}

#[test]
fn a_document_of_an_environment_without_an_examination_is_tried() {
    let folder = fresh_directory("tried");
    for (kind, good, bad) in [("level", "3", "99"), ("pasture", "", "Nowhere")] {
        let path = folder.join(kind);
        fs::write(&path, bad).expect("there is room");
        let checked = situated(&format!("{kind} check {}", path.display()));
        assert_eq!((checked.code, checked.err.as_str()), (1, ""), "{}", checked.out);
        assert!(checked.out.contains(&format!(": error: {kind}: ")), "{}", checked.out);
        assert!(checked.out.ends_with("\n1 error, 0 warnings\n"), "{}", checked.out);
        if !good.is_empty() {
            assert_eq!(printed(&format!("{kind} check {good}")), "0 errors, 0 warnings\n");
        }
    }
}
