//! Examining maps and teams.

use situated::document::{Examination, Severity};
use situated::iil::Parameter;
use situated::interface::{EnvironmentInterface, Interface};
use situated_bw4t::map::{Map, Standard, ZoneKind};
use situated_bw4t::team::Team;
use situated_bw4t::{Bw4t, Color};

/// Returns severity, path and text of the findings.
fn findings(examination: &Examination) -> Vec<(Severity, &str, &str)> {
    let findings = examination.findings.iter();
    findings.map(|finding| (finding.severity, finding.path.as_str(), finding.text.as_str())).collect()
}

fn form<'a>(examination: &'a Examination, format: &str) -> &'a str {
    &examination.forms.iter().find(|form| form.format == format).expect("it has this form").text
}

#[test]
fn shipped_maps_are_sound_and_keep_everything_in_each_form() {
    for standard in Standard::ALL {
        let map = standard.map();
        let examination = Map::examine(&map.to_xml(), None);
        assert!(examination.is_sound(), "{examination:?}");
        assert_eq!(Map::from_xml(form(&examination, "xml")), Ok(map.clone()));
        assert_eq!(serde_json::from_str::<Map>(form(&examination, "json")).ok(), Some(map));
    }
}

#[test]
fn all_problems_are_found_with_their_lines() {
    let mut map = Standard::Rainbow.map();
    let rooms: Vec<usize> = (0..map.zones.len()).filter(|&zone| map.zones[zone].holds_blocks()).collect();
    map.zones[rooms[0]].doors.clear();
    map.zones[rooms[1]].bounds.width = -1.0;
    map.zones[0].neighbours.push("Nowhere".to_owned());
    let xml = map.to_xml();
    let examination = Map::examine(&xml, None);
    let paths: Vec<&str> = examination.findings.iter().map(|finding| finding.path.as_str()).collect();
    for zone in [rooms[0], rooms[1], 0] {
        assert!(paths.contains(&format!("zones/{zone}").as_str()), "{paths:?}");
    }
    for finding in &examination.findings {
        let line = xml.lines().nth(finding.line.expect("it is known") - 1);
        assert_eq!(line.map(str::trim), Some("<zones>"));
        assert_eq!(finding.severity, Severity::Error);
    }
    assert_eq!(serde_json::from_str::<Map>(form(&examination, "json")).ok(), Some(map), "it can be mended");
}

#[test]
fn a_text_that_is_no_map_has_one_error_and_no_forms() {
    for text in ["", "Rainbox", "<newMap>", "<other/>"] {
        let examination = Map::examine(text, None);
        assert_eq!((examination.findings.len(), examination.forms.len()), (1, 0), "{text}");
        assert_eq!(examination.findings[0].severity, Severity::Error);
    }
}

#[test]
fn a_missing_block_makes_the_sequence_impossible() {
    let mut map = Standard::Rainbow.map();
    map.zones.iter_mut().for_each(|zone| zone.blocks.retain(|color| *color != Color::Blue));
    let examination = Map::examine(&map.to_xml(), None);
    let impossible = "the sequence cannot be delivered: blocks are missing in the rooms: 1 blue";
    assert_eq!(findings(&examination), [(Severity::Warning, "", impossible)]);
    // With its own seed, the random blocks are known.
    map.random_blocks = 20;
    let by_seed = |seed| {
        let examination = Map::examine(&Map { seed, ..map.clone() }.to_xml(), None);
        (examination.findings[0].severity, examination.findings[0].text.clone())
    };
    let mut has_blue = Vec::new();
    for seed in 0..20 {
        let filled = Map { seed: Some(seed), ..map.clone() }.filled(7);
        let is_blue = filled.zones.iter().flat_map(|zone| &zone.blocks).any(|color| *color == Color::Blue);
        let (severity, text) = by_seed(Some(seed));
        assert_eq!(is_blue, severity == Severity::Note, "{text}");
        has_blue.push(is_blue);
    }
    assert!(has_blue.contains(&true), "otherwise this tests nothing");
    assert!(by_seed(None).1.contains("depends on the random blocks"));
}

#[test]
fn a_seed_makes_the_random_choices() {
    let examine = |seed| Map::examine("Random", Some(seed));
    let filled = |seed| Map::from_xml(form(&examine(seed), "xml")).expect("it is sound");
    let map = filled(5);
    let blocks: usize = map.zones.iter().map(|zone| zone.blocks.len()).sum();
    assert_eq!((map.random_blocks, map.random_sequence, map.sequence.len(), blocks), (0, 0, 6, 28));
    assert_eq!(filled(5), map);
    assert_ne!(filled(6), map);
    assert!(examine(5).is_sound());
}

#[test]
fn starting_points_where_no_robot_can_begin_are_doubtful() {
    let mut map = Standard::Rainbow.map();
    map.one_bot_per_corridor_zone = true;
    let room = map.zones.iter().find(|zone| zone.kind == ZoneKind::Room).expect("there is one");
    map.spawns[2].position = room.bounds.center;
    let examination = Map::examine(&map.to_xml(), None);
    let paths: Vec<&str> = findings(&examination).iter().map(|(_, path, _)| *path).collect();
    assert_eq!(paths, ["spawns/1", "spawns/2", ""]);
    map.spawns.clear();
    assert!(Map::examine(&map.to_xml(), None).findings[0].text.contains("no starting points"));
}

#[test]
fn teams_are_examined_on_the_map_of_the_other_parameter() {
    let text = "[[bots]]\namount = 4\nbattery = { capacity = 20, use = 0.5 }\nagent = { file = \"my bot.txt\" }\n\n\
                [[epartners]]\namount = 5\n";
    let interface = Interface::<Bw4t>::new();
    let examine = |map: Option<&str>| {
        let parameters = [("team", Some(text)), ("map", map)];
        let given = parameters.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
        let interface: &dyn EnvironmentInterface = &interface;
        interface.examine("team", &given.collect::<std::collections::BTreeMap<String, Parameter>>(), None)
    };
    let examination = examine(Some("Rainbow")).expect("they are parameters").expect("it has teams");
    let paths: Vec<(Severity, &str)> =
        findings(&examination).iter().map(|(severity, path, _)| (*severity, *path)).collect();
    let warning = Severity::Warning;
    assert_eq!(paths, [(warning, ""), (warning, ""), (warning, "bots/0"), (Severity::Note, "")]);
    assert!(examination.findings[1].text.contains("3 starting points"), "{examination:?}");
    assert!(examine(Some("SuperRandom")).expect("…").expect("…").findings.len() == 3);
    assert!(examine(None).expect("…").expect("…").findings[2].text.contains("no map"));
    let team = Team::from_toml(text).expect("it is sound");
    assert_eq!(Team::from_toml(form(&examination, "toml")), Ok(team.clone()));
    assert_eq!(serde_json::from_str::<Team>(form(&examination, "json")).ok(), Some(team));
    let project = form(&examination, "mas2g");
    assert!(project.contains("when [type = bot, max = 4]@env do launch robot : robot."), "{project}");
    assert!(project.contains("when [type = epartner, max = 5]@env do launch epartner : epartner."), "{project}");
}

#[test]
fn other_parameters_are_no_documents() {
    let interface = Interface::<Bw4t>::new();
    let interface: &dyn EnvironmentInterface = &interface;
    assert_eq!(interface.examine("robots", &Default::default(), None), Ok(None));
    let wrong = [("rooms".to_owned(), Parameter::from(3))].into();
    assert!(interface.examine("map", &wrong, None).is_err());
}
