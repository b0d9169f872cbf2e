//! Files that are cut off, damaged, foreign, wrong or hostile: they are read as far as they go, or refused.

use std::io::Cursor;

use mcap::records::{MessageHeader, op};
use mcap::{MAGIC, WriteOptions};
use situated::random::Random;
use situated_recording::{Recorded, RecordingError, replay};

use crate::fuzz;
use crate::run::{eventful, every, make, open, read, replayed, rewritten, short};

/// Returns the readable entries of a file, and the error at the end.
fn read_some(bytes: Vec<u8>) -> Result<(Vec<Recorded>, bool, Option<RecordingError>), RecordingError> {
    let mut recording = open(bytes)?;
    let mut recorded = Vec::new();
    for one in recording.entries()? {
        match one {
            Ok(one) => recorded.push(one),
            Err(error) => return Ok((recorded, recording.complete(), Some(error))),
        }
    }
    Ok((recorded, recording.complete(), None))
}

#[test]
fn a_file_can_be_cut_off_anywhere() {
    let bytes = short();
    let whole = read(bytes.clone());
    let mut lengths = Vec::new();
    for end in (0..bytes.len()).step_by(5).chain(0..200).chain(bytes.len() - 100..bytes.len()) {
        match read_some(bytes[..end].to_vec()) {
            Ok((recorded, complete, error)) => {
                assert!(error.is_none() && !complete, "cut at {end}: {error:?}");
                assert!(whole.starts_with(&recorded), "cut at {end}");
                lengths.push(recorded.len());
            }
            Err(error) => {
                assert!(end < 100, "cut at {end}: {error}");
                assert!(matches!(error, RecordingError::NotMcap | RecordingError::Damaged { .. }), "{error}");
            }
        }
    }
    lengths.sort();
    lengths.dedup();
    assert!(lengths.len() > 3, "chunks are read one by one: {lengths:?}");
    assert_eq!(lengths.last(), Some(&whole.len()), "only the summary is missing");
}

#[test]
fn a_truncated_file_can_be_replayed() {
    let bytes = eventful(every(50));
    for part in 1..8 {
        let cut = bytes[..bytes.len() * part / 8].to_vec();
        let mut recording = open(cut).expect("its header is there");
        match replay(&mut recording, make, None, |_, _| {}) {
            Ok(report) => assert!(report.agrees() && !report.complete, "{report}"),
            Err(error) => assert!(part == 1 && matches!(error, RecordingError::NoEpisode), "{error}"),
        }
    }
}

#[test]
fn zeros_at_the_end_are_not_records() {
    let bytes = eventful(every(50));
    let cut = [&bytes[..bytes.len() / 2], &[0; 1000]].concat();
    let (recorded, complete, error) = read_some(cut).expect("a recording");
    // They may also stand for the rest of a truncated chunk.
    assert!(!complete && error.is_none_or(|error| matches!(error, RecordingError::Damaged { .. })));
    assert!(read(bytes).starts_with(&recorded));
}

/// Returns the offsets of the chunks of a finished file, and of the records between them.
fn offsets(bytes: &[u8]) -> (Vec<usize>, Vec<usize>) {
    let (mut chunks, mut others, mut offset) = (Vec::new(), Vec::new(), MAGIC.len());
    loop {
        match bytes[offset] {
            op::CHUNK => chunks.push(offset),
            op::DATA_END => return (chunks, others),
            _ => others.push(offset),
        }
        let length = u64::from_le_bytes(bytes[offset + 1..offset + 9].try_into().expect("eight bytes"));
        offset += 9 + length as usize;
    }
}

