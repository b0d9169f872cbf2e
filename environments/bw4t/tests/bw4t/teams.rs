//! Teams as files: reading, writing, and rejected files.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use situated_bw4t::robot::Build;
use situated_bw4t::team::{AgentFile, BatterySetting, BotType, Bots, Original, Partners, Setting, Team, check};
use situated_bw4t::world::Functions;

/// A file of an old editor of the original, with a value for everything.
const XML: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<bw4TClientConfig>
    <clientIp>10.0.0.7</clientIp>
    <clientPort>2001</clientPort>
    <serverIp>bw4t.example</serverIp>
    <serverPort>8001</serverPort>
    <launchGui>true</launchGui>
    <useGoal>false</useGoal>
    <mapFile>C:\maps\Dutch Flag</mapFile>
    <visualizePaths>true</visualizePaths>
    <enableCollisions>false</enableCollisions>
    <bots>
        <bot>
            <botName>Big</botName>
            <botController>AGENT</botController>
            <botAmount>2</botAmount>
            <botSize>5</botSize>
            <botSpeed>80</botSpeed>
            <botBatteryCapacity>20</botBatteryCapacity>
            <botBatteryDischargeRate>0.001</botBatteryDischargeRate>
            <batteryEnabled>true</batteryEnabled>
            <grippers>3</grippers>
            <colorBlindHandicap>true</colorBlindHandicap>
            <gripperHandicap>true</gripperHandicap>
            <moveSpeedHandicap>true</moveSpeedHandicap>
            <sizeOverloadHandicap>true</sizeOverloadHandicap>
            <fileName>big.goal</fileName>
            <referenceName>big</referenceName>
        </bot>
        <bot>
            <botName>Operator</botName>
            <botController>HUMAN</botController>
            <botSize>4</botSize>
            <botSpeed>90</botSpeed>
        </bot>
        <bot/>
    </bots>
    <epartners>
        <epartner>
            <epartnerName>Guide</epartnerName>
            <epartnerAmount>3</epartnerAmount>
            <gps>true</gps>
            <forgetMeNot>true</forgetMeNot>
            <fileName>guide.goal</fileName>
            <referenceName>guide</referenceName>
        </epartner>
        <epartner/>
    </epartners>
</bw4TClientConfig>
"#;

/// The same in TOML.
const TOML: &str = r#"
[[bots]]
name = "Big"
amount = 2
size = 5
speed = 80
grippers = { value = 3, enabled = false }
battery = { capacity = 20 }
color-blind = true
agent = { file = "big.goal", reference = "big" }

[[bots]]
name = "Operator"
type = "human"
size = { value = 4, enabled = false }
speed = { value = 90, enabled = false }

[[bots]]

[[epartners]]
name = "Guide"
amount = 3
gps = true
forget-me-not = true
agent = { file = "guide.goal", reference = "guide" }

[[epartners]]

[original]
client-ip = "10.0.0.7"
client-port = 2001
server-ip = "bw4t.example"
server-port = 8001
launch-gui = true
use-goal = false
map-file = 'C:\maps\Dutch Flag'
visualize-paths = true
enable-collisions = false
"#;

/// The contents of both files.
fn everything() -> Team {
    let on = |value| Setting { value, enabled: true };
    let off = |value| Setting { value, enabled: false };
    let agent = |name: &str| AgentFile { file: format!("{name}.goal"), reference: name.to_owned() };
    let big = Bots {
        name: "Big".to_owned(),
        amount: 2,
        of: BotType::Bot,
        size: on(5.0),
        speed: on(80.0),
        grippers: Setting { value: 3, enabled: false },
        battery: BatterySetting { capacity: 20.0, enabled: true, use_per_step: None },
        color_blind: true,
        agent: agent("big"),
    };
    let operator =
        Bots { name: "Operator".to_owned(), of: BotType::Human, size: off(4.0), speed: off(90.0), ..Bots::default() };
    let guide = Partners { name: "Guide".to_owned(), amount: 3, gps: true, forget_me_not: true, agent: agent("guide") };
    let original = Original {
        client_ip: "10.0.0.7".to_owned(),
        client_port: 2001,
        server_ip: "bw4t.example".to_owned(),
        server_port: 8001,
        launch_gui: true,
        use_goal: false,
        map_file: r"C:\maps\Dutch Flag".to_owned(),
        visualize_paths: Some(true),
        enable_collisions: Some(false),
    };
    Team { bots: vec![big, operator, Bots::default()], partners: vec![guide, Partners::default()], original }
}

