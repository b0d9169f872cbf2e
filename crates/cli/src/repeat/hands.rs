//! The threads that make the runs. Each takes the next seed when it has finished one.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow};
use indicatif::{ProgressBar, ProgressStyle};

use super::{Ran, Seeds};

/// Time between two updates of the progress bar while no run ends.
const TICK: Duration = Duration::from_millis(500);

/// A seed and the result of its run.
type Finished = (u64, anyhow::Result<Ran>);

/// The runs of many seeds.
#[derive(Debug)]
pub(super) struct Runs {
    /// Those before the lowest seed that failed, in the order of the seeds.
    pub(super) ran: Vec<(u64, Ran)>,
    /// The error of that seed.
    pub(super) failure: Option<anyhow::Error>,
}

/// Runs each seed, at most `jobs` at a time. Seeds are handed out in order, and none after the first failure, so the
/// runs and the failure do not depend on the number of jobs.
///
/// # Errors
/// Returns an error if a thread cannot be started.
pub(super) fn run_all(
    seeds: Seeds,
    jobs: NonZeroUsize,
    run: impl Fn(u64) -> anyhow::Result<Ran> + Sync,
) -> anyhow::Result<Runs> {
    let seeds_left = SeedsLeft { seeds, next: AtomicU64::new(0), stopped: AtomicBool::new(false) };
    let progress = progress(seeds);
    let finished: anyhow::Result<Vec<Finished>> = thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..seeds.count.get().min(jobs.get() as u64) {
            let (sender, seeds_left, run) = (sender.clone(), &seeds_left, &run);
            let hand = thread::Builder::new().spawn_scoped(scope, move || work(seeds_left, run, &sender));
            if let Err(error) = hand {
                seeds_left.stop();
                return Err(error).context("cannot start another thread; use fewer --jobs");
            }
        }
        // Otherwise the loop below would never end.
        drop(sender);
        Ok(receiver.iter().inspect(|_| progress.inc(1)).collect())
    });
    progress.finish_and_clear();
    let mut finished = finished?;
    finished.sort_unstable_by_key(|(seed, _)| *seed);
    let mut runs = Runs { ran: Vec::with_capacity(finished.len()), failure: None };
    for (seed, ran) in finished {
        match ran {
            Ok(ran) => runs.ran.push((seed, ran)),
            Err(error) => {
                runs.failure = Some(anyhow!("seed {seed}: {error:#}"));
                break;
            }
        }
    }
    Ok(runs)
}

/// The seeds that have not been handed out.
struct SeedsLeft {
    seeds: Seeds,
    next: AtomicU64,
    stopped: AtomicBool,
}

impl SeedsLeft {
    fn take(&self) -> Option<u64> {
        let next = || self.seeds.get(self.next.fetch_add(1, Ordering::Relaxed));
        if self.stopped.load(Ordering::Relaxed) { None } else { next() }
    }

    /// Stops handing out seeds.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// Makes runs as long as there are seeds.
fn work(seeds: &SeedsLeft, run: impl Fn(u64) -> anyhow::Result<Ran>, finished: &Sender<Finished>) {
    while let Some(seed) = seeds.take() {
        let ran = run(seed);
        if ran.is_err() {
            seeds.stop();
        }
        // The receiver no longer exists if a thread could not be started.
        if finished.send((seed, ran)).is_err() {
            return;
        }
    }
}

/// Returns the progress bar, which is hidden unless standard error is a terminal.
fn progress(seeds: Seeds) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{pos} of {len} runs {wide_bar} {eta} left");
    let bar = ProgressBar::new(seeds.count.get()).with_style(style.expect("the template is well-formed"));
    bar.enable_steady_tick(TICK);
    bar
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;
    use std::sync::Mutex;

    use anyhow::bail;
    use situated::environment::Outcome;

    use super::*;

    fn seeds(first: u64, count: u64) -> Seeds {
        Seeds::new(first, NonZeroU64::new(count).expect("there is one")).expect("there are so many")
    }

    fn jobs(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).expect("there is one")
    }

    /// A run that takes longer the smaller its seed is.
    fn ran(seed: u64) -> Ran {
        thread::sleep(Duration::from_millis(20_u64.saturating_sub(seed)));
        Ran { steps: seed * seed, outcome: Outcome { ending: None, results: Vec::new() }, failures: 0 }
    }

    #[test]
    fn results_are_in_the_order_of_the_seeds_for_any_number_of_jobs() {
        let one = run_all(seeds(3, 12), jobs(1), |seed| Ok(ran(seed))).expect("threads start").ran;
        assert_eq!(one.iter().map(|(seed, _)| *seed).collect::<Vec<_>>(), (3..15).collect::<Vec<_>>());
        for number in [2, 5, 100] {
            let many = run_all(seeds(3, 12), jobs(number), |seed| Ok(ran(seed))).expect("threads start").ran;
            assert_eq!(many, one, "{number} jobs");
        }
    }

    #[test]
    fn each_seed_is_run_once_up_to_the_last() {
        let seen = Mutex::new(Vec::new());
        let run = |seed| {
            seen.lock().expect("no thread panics").push(seed);
            Ok(ran(seed % 2 + 20))
        };
        run_all(seeds(u64::MAX - 9, 10), jobs(4), run).expect("threads start");
        let mut seen = seen.into_inner().expect("no thread panics");
        seen.sort_unstable();
        assert_eq!(seen, (u64::MAX - 9..=u64::MAX).collect::<Vec<_>>());
    }

    #[test]
    fn the_runs_end_before_the_lowest_failing_seed_and_no_further_seed_is_run() {
        for number in [1, 2, 8] {
            let begun = AtomicU64::new(0);
            let run = |seed| {
                begun.fetch_add(1, Ordering::Relaxed);
                let ran = ran(seed);
                if seed >= 5 { Err(anyhow!("disk full").context("the run failed")) } else { Ok(ran) }
            };
            let runs = run_all(seeds(1, 1000), jobs(number), run).expect("threads start");
            assert_eq!(runs.ran.iter().map(|(seed, _)| *seed).collect::<Vec<_>>(), [1, 2, 3, 4]);
            let error = runs.failure.expect("the fifth fails");
            assert_eq!(error.to_string(), "seed 5: the run failed: disk full");
            assert!(begun.into_inner() <= 5 + 2 * number as u64, "{number} jobs");
        }
    }

    #[test]
    fn a_later_seed_that_fails_first_does_not_hide_the_error_of_an_earlier_one() {
        let run = |seed| {
            let _ = ran(seed);
            bail!("too early")
        };
        let error = run_all(seeds(0, 20), jobs(20), run).expect("threads start").failure.expect("all fail");
        assert_eq!(error.to_string(), "seed 0: too early");
    }
}