#[test]
fn a_finished_file_that_lacks_a_chunk_is_damaged() {
    let bytes = short();
    let (chunks, others) = offsets(&bytes);
    assert!(chunks.len() > 3 && read_some(bytes.clone()).is_ok_and(|(_, complete, error)| complete && error.is_none()));
    let is_damaged = |wrong: &[u8], what: &str| {
        let (_, _, error) = read_some(wrong.to_vec()).expect("its header is there");
        assert!(matches!(error, Some(RecordingError::Damaged { .. })), "{what}: {error:?}");
    };
    for (number, chunk) in chunks.iter().enumerate() {
        let with = |place: usize, byte: u8| {
            let mut wrong = bytes.clone();
            wrong[chunk + place] = byte;
            wrong
        };
        let mut zeros = bytes.clone();
        zeros[*chunk..chunk + 40].fill(0);
        is_damaged(&zeros, &format!("zeros at chunk {number}"));
        let replayed = replay(&mut open(zeros).expect("its header is there"), make, None, |_, _| {});
        assert!(matches!(replayed, Err(RecordingError::Damaged { .. })), "chunk {number}: {replayed:?}");
        for kind in [0, op::FOOTER, op::CHANNEL, op::MESSAGE, op::MESSAGE_INDEX, op::DATA_END, 0x55, 0xff] {
            is_damaged(&with(0, kind), &format!("kind {kind} of chunk {number}"));
        }
        for (place, bit) in (1..9).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
            let byte = bytes[chunk + place] ^ (1 << bit);
            is_damaged(&with(place, byte), &format!("bit {bit} of byte {place} of chunk {number}"));
        }
    }
    let last = chunks.last().expect("there are some");
    for record in others.into_iter().filter(|record| chunks[0] < *record && record < last) {
        for end in [op::DATA_END, op::FOOTER] {
            let mut wrong = bytes.clone();
            wrong[record] = end;
            is_damaged(&wrong, &format!("an early end at {record}"));
        }
    }
}

#[test]
fn no_broken_byte_brings_a_reader_down() {
    let bytes = short();
    for place in (0..bytes.len()).step_by(2) {
        let mut broken = bytes.clone();
        broken[place] ^= [0x01, 0x80, 0xff][place % 3];
        let Ok(mut recording) = open(broken) else { continue };
        if let Ok(entries) = recording.entries() {
            entries.for_each(drop);
        }
    }
}

#[test]
fn no_broken_index_brings_a_replay_down() {
    let bytes = short();
    for place in (bytes.len() - 1500..bytes.len()).step_by(3) {
        let mut broken = bytes.clone();
        broken[place] ^= 0x55;
        let Ok(mut recording) = open(broken) else { continue };
        let _ = replay(&mut recording, make, Some(15), |_, _| {});
    }
}

#[test]
fn rejects_other_files() {
    let refused = |bytes: Vec<u8>| open(bytes).expect_err("it is no recording").to_string();
    assert_eq!(refused(Vec::new()), "this is not an MCAP file, as recordings are");
    assert_eq!(refused(b"episode,step,time\n1,2,3\n".to_vec()), "this is not an MCAP file, as recordings are");

    let mut ros = Cursor::new(Vec::new());
    let mut writer = WriteOptions::new().profile("ros2").library("rosbag2").create(&mut ros).expect("memory");
    writer.finish().expect("memory");
    drop(writer);
    assert_eq!(
        refused(ros.into_inner()),
        "this MCAP file is not a recording of situated: its profile is `ros2`, not `situated`, and it was written by \
         `rosbag2`"
    );
}

#[test]
fn reports_messages_that_do_not_match_their_schema() {
    let bytes = eventful(every(50));
    let wrong = rewritten(&bytes, |_, sequence, data| match sequence {
        20 => br#"{"episode":1,"step":"two"}"#.to_vec(),
        _ => data.to_vec(),
    });
    let (recorded, _, error) = read_some(wrong).expect("a recording");
    assert_eq!(recorded.len(), 20);
    let error = error.expect("it is wrong").to_string();
    assert!(error.starts_with("message 20 of the recording, on /"), "{error}");
    assert!(
        error.contains(
            "is not what its schema says: line 1, column 25 (`step`): found \"two\", expected a whole number from 0"
        ),
        "{error}"
    );
}