/// Returns the error for a file with the first occurrence of a text replaced.
fn refusal(file: &str, text: &str, other: &str) -> String {
    assert!(file.contains(text), "{text}");
    Team::read(&file.replacen(text, other, 1)).expect_err(other).to_string()
}

#[test]
fn reads_everything_in_a_file() {
    assert_eq!(Team::from_xml(XML), Ok(everything()));
    assert_eq!(Team::from_toml(TOML), Ok(everything()));
    assert_eq!(everything().check(), Ok(()));
}

#[test]
fn detects_the_format_of_files() {
    for text in
        [XML.to_owned(), format!("\u{FEFF}{XML}"), format!("\n {}", &XML[XML.find("<bw").expect("it begins")..])]
    {
        assert_eq!(Team::read(&text), Ok(everything()));
    }
    for text in [TOML.to_owned(), format!("\u{FEFF}{TOML}")] {
        assert_eq!(Team::read(&text), Ok(everything()));
    }
    assert_eq!(Team::read("<bw4TClientConfig/>"), Ok(Team::default()));
    assert_eq!(Team::read(""), Ok(Team::default()));
}

#[test]
fn missing_values_have_the_defaults_of_the_original() {
    let bots = Bots::default();
    assert_eq!((bots.name.as_str(), bots.amount, bots.size.value, bots.speed.value), ("Bot", 1, 2.0, 50.0));
    assert_eq!((bots.grippers.value, bots.battery.capacity, bots.battery.enabled), (1, 10.0, false));
    assert_eq!(bots.build(), Build::default());
    assert_eq!(Partners::default().functions(), Functions::default());
    let team = Team { bots: vec![bots], partners: vec![Partners::default()], original: Original::default() };
    let xml = "<bw4TClientConfig><bots><bot/></bots><epartners><epartner/></epartners></bw4TClientConfig>";
    assert_eq!(Team::from_xml(xml), Ok(team.clone()));
    assert_eq!(Team::from_toml("[[bots]]\n[[epartners]]"), Ok(team));
}

#[test]
fn skips_unknown_elements() {
    for part in ["<bw4TClientConfig>", "<bots>", "<bot>", "<epartners>", "<epartner>"] {
        let text = XML.replace(part, &format!("{part}<newer><botName>x</botName></newer> and <other/>"));
        assert_eq!(Team::from_xml(&text), Ok(everything()), "{part}");
    }
}

#[test]
fn handicaps_determine_which_values_have_an_effect() {
    let [big, operator, _] = &everything().bots[..] else { panic!("there are three kinds") };
    let expected = Build { human: false, size: 5.0, speed: 0.8, grippers: 0, color_blind: true, ..big.build() };
    assert_eq!(big.build(), expected);
    assert_eq!(operator.build(), Build { human: true, ..Build::default() });
    // The battery use follows from the configuration, even if values are disabled.
    assert!((big.battery_use() - 0.033).abs() < 1e-12);
    assert!((operator.battery_use() - 0.0368).abs() < 1e-12);
    assert!((Bots::default().battery_use() - 0.0204).abs() < 1e-12);
}

#[test]
fn battery_use_can_be_set_in_toml() {
    let bots = |text: &str| Team::from_toml(text).expect(text).bots.remove(0);
    let own = bots("[[bots]]\nbattery = { use = 0.5 }");
    assert_eq!(own.battery, BatterySetting { capacity: 10.0, enabled: true, use_per_step: Some(0.5) });
    assert_eq!(own.battery_use(), 0.5);
    assert!(bots("[[bots]]\nbattery = {}").battery.enabled);
    assert!(!bots("[[bots]]\nbattery = { capacity = 30, enabled = false }").battery.enabled);
}

