//! The tables, expanded at compile time, so that a step is one look-up.

use super::{Effect, Phase, Profile, Protocol, Role, tables};
use crate::Performative;

const PHASES: usize = Phase::ALL.len();
const ACTS: usize = Performative::ALL.len() + 1;

type Effects = [[[Option<Effect>; ACTS]; 2]; PHASES];

/// The effects of all acts, by protocol, profile, phase, role and act.
static EFFECTS: [[Effects; 2]; Protocol::ALL.len()] = {
    let mut all = [[[[[None; ACTS]; 2]; PHASES]; 2]; Protocol::ALL.len()];
    let mut protocol = 0;
    while protocol < all.len() {
        all[protocol][0] = unfolded(Protocol::ALL[protocol], Profile::Standard);
        all[protocol][1] = unfolded(Protocol::ALL[protocol], Profile::Tutorial);
        protocol += 1;
    }
    all
};

/// The phases in which each role has an act.
static AWAITS: [[[bool; 2]; PHASES]; Protocol::ALL.len()] = {
    let mut all = [[[false; 2]; PHASES]; Protocol::ALL.len()];
    let mut protocol = 0;
    while protocol < all.len() {
        let rows = tables::of(Protocol::ALL[protocol]).rows;
        let mut row = 0;
        while row < rows.len() {
            if let Effect::To(_) = rows[row].effect {
                all[protocol][rows[row].from as usize][rows[row].by as usize] = true;
            }
            row += 1;
        }
        protocol += 1;
    }
    all
};

const fn unfolded(protocol: Protocol, profile: Profile) -> Effects {
    let mut effects = [[[None; ACTS]; 2]; PHASES];
    let rows = tables::of(protocol).rows;
    let mut row = 0;
    while row < rows.len() {
        let of = rows[row];
        let holds = match of.only {
            Some(only) => only as u8 == profile as u8,
            None => true,
        };
        if holds {
            let (by, act) = (of.by as usize, of.act as usize);
            effects[of.from as usize][by][act] = Some(of.effect);
            if !matches!(of.from, Phase::Start) {
                // Messages that were sent before the session ended by a deadline or a cancel can still arrive.
                effects[Phase::TimedOut as usize][by][act] = Some(Effect::Late(None));
                effects[Phase::Cancelled as usize][by][act] = Some(Effect::Late(None));
            }
        }
        row += 1;
    }
    with_not_understood(effects)
}

/// Adds that either side may send `not-understood` in every phase between the first and the last message.
const fn with_not_understood(mut effects: Effects) -> Effects {
    const ACT: usize = Performative::NotUnderstood as usize;
    let mut phase = 0;
    while phase < PHASES {
        let effect = match Phase::ALL[phase] {
            Phase::Start => None,
            Phase::TimedOut | Phase::Cancelled => Some(Effect::Late(None)),
            running if !running.is_terminal() => Some(Effect::To(Phase::NotUnderstood)),
            _ => None,
        };
        effects[phase][0][ACT] = effect;
        effects[phase][1][ACT] = effect;
        phase += 1;
    }
    effects
}

pub(super) fn effect(
    protocol: Protocol,
    profile: Profile,
    phase: Phase,
    by: Role,
    act: Performative,
) -> Option<Effect> {
    EFFECTS[protocol as usize][profile as usize][phase as usize][by as usize][act as usize]
}

pub(super) fn awaits(protocol: Protocol, phase: Phase, role: Role) -> bool {
    AWAITS[protocol as usize][phase as usize][role as usize]
}
