//! Damages the files of a store in random ways. When it is opened again, either all that was written is there, or the
//! store refuses and says why. The unfinished end of a process that was killed is no damage.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;
use situated::random::Random;
use situated_store::{Bell, Contents, Damage, Journal, LEFT_OUT, LeftOut, OpenError, Store, discard};
use situated_toys::try_seeds;

const KINDS: [&str; 3] = ["animal", "plant", "stone"];

const JOURNALS: [&str; 2] = ["diary", "log"];

/// The files with the data.
const FILES: [&str; 3] = ["data.db", "data.db-wal", "data.tally"];

/// A journal: its checkpoint, its state and its records.
type Diary = (u64, Option<Vec<u8>>, Vec<String>);

/// The contents that a store must have.
#[derive(Clone, Debug, Default, PartialEq)]
struct Expected {
    documents: BTreeMap<(&'static str, String), String>,
    journals: BTreeMap<&'static str, Diary>,
}

impl Expected {
    fn of(contents: &mut Contents) -> Self {
        let mut found = Self::default();
        for kind in KINDS {
            for (key, document) in contents.take(kind).expect("they are texts") {
                found.documents.insert((kind, key), document);
            }
        }
        for key in JOURNALS {
            if let Some(journal) = contents.take_journal(key) {
                let state = journal.state().map(<[u8]>::to_vec);
                let checkpoint = journal.checkpoint(key).expect("it is a number");
                found.journals.insert(key, (checkpoint, state, journal.records(key).expect("they are texts")));
            }
        }
        assert_eq!(contents.journals().count(), 0);
        found
    }
}

struct Silence;

impl Bell for Silence {
    fn ring(&self) {}
}

/// A store that random changes are made to.
struct Simulation {
    random: Random,
    folder: PathBuf,
    store: Arc<Store>,
    journals: [Journal; 2],
    /// Whether the journals have begun in this process.
    has_begun: [bool; 2],
    expected: Expected,
    /// All documents that ever were.
    history: BTreeSet<(&'static str, String, String)>,
}

impl Simulation {
    fn new(seed: u64, name: &str) -> Self {
        let folder = fresh_directory(&format!("{name}-{seed}"));
        let (store, journals) = open(&folder, &Expected::default());
        let (expected, history) = Default::default();
        Self { random: Random::new(seed), folder, store, journals, has_begun: [false; 2], expected, history }
    }

    /// Ends the process in an orderly way, and begins another.
    fn restart(self) -> Self {
        let Self { random, folder, store, journals, expected, history, .. } = self;
        drop((store, journals));
        let (store, journals) = open(&folder, &expected);
        Self { random, folder, store, journals, has_begun: [false; 2], expected, history }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit as u64) as usize
    }

    /// A text, most of them short, some longer than a page.
    fn text(&mut self) -> String {
        let length = if self.below(8) == 0 { self.below(20_000) } else { self.below(100) };
        let first = self.below(26) as u8;
        (0..length).map(|place| char::from(b'a' + (first + (place % 25) as u8) % 26)).collect()
    }

    /// Makes a random change without waiting until it is written.
    fn change(&mut self) {
        let (kind, key) = (KINDS[self.below(3)], self.below(40).to_string());
        let which = self.below(2);
        let name = JOURNALS[which];
        match self.below(10) {
            0..=3 => {
                let text = self.text();
                self.store.put(kind, &key, &text);
                self.history.insert((kind, key.clone(), text.clone()));
                self.expected.documents.insert((kind, key), text);
            }
            4 => {
                self.store.remove(kind, &key);
                self.expected.documents.remove(&(kind, key));
            }
            5 => {
                self.store.end_journal(name);
                self.expected.journals.remove(name);
                self.has_begun[which] = false;
            }
            _ if !self.has_begun[which] || self.below(15) == 0 => {
                self.has_begun[which] = true;
                let checkpoint = self.below(1000) as u64;
                let state = (self.below(2) == 0).then(|| self.text().into_bytes());
                self.journals[which].begin(&checkpoint, state.clone());
                self.expected.journals.insert(name, (checkpoint, state, Vec::new()));
            }
            _ => {
                for _ in 0..=self.below(3) {
                    let text = self.text();
                    self.journals[which].note(&text);
                    self.expected.journals.get_mut(name).expect("it was checked").2.push(text);
                }
                self.journals[which].seal();
            }
        }
    }