#[test]
fn errors_in_xml_name_line_and_element() {
    for (text, other, expected) in [
        ("<botSize>5", "<botSize>6", "line 17, <bot> Big: <botSize> is 6; it must be a number from 1 to 5"),
        ("<botSize>4", "<botSize>0.5", "line 33, <bot> Operator: <botSize> is 0.5; it must be a number from 1 to 5"),
        ("<botSpeed>80", "<botSpeed>NaN", "line 18, <bot> Big: <botSpeed> is NaN; it must be a number from 0 to 100"),
        (
            "Capacity>20",
            "Capacity>0",
            "line 19, <bot> Big: <botBatteryCapacity> is 0; it must be a number above 0 and at most 1000000",
        ),
        (
            "<grippers>3",
            "<grippers>101",
            "line 22, <bot> Big: <grippers> is 101; it must be a whole number from 0 to 100",
        ),
        ("<botAmount>2", "<botAmount>-2", "line 16, <bot> Big: <botAmount> is `-2`, expected a whole number from 0"),
        (
            "<botAmount>2",
            "<botAmount>9995",
            "line 12, the team: <bots> and e-partners are 10001 together; the maximum is 10000",
        ),
        ("HUMAN", "ALIEN", "line 32, <bot> Operator: <botController> is `ALIEN`, expected one of AGENT, HUMAN"),
        ("<gps>true", "<gps>yes", "line 42, <epartner> Guide: <gps> is `yes`, expected one of true, false, 1, 0"),
        ("<botName>Big", "<botName>", "line 14, <bot>: <botName> is empty"),
        (
            "<epartnerName>Guide",
            "<epartnerName>Gui\tde",
            "line 40, <epartner> Gui...: <epartnerName> has a control character, or a blank at an end",
        ),
        ("Port>2001", "Port>65536", "line 4, <clientPort>: <clientPort> is `65536`, expected a port from 0 to 65535"),
        ("<useGoal>false", "<useGoal>no", "line 8, <useGoal>: <useGoal> is `no`, expected one of true, false, 1, 0"),
        ("<bw4TClientConfig>", "<newMap>", "line 49, <newMap>: it ends with </bw4TClientConfig>"),
        ("</bot>", "</bots>", "line 29, <bot>: it ends with </bots>"),
        ("<bw4TClientConfig>", "<!DOCTYPE a><bw4TClientConfig>", "line 2, the document: teams have no document type"),
    ] {
        assert_eq!(refusal(XML, text, other), expected);
    }
}

#[test]
fn errors_in_toml_name_line_and_key() {
    for (text, other, expected) in [
        ("size = 5", "size = 6", "line 5, [[bots]] Big: `size` is 6; it must be a number from 1 to 5"),
        ("value = 90", "value = -1", "line 16, [[bots]] Operator: `speed` is -1; it must be a number from 0 to 100"),
        (
            "capacity = 20",
            "capacity = inf",
            "line 8, [[bots]] Big: `battery.capacity` is inf; it must be a number above 0 and at most 1000000",
        ),
        (
            "capacity = 20",
            "use = -0.1",
            "line 8, [[bots]] Big: `battery.use` is -0.1; it must be a number from 0 to 1000000",
        ),
        (
            "value = 3",
            "value = 101",
            "line 7, [[bots]] Big: `grippers` is 101; it must be a whole number from 0 to 100",
        ),
        ("\"Guide\"", "\"\"", "line 21, [[epartners]]: `name` is empty"),
        (
            "\"guide.goal\"",
            "\" guide.goal\"",
            "line 25, [[epartners]] Guide: `agent.file` has a control character, or a blank at an end",
        ),
        (
            "amount = 3",
            "amount = 10000",
            "line 2, the team: `bots` and e-partners are 10005 together; the maximum is 10000",
        ),
        (
            "'C:\\maps\\Dutch Flag'",
            "\"a\\nb\"",
            "line 36, the team: `original.map-file` has a control character, or a blank at an end",
        ),
        (
            "color-blind = true",
            "colour-blind = true",
            "line 9, colour-blind = true: unknown key `colour-blind`, expected one of `name`, `amount`, `type`, `size`, \
             `speed`, `grippers`, `battery`, `color-blind`, `agent`; did you mean `color-blind`?",
        ),
        (
            "size = 5",
            "size = 'big'",
            "line 5, size = 'big': it must be a number, or a table such as { value = 2, enabled = false }",
        ),
        (
            "speed = 80",
            "speed = { value = 80, enable = true }",
            "line 6, speed = { value = 80, enable = true }: it must be a number, or a table such as \
             { value = 2, enabled = false }",
        ),
        ("amount = 2", "amount = -2", "line 4, amount = -2: found `-2`, expected a whole number from 0 to 4294967295"),
        ("\"human\"", "\"alien\"", "line 14, type = \"alien\": unknown value `alien`, expected `bot` or `human`"),
    ] {
        assert_eq!(refusal(TOML, text, other), expected);
    }
    let broken = Team::read("[[bots]]\nname = Bot\n").expect_err("no TOML").to_string();
    assert_eq!(broken, "line 2, name = Bot: write a string in quotes; only numbers, true and false have none");
    let other = Team::read("environment = 'bw4t'\nsteps = 3\n").expect_err("no team of robots").to_string();
    assert!(other.starts_with("the document: it is a team file, which `situated run FILE` takes"), "{other}");
    let long = Team::read(&format!("{} = 1", "x".repeat(10_000))).expect_err("no key").to_string();
    assert!(long.len() < 400, "{long}");
}

