//! Properties of every file: reading, exporting and replaying it does not panic.

use std::io::{Cursor, sink};

use situated::interface::Interface;
use situated_find_goals::FindGoals;
use situated_recording::{ExportFormat, Recording, export, replay};

/// Reads the data as a recording.
pub fn recording(data: &[u8]) {
    let open = || Recording::from_reader(Cursor::new(data.to_vec()));
    let Ok(mut recording) = open() else { return };
    for format in [ExportFormat::Jsonl, ExportFormat::Csv] {
        // An error is a valid result.
        let _ = export(&mut recording, format, &mut sink());
    }
    for from in [None, Some(3)] {
        let make = |_: &str| -> Option<Box<dyn situated::interface::EnvironmentInterface>> {
            Some(Box::new(Interface::<FindGoals>::new()))
        };
        let _ = replay(&mut recording, make, from, |_, _| {});
    }
}