    /// Waits until all changes are written.
    fn settle(&self) {
        let bell: Arc<dyn Bell> = Arc::new(Silence);
        let mark = self.store.mark();
        while !self.store.settle(mark, &bell) {
            std::thread::yield_now();
        }
    }

    /// Makes random changes that are written in random groups.
    fn work(&mut self, groups: usize) {
        for _ in 0..groups {
            for _ in 0..=self.below(4) {
                self.change();
            }
            self.settle();
        }
    }
}

/// Opens a store that must have these contents.
fn open(folder: &Path, expected: &Expected) -> (Arc<Store>, [Journal; 2]) {
    let (store, mut contents) = Store::open(folder, false, "this test").expect("nothing is damaged");
    assert_eq!(&Expected::of(&mut contents), expected);
    let store = Arc::new(store);
    let journals = JOURNALS.map(|key| Journal::new(store.clone(), key));
    (store, journals)
}

/// Creates an empty directory with this name.
fn fresh_directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damage").join(name);
    // It exists if the test has run before.
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("there is room");
    directory
}

/// Copies the files of a folder, as they are when the process is killed at this moment.
fn copy(from: &Path, to: &Path) {
    for file in FILES.iter().chain([&"lock"]) {
        if from.join(file).exists() {
            fs::copy(from.join(file), to.join(file)).expect("there is room");
        }
    }
}

fn contents_of(folder: &Path) -> Vec<Vec<u8>> {
    // A missing file is like an empty one.
    FILES.iter().map(|file| fs::read(folder.join(file)).unwrap_or_default()).collect()
}

/// Damages the files in a folder in a random way. An earlier state of them is in another folder. Returns a description.
fn damage(random: &mut Random, folder: &Path, earlier: &Path) -> String {
    let there: Vec<&str> =
        FILES.into_iter().filter(|file| folder.join(file).metadata().is_ok_and(|file| file.len() > 0)).collect();
    let file = *random.choose(&there).expect("there are files");
    let path = folder.join(file);
    let mut bytes = fs::read(&path).expect("it is there");
    let kind = random.below(8);
    let what = match kind {
        0 | 1 => {
            for _ in 0..=random.below(3) {
                let place = random.index(bytes.len());
                bytes[place] ^= 1 << random.below(8);
            }
            fs::write(&path, bytes).expect("there is room");
            "flipped bits"
        }
        2 => {
            let start = random.index(bytes.len()) / 4096 * 4096;
            let end = bytes.len().min(start + 4096);
            bytes[start..end].fill(0);
            fs::write(&path, bytes).expect("there is room");
            "a page of zeros"
        }
        3 => {
            bytes.truncate(random.index(bytes.len()));
            fs::write(&path, bytes).expect("there is room");
            "cut short"
        }
        4 => {
            fs::remove_file(&path).expect("it is there");
            "removed"
        }
        5 => {
            // The file may not have existed.
            let _ = fs::copy(earlier.join(file), &path);
            "replaced by an earlier copy"
        }
        _ => {
            let connection = Connection::open(folder.join("data.db")).expect("it is a database");
            let statement = random.choose(&STATEMENTS).expect("there are some");
            connection.execute(statement, []).expect("it is valid");
            return (*statement).into();
        }
    };
    format!("{file}: {what}")
}

/// Changes by hand.
const STATEMENTS: [&str; 7] = [
    "DELETE FROM document WHERE (kind, key) = (SELECT kind, key FROM document ORDER BY random() LIMIT 1)",
    "DELETE FROM journal WHERE (key, number) = (SELECT key, number FROM journal ORDER BY random() LIMIT 1)",
    "DELETE FROM journal WHERE (key, number) = (SELECT key, number FROM journal ORDER BY change DESC LIMIT 1)",
    "DELETE FROM latest",
    "UPDATE document SET body = '\"forged\"' WHERE (kind, key) = (SELECT kind, key FROM document ORDER BY random() LIMIT 1)",
    "UPDATE journal SET number = number + 1 WHERE (key, number) = (SELECT key, number FROM journal ORDER BY change DESC LIMIT 1)",
    "INSERT OR REPLACE INTO document SELECT kind, key || 'x', change, total, checksum, body FROM document LIMIT 1",
];

