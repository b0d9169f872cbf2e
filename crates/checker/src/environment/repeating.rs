//! Repeats an episode: with the same inputs, from saved states, and without the rejected actions.

use super::playing::{Effect, Entry, Episode, Input, Player};
use super::report::Rule;
use super::subject::{Acted, Broken, Clock};

impl Player<'_> {
    /// Checks that repetitions of an episode are the same. Without `is_whole`, it has broken.
    pub(super) fn check_repetitions(&mut self, seed: u64, episode: &Episode, is_whole: bool) {
        let Episode { entries, saves, .. } = episode;
        let repeated = self.guard(Rule::Determinism, |player| {
            player.begin(seed)?;
            player.repeat(Rule::Determinism, entries)
        });
        if repeated != Some(true) || !is_whole {
            return;
        }
        for (at, state) in saves {
            self.guard(Rule::Saving, |player| player.play_on_from(state, &entries[*at..]));
        }
        let is_refused = |entry: &Entry| matches!(entry, Entry::Input(_, Effect::Acted(Acted::Refused(_))));
        // Hidden changes show later. A turn makes a step, so that nothing can be compared at once.
        if self.subject.inside().is_none() && entries.iter().any(is_refused) {
            self.guard(Rule::Refusals, |player| {
                player.begin(seed)?;
                player.repeat(Rule::Refusals, entries)
            });
        }
    }

    /// Repeats the inputs; for the rule about rejected actions, without these. Returns whether the effects of the
    /// others were the same.
    fn repeat(&mut self, rule: Rule, entries: &[Entry]) -> Result<bool, Broken> {
        let (without_refused, other) = if rule == Rule::Refusals {
            (true, "an episode without the rejected actions")
        } else {
            (false, "another episode")
        };
        for entry in entries {
            if self.time.is_over() {
                return Ok(false);
            }
            let difference = match entry {
                Entry::Input(Input::Act(..), Effect::Acted(Acted::Refused(_))) if without_refused => {
                    if self.clock == Clock::Turns {
                        self.findings.count(rule, 1);
                        self.subject.step()?;
                    }
                    None
                }
                Entry::Input(input, effect) => {
                    let again = self.apply(input)?;
                    (again != *effect).then(|| format!("{other}: {}: {again:?} instead of {effect:?}", self.doing))
                }
                Entry::Seen(moment) => {
                    if !without_refused {
                        self.findings.count(rule, 1);
                    }
                    let difference = moment.difference(&self.now()?);
                    difference.map(|difference| format!("{other} differs in {difference}"))
                }
            };
            if let Some(difference) = difference {
                self.findings.add(rule, self.place(), difference);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn play_on_from(&mut self, state: &[u8], entries: &[Entry]) -> Result<(), Broken> {
        let [Entry::Seen(saved), rest @ ..] = entries else { return Ok(()) };
        self.doing = "it is loaded".into();
        let Some(inside) = self.subject.inside() else { return Ok(()) };
        inside.load(state)?;
        self.step = saved.step;
        if let Some(difference) = saved.difference_afterwards(&self.now()?) {
            self.findings.add(Rule::Saving, self.place(), format!("loading changes {difference}"));
            return Ok(());
        }
        self.repeat(Rule::Saving, rest).map(drop)
    }
}
