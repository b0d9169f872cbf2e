//! Recordings as lines of JSON and as tables.

use std::collections::BTreeMap;

use serde_json::Value;
use situated_recording::{CSV_COLUMNS, Entry, ExportFormat, export};

use crate::run::{eventful, every, open, read};

fn exported(bytes: Vec<u8>, format: ExportFormat) -> (u64, String) {
    let mut out = Vec::new();
    let entries = export(&mut open(bytes).expect("a recording"), format, &mut out).expect("memory does not fail");
    (entries, String::from_utf8(out).expect("text"))
}

#[test]
fn a_line_is_a_message() {
    let bytes = eventful(every(50));
    let recorded = read(bytes.clone());
    let (entries, text) = exported(bytes, ExportFormat::Jsonl);
    assert_eq!(entries, recorded.len() as u64);
    assert_eq!(text.lines().count(), recorded.len());
    for (line, mut one) in text.lines().zip(recorded) {
        assert!(line.starts_with(r#"{"channel":"/"#), "{line}");
        let value: Value = serde_json::from_str(line).expect("JSON");
        assert!(value.get("state").is_none());
        if let Entry::Checkpoint(checkpoint) = &mut one.entry {
            checkpoint.state.clear();
        }
        assert_eq!(value, serde_json::to_value(&one.entry).expect("serialisable"));
    }
}

#[test]
fn a_table_has_a_row_for_each_action_percept_and_measure() {
    let bytes = eventful(every(50));
    let recorded = read(bytes.clone());
    let (entries, text) = exported(bytes, ExportFormat::Csv);
    assert_eq!(entries, recorded.len() as u64);
    let mut table = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(table.headers().expect("a header"), &CSV_COLUMNS.map(|(name, _)| name)[..]);

    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut reward = 0;
    for row in table.records() {
        let row = row.expect("all rows have the same columns");
        *kinds.entry(row[3].to_owned()).or_default() += 1;
        if &row[0] == "2" && &row[3] == "result" && &row[6] == "joint reward" {
            reward = row[8].parse().expect("a number");
        }
    }
    let (mut acts, mut failed, mut events, mut progress) = (0, 0, 0, 0);
    let mut outcome = None;
    for one in &recorded {
        match &one.entry {
            Entry::Input(given) => {
                let results = given.results.as_deref().unwrap_or_default();
                acts += results.iter().filter(|result| result.found.is_some()).count();
                failed += results.iter().filter(|result| result.error.is_some()).count();
            }
            Entry::Percepts(received) => events += received.perception.events.len(),
            Entry::Checkpoint(checkpoint) => progress += checkpoint.results.len(),
            Entry::Outcome(one) => outcome = Some(one.results.clone()),
            _ => {}
        }
    }
    let count = |kind: &str| kinds.get(kind).copied().unwrap_or_default();
    assert_eq!((count("act"), count("failed")), (acts, failed));
    assert!(acts > 600 && failed > 50);
    assert_eq!((count("event"), count("progress")), (events, progress));
    assert_eq!((count("ending"), count("seed"), count("parameter")), (2, 2, 2));
    assert!(kinds.keys().all(|kind| CSV_COLUMNS[3].1.contains(kind.as_str())), "{kinds:?}");
    let measured = outcome.expect("an outcome").into_iter().find(|measure| measure.name == "joint reward");
    assert_eq!(measured.expect("it is measured").value, situated::iil::Parameter::from(reward));
}

#[test]
fn a_row_contains_agent_action_and_time() {
    let (_, text) = exported(eventful(every(50)), ExportFormat::Csv);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "episode,step,time,kind,agent,entity,name,arguments,value");
    assert_eq!(lines[1], "0,0,1700000000001,input,ada,,register,,");
    assert_eq!(lines[2], "1,0,1700000000002,input,,,init,,");
    assert_eq!(lines[3], "1,0,1700000000002,parameter,,,view,,local");
    assert_eq!(lines[4], "1,0,1700000000002,seed,,,seed,,7");
    assert!(lines.iter().any(|line| line.contains(",act,ada,red,") && line.ends_with(",,")));
    assert!(lines.iter().any(|line| line.contains(",add,bob,blue,see,\"")), "arguments have commas");
    assert!(lines.last().is_some_and(|line| line.contains(",ending,,,brokenOff,,")));
}