/// Checks that what remains without the damaged parts is what was written.
fn check_rest(simulation: &Simulation, folder: &Path, damages: &[Damage], what: &str) {
    let before = contents_of(folder);
    let discarded = discard(folder, "this test").expect("it can be written").expect("it is damaged");
    assert_eq!(discarded.damages, damages, "{what}");
    assert_eq!(contents_of(&discarded.copy), before, "{what}");
    let (_, mut contents) = Store::open(folder, false, "this test").unwrap_or_else(|error| panic!("{what}: {error}"));
    let left_out = contents.take::<LeftOut>(LEFT_OUT).expect("it can be read");
    let found = Expected::of(&mut contents);
    for ((kind, key), document) in &found.documents {
        assert!(simulation.history.contains(&(*kind, key.clone(), document.clone())), "{what}: {kind} {key}");
    }
    if !left_out[0].1.is_rest_complete {
        return;
    }
    let Expected { documents, journals } = &simulation.expected;
    for (name, document) in documents {
        let is_named = damages
            .iter()
            .any(|one| matches!(one, Damage::Document { kind, key } if (kind, key) == (&name.0.to_owned(), &name.1)));
        let expected = (!is_named).then_some(document);
        assert_eq!(found.documents.get(name), expected, "{what}: {name:?}");
    }
    assert!(found.documents.keys().all(|name| documents.contains_key(name)), "{what}");
    for (name, journal) in journals {
        let is_named = damages.iter().any(|one| matches!(one, Damage::Journal { key, .. } if key == name));
        assert_eq!(found.journals.get(name), (!is_named).then_some(journal), "{what}: {name}");
    }
    assert!(found.journals.keys().all(|name| journals.contains_key(name)), "{what}");
}