#[test]
fn hashes_and_states_are_checked() {
    let bytes = eventful(every(50));
    for (from, to) in [("\"hash\":\"", "\"hash\":\"+"), ("\"state\":\"", "\"state\":\"*")] {
        let wrong = rewritten(&bytes, |topic, _, data| match topic {
            "/checkpoints" => String::from_utf8(data.to_vec()).expect("JSON").replace(from, to).into_bytes(),
            _ => data.to_vec(),
        });
        let (_, _, error) = read_some(wrong).expect("a recording");
        assert!(matches!(error, Some(RecordingError::Entry { channel: "/checkpoints", .. })), "{error:?}");
    }
}

#[test]
fn skips_unknown_channels() {
    let bytes = eventful(every(50));
    let whole = read(bytes.clone());
    let mut out = Cursor::new(Vec::new());
    let mut writer = WriteOptions::new().profile("situated").create(&mut out).expect("memory");
    let camera = writer.add_channel(0, "/camera", "jpeg", &Default::default()).expect("memory");
    for message in mcap::MessageStream::new(&bytes).expect("complete") {
        let message = message.expect("undamaged");
        let header = MessageHeader { channel_id: camera, sequence: 0, log_time: message.log_time, publish_time: 0 };
        writer.write_to_known_channel(&header, &[0xff; 100]).expect("memory");
        let mut channel = (*message.channel).clone();
        channel.id += camera;
        writer.write(&mcap::Message { channel: channel.into(), ..message }).expect("memory");
    }
    writer.finish().expect("memory");
    drop(writer);
    let merged = out.into_inner();
    assert_eq!(read(merged.clone()), whole);
    assert_eq!(replayed(merged, Some(120)).steps, 50);
}

#[test]
fn rejects_hostile_lengths_before_allocating() {
    let bytes = eventful(every(50));
    // The first chunk begins after the magic bytes and the header.
    let header = u64::from_le_bytes(bytes[9..17].try_into().expect("eight bytes")) as usize;
    let chunk = 8 + 9 + header;
    assert_eq!(bytes[chunk], mcap::records::op::CHUNK);
    let with = |at: usize, number: u64| {
        let mut hostile = bytes.clone();
        hostile[at..at + 8].copy_from_slice(&number.to_le_bytes());
        hostile
    };
    let (recorded, _, error) = read_some(with(chunk + 1, u64::MAX)).expect("a recording");
    assert!(recorded.is_empty());
    assert!(matches!(error, Some(RecordingError::Damaged { offset, .. }) if offset == chunk as u64), "{error:?}");
    // The size after decompression follows the length and two times.
    for size in [u64::MAX, 1 << 40, 66 << 20, 0, 9, 100] {
        let (recorded, _, error) = read_some(with(chunk + 9 + 16, size)).expect("a recording");
        assert!(recorded.is_empty(), "{size}");
        assert!(
            matches!(error, Some(RecordingError::Damaged { offset, .. }) if offset == chunk as u64),
            "{size}: {error:?}"
        );
    }
}

#[test]
fn rejects_other_compressions_by_name() {
    let bytes = eventful(every(50));
    let mut out = Cursor::new(Vec::new());
    let mut writer = WriteOptions::new().profile("situated").compression(None).create(&mut out).expect("memory");
    for message in mcap::MessageStream::new(&bytes).expect("complete") {
        writer.write(&message.expect("undamaged")).expect("memory");
    }
    writer.finish().expect("memory");
    drop(writer);
    let (_, _, error) = read_some(out.into_inner()).expect("a recording");
    let error = error.expect("it is not compressed").to_string();
    assert!(error.ends_with("compressed by ``, and recordings by `zstd`; `mcap compress` can change that"), "{error}");
}

#[test]
fn damaged_files_are_read_exported_and_replayed_without_a_panic() {
    let whole = short();
    let mut random = Random::new(1);
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..=random.below(3) {
            let place = random.below(bytes.len() as u64) as usize;
            bytes[place] = random.below(256) as u8;
        }
        fuzz::recording(&bytes);
    }
}