#[test]
fn checks_teams_that_were_not_read() {
    let mut team = everything();
    team.bots[1].size.value = 7.0;
    let expected = "[[bots]] Operator: `size` is 7; it must be a number from 1 to 5";
    assert_eq!(team.check().map_err(|error| error.to_string()), Err(expected.to_owned()));
    let crowd = |kinds| Team { bots: vec![Bots { amount: 0, ..Bots::default() }; kinds], ..Team::default() };
    assert_eq!(crowd(check::MOST_KINDS).check(), Ok(()));
    let expected = "the team: `bots` has 1025 kinds; the maximum is 1024";
    assert_eq!(crowd(check::MOST_KINDS + 1).check().map_err(|error| error.to_string()), Err(expected.to_owned()));
    let named = |length| Team { bots: vec![Bots { name: "x".repeat(length), ..Bots::default() }], ..Team::default() };
    assert_eq!(named(check::LONGEST_NAME).check(), Ok(()));
    assert!(named(check::LONGEST_NAME + 1).check().is_err());
}

/// A name or another text, with any characters that the format can express.
fn text() -> impl Strategy<Value = String> {
    r#"[a-zé<>&"'\[\]\\{}#=; 世😀/-]{0,12}"#.prop_map(|text| text.trim().to_owned())
}

fn name() -> impl Strategy<Value = String> {
    text().prop_map(|name| format!("x{name}"))
}

fn setting<T: std::fmt::Debug>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Setting<T>> {
    (value, any::<bool>()).prop_map(|(value, enabled)| Setting { value, enabled })
}

fn agent() -> impl Strategy<Value = AgentFile> {
    prop_oneof![
        Just(AgentFile::default()),
        (text(), text()).prop_map(|(file, reference)| AgentFile { file, reference })
    ]
}

prop_compose! {
    fn bots()(
        name in name(),
        amount in 0..100_u32,
        human in any::<bool>(),
        size in setting(prop_oneof![1.0..=5.0, Just(2.0), Just(5.0)]),
        speed in setting(prop_oneof![0.0..=100.0, Just(50.0), Just(0.0)]),
        grippers in setting(0..=check::MOST_GRIPPERS),
        battery in setting(prop_oneof![1e-9..=check::LARGEST_CAPACITY, Just(10.0), Just(f64::MIN_POSITIVE)]),
        use_per_step in option::of(prop_oneof![0.0..=check::LARGEST_CAPACITY, Just(0.1 + 0.2)]),
        color_blind in any::<bool>(),
        agent in agent(),
    ) -> Bots {
        let of = if human { BotType::Human } else { BotType::Bot };
        let battery = BatterySetting { capacity: battery.value, enabled: battery.enabled, use_per_step };
        Bots { name, amount, of, size, speed, grippers, battery, color_blind, agent }
    }
}

prop_compose! {
    fn partners()(name in name(), amount in 0..100_u32, functions in any::<[bool; 2]>(), agent in agent()) -> Partners {
        Partners { name, amount, gps: functions[0], forget_me_not: functions[1], agent }
    }
}

prop_compose! {
    fn original()(
        texts in [text(), text(), text()],
        ports in any::<[u16; 2]>(),
        flags in any::<[bool; 2]>(),
        old in any::<[Option<bool>; 2]>(),
    ) -> Original {
        let [client_ip, server_ip, map_file] = texts;
        let ([client_port, server_port], [launch_gui, use_goal]) = (ports, flags);
        let [visualize_paths, enable_collisions] = old;
        Original {
            client_ip, client_port, server_ip, server_port, launch_gui, use_goal, map_file, visualize_paths, enable_collisions,
        }
    }
}

prop_compose! {
    fn team()(
        bots in vec(bots(), 0..5),
        partners in vec(partners(), 0..5),
        original in prop_oneof![Just(Original::default()), original()],
    ) -> Team {
        Team { bots, partners, original }
    }
}

proptest! {
    #[test]
    fn reads_what_it_writes(team in team()) {
        prop_assert_eq!(team.check(), Ok(()));
        prop_assert_eq!(Team::read(&team.to_toml()), Ok(team.clone()));
        let mut team = team;
        team.bots.iter_mut().for_each(|bots| bots.battery.use_per_step = None);
        prop_assert_eq!(Team::read(&team.to_xml()), Ok(team));
    }

    #[test]
    fn no_text_causes_a_crash(text in any::<String>(), at in 0..1000_usize, length in 0..100_usize) {
        let _ = Team::read(&text);
        for file in [XML, TOML] {
            let (begin, end) = (at.min(file.len()), file.len().min(at + length));
            if let Ok(team) = Team::read(&format!("{}{text}{}", &file[..begin], &file[end..])) {
                prop_assert_eq!(team.check(), Ok(()));
            }
        }
    }
}