#[test]
fn damage_is_never_silent() {
    let (refused, complete) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let all = try_seeds(0..100, |seed| {
        let mut simulation = Simulation::new(seed, "random");
        let groups = 2 + simulation.below(20);
        simulation.work(groups);
        if simulation.below(2) == 0 {
            simulation = simulation.restart();
        }
        let (earlier, folder) =
            (fresh_directory(&format!("earlier-{seed}")), fresh_directory(&format!("damaged-{seed}")));
        copy(&simulation.folder, &earlier);
        let groups = 1 + simulation.below(20);
        simulation.work(groups);
        if simulation.below(3) == 0 {
            simulation.store.close().expect("it can be written");
        }
        copy(&simulation.folder, &folder);
        let what = damage(&mut simulation.random, &folder, &earlier);
        let before = contents_of(&folder);
        match Store::open(&folder, false, "this test") {
            Ok((_, mut contents)) => {
                assert_eq!(Expected::of(&mut contents), simulation.expected, "{what}");
                complete.fetch_add(1, Ordering::Relaxed);
            }
            Err(OpenError::Damaged { damages, .. }) => {
                assert_eq!(contents_of(&folder), before, "{what}");
                check_rest(&simulation, &folder, &damages, &what);
                refused.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => panic!("{what}: {error}"),
        }
    });
    // Some damage is in parts of the files that nobody needs.
    assert!(!all || refused.into_inner() > 50 && complete.into_inner() > 5);
}

#[test]
fn an_unfinished_end_is_no_damage() {
    let (without, with) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let all = try_seeds(0..60, |seed| {
        let mut simulation = Simulation::new(seed, "unfinished");
        let groups = 10 + simulation.below(10);
        simulation.work(groups);
        let folder = fresh_directory(&format!("killed-{seed}"));
        copy(&simulation.folder, &folder);
        let log = folder.join("data.db-wal");
        let length = |log: &Path| log.metadata().expect("it is there").len();
        let (acknowledged, before) = (simulation.expected.clone(), length(&log));
        // Several changes could be written in two groups.
        simulation.change();
        simulation.settle();
        fs::copy(simulation.folder.join("data.db-wal"), &log).expect("there is room");
        let end = match simulation.below(3) {
            0 => length(&log),
            _ => before + simulation.random.below(length(&log) - before),
        };
        OpenOptions::new().write(true).open(&log).and_then(|log| log.set_len(end)).expect("it can be cut");
        let (_, mut contents) = Store::open(&folder, false, "this test").expect("nothing is damaged");
        let found = Expected::of(&mut contents);
        if found == acknowledged {
            without.fetch_add(1, Ordering::Relaxed);
        } else {
            assert_eq!(found, simulation.expected);
            with.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(!all || without.into_inner() > 0 && with.into_inner() > 0);
}

/// A folder with three documents and a journal, as it is when the process is killed.
fn killed(name: &str) -> PathBuf {
    let (original, folder) = (fresh_directory(&format!("{name}-original")), fresh_directory(name));
    let (store, [mut diary, _]) = open(&original, &Expected::default());
    let bell: Arc<dyn Bell> = Arc::new(Silence);
    for key in ["cat", "dog", "owl"] {
        store.put("animal", key, &"a text");
    }
    diary.begin(&1_u64, None);
    for record in ["one", "two", "three"] {
        diary.note(&record);
        diary.seal();
        let mark = store.mark();
        while !store.settle(mark, &bell) {}
    }
    copy(&original, &folder);
    folder
}

fn change(folder: &Path, statement: &str) {
    let connection = Connection::open(folder.join("data.db")).expect("it is a database");
    connection.execute(statement, []).expect("it is valid");
}

fn damages(folder: &Path) -> Vec<String> {
    match Store::open(folder, false, "this test") {
        Err(OpenError::Damaged { damages, .. }) => damages.iter().map(Damage::to_string).collect(),
        other => panic!("it is damaged: {:?}", other.err()),
    }
}

#[test]
fn damaged_parts_are_named() {
    let folder = killed("changed");
    change(&folder, "UPDATE document SET body = '\"forged\"' WHERE key = 'dog'");
    assert_eq!(damages(&folder), ["animal `dog` differs from what was written"]);
    let folder = killed("deleted");
    change(&folder, "DELETE FROM document WHERE key = 'dog'");
    assert_eq!(damages(&folder), ["1 of 3 are missing: animal"]);
    let folder = killed("gap");
    change(&folder, "DELETE FROM journal WHERE number = 2");
    assert_eq!(damages(&folder), ["journal `diary`: record 2 is missing", "1 of 4 are missing: journal"]);
    let folder = killed("log");
    fs::remove_file(folder.join("data.db-wal")).expect("it is there");
    let missing = ["the last 7 changes are missing", "3 of 3 are missing: animal", "4 of 4 are missing: journal"];
    assert_eq!(damages(&folder), missing);
    let folder = killed("database");
    fs::remove_file(folder.join("data.db")).expect("it is there");
    let missing = ["data.db is missing or empty", "3 of 3 are missing: animal", "4 of 4 are missing: journal"];
    assert_eq!(damages(&folder), missing);
    let folder = killed("tally");
    fs::remove_file(folder.join("data.tally")).expect("it is there");
    assert_eq!(damages(&folder), ["data.tally is missing or empty"]);
    let folder = killed("both");
    for file in FILES {
        fs::remove_file(folder.join(file)).expect("it is there");
    }
    assert_eq!(damages(&folder), ["data.db is missing or empty", "data.tally is missing or empty"]);
}

#[test]
fn another_format_is_no_damage() {
    let folder = killed("format");
    change(&folder, "PRAGMA user_version = 1");
    assert_eq!(damages(&folder)[0], "data.db claims to have format 1 instead of 3");
    // Earlier versions had no tally.
    File::create(folder.join("data.tally")).expect("there is room");
    let error = Store::open(&folder, false, "this test").err();
    assert!(matches!(error, Some(OpenError::Format { found: 1, expected: 3, .. })), "{error:?}");
    let error = discard(&folder, "this test").err();
    assert!(matches!(error, Some(OpenError::Format { .. })), "{error:?}");
}
