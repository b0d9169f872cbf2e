//! Tests that a store keeps what was written when it is opened again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use situated_store::{Batch, Bell, Contents, Journal, OpenError, Store};

/// Creates an empty directory with this name.
fn fresh_directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It exists if the test has run before.
    let _ = fs::remove_dir_all(&directory);
    directory
}

fn open(folder: &Path) -> (Arc<Store>, Contents) {
    let (store, contents) = Store::open(folder, false, "this test").expect("the folder can be used");
    (Arc::new(store), contents)
}

fn records(contents: &mut Contents, key: &str) -> Option<(u64, Option<Vec<u8>>, Vec<u64>)> {
    let journal = contents.take_journal(key)?;
    let state = journal.state().map(<[u8]>::to_vec);
    Some((journal.checkpoint(key).expect("a number"), state, journal.records(key).expect("numbers")))
}

struct Silence;

impl Bell for Silence {
    fn ring(&self) {}
}

#[test]
fn a_reopened_store_has_all_documents_and_journals() {
    let folder = fresh_directory("written");
    let (store, _) = open(&folder);
    store.put("animal", "cat", &"meow");
    store.put("animal", "dog", &"woof");
    store.put("animal", "cat", &"purr");
    store.put("plant", "cat", &"mint");
    store.remove("animal", "dog");
    let mut journal = Journal::new(store.clone(), "diary");
    journal.begin(&1_u64, None);
    journal.note(&2_u64);
    journal.seal();
    journal.begin(&3_u64, Some(vec![0, 255]));
    for record in [4_u64, 5] {
        journal.note(&record);
    }
    assert_eq!(journal.seal(), "4\n5\n".len());
    journal.note(&6_u64);
    journal.seal();
    // A unit that is not complete is not kept.
    journal.note(&7_u64);
    Journal::new(store.clone(), "ended").begin(&1_u64, None);
    store.end_journal("ended");
    store.close().expect("it can be written");
    store.put("animal", "late", &"comes too late");
    drop((store, journal));

    let (_store, mut contents) = open(&folder);
    let animals = contents.take::<String>("animal").expect("texts");
    assert_eq!(animals, [("cat".to_owned(), "purr".to_owned())]);
    assert_eq!(contents.take::<String>("plant").expect("texts").len(), 1);
    assert_eq!(contents.journals().collect::<Vec<_>>(), ["diary"]);
    assert_eq!(records(&mut contents, "diary"), Some((3, Some(vec![0, 255]), vec![4, 5, 6])));
    assert_eq!(records(&mut contents, "ended"), None);
}

#[test]
fn documents_of_a_batch_are_written_together() {
    let folder = fresh_directory("batch");
    let (store, _) = open(&folder);
    let bell: Arc<dyn Bell> = Arc::new(Counter::default());
    let mut batch = Batch::default();
    batch.put("letter", "1", &"first");
    batch.put("letter", "2", &"second");
    batch.remove("letter", "1");
    store.change(batch);
    assert!(store.settle(store.mark(), &bell));
    // There is nothing to wait for.
    store.change(Batch::default());
    assert!(store.is_written(store.mark()));
    drop(store);
    let letters = open(&folder).1.take::<String>("letter").expect("they are texts");
    assert_eq!(letters, [("2".to_owned(), "second".to_owned())]);
}

#[test]
fn settled_changes_are_written() {
    let (store, _) = open(&fresh_directory("settled"));
    let bell: Arc<dyn Bell> = Arc::new(Silence);
    let before = store.mark();
    assert!(store.is_written(before));
    store.put("animal", "cat", &"meow");
    let mark = store.mark();
    assert!(mark > before && !store.is_written(mark));
    assert!(store.settle(mark, &bell), "nobody else writes");
    assert!(store.is_written(mark));
}

/// Counts how often it is rung.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Bell for Counter {
    fn ring(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn threads_that_settle_at_the_same_time_all_continue() {
    const CHANGES: usize = 500;

    let folder = fresh_directory("threads");
    let (store, _) = open(&folder);
    thread::scope(|scope| {
        for number in 0..8 {
            let store = &store;
            scope.spawn(move || {
                let counter = Arc::new(Counter::default());
                let bell: Arc<dyn Bell> = counter.clone();
                for change in 0..CHANGES {
                    store.put("change", &format!("{number}/{change}"), &change);
                    let mark = store.mark();
                    let rung = counter.0.load(Ordering::SeqCst);
                    if !store.settle(mark, &bell) {
                        // Without new changes, `settle` would never ring, and this thread would wait forever.
                        while !store.is_written(mark) && counter.0.load(Ordering::SeqCst) == rung {
                            thread::yield_now();
                        }
                        while !store.is_written(mark) {
                            store.settle(mark, &bell);
                        }
                    }
                }
            });
        }
    });
    drop(store);
    let (_store, mut contents) = open(&folder);
    assert_eq!(contents.take::<usize>("change").expect("numbers").len(), 8 * CHANGES);
}

#[test]
fn opening_a_used_folder_or_another_file_is_an_error() {
    let folder = fresh_directory("in_use");
    let (store, _) = open(&folder);
    let second = Store::open(&folder, false, "another").err();
    assert!(matches!(&second, Some(OpenError::InUse { holder, .. }) if holder == "this test"), "{second:?}");
    drop(store);
    drop(open(&folder));

    fs::write(folder.join("data.db"), "no database, but a text that is long enough to be looked at".repeat(100))
        .expect("there is room");
    assert!(matches!(Store::open(&folder, false, "this test").err(), Some(OpenError::Damaged { .. })));
}
