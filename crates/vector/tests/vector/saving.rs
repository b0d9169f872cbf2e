//! Tests that a loaded env continues as the saved one did.

use proptest::prelude::*;
use situated::encoding::Encode;
use situated::random::Random;
use situated_find_goals::FindGoals;
use situated_vector::{Error, Settings};

use crate::herd::Herd;
use crate::modes::settings;
use crate::written::{Room, Run, with};

/// Saves the envs one by one and together, loads them into another vector, and compares the further steps.
fn compare_after_loading<E>(settings: Settings, other: Settings, actions_seed: u64)
where
    E: Encode<Element: Room, Parameters: Sync>,
{
    let mut random = Random::new(actions_seed);
    let (mut run, mut one, mut all) =
        (Run::new::<E>(settings.clone()), Run::new::<E>(settings.clone()), Run::new::<E>(other));
    run.play(&mut random, 23);
    let saved = run.vector.save_all().expect("it can be saved");
    all.vector.load_all(&saved).expect("its own bytes");
    for env in 0..settings.envs {
        let state = run.vector.save(env).expect("it can be saved");
        one.vector.load(env, &state).expect("its own bytes");
        assert_eq!(one.vector.save(env).expect("it can be saved"), state);
    }
    for vector in [&one.vector, &all.vector] {
        assert_eq!(vector.save_all().expect("it can be saved"), saved);
        for env in 0..settings.envs {
            for viewer in [None, Some(1)] {
                assert_eq!(vector.scene(env, viewer), run.vector.scene(env, viewer));
            }
        }
    }
    (one.written, all.written) = (run.written.clone(), run.written.clone());
    for _ in 0..60 {
        let mut same = Random::new(random.bits());
        run.play(&mut same.clone(), 1);
        one.play(&mut same.clone(), 1);
        all.play(&mut same, 1);
        assert!(one.written == run.written && all.written == run.written);
        assert_eq!(all.vector.save_all(), run.vector.save_all());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn vectors_with_and_without_tables_load_each_others_envs(settings in settings(6), chance: bool, actions_seed: u64) {
        let other = Settings { tables: !settings.tables, seed: settings.seed + 1, ..settings.clone() };
        let chance_in = |settings| with(settings, "chance", chance);
        compare_after_loading::<Herd>(chance_in(settings.clone()), chance_in(other.clone()), actions_seed);
        compare_after_loading::<FindGoals>(settings, other, actions_seed);
    }
}

#[test]
fn loading_other_bytes_fails_and_changes_nothing() {
    for tables in [false, true] {
        let mut run = Run::new::<FindGoals>(Settings { envs: 2, tables, ..Settings::default() });
        run.play(&mut Random::new(1), 5);
        let before = run.vector.save_all().expect("it can be saved");
        let state = run.vector.save(0).expect("it can be saved");
        let global = Run::new::<FindGoals>(with(Settings { envs: 2, ..Settings::default() }, "view", "global"));
        let herd = Run::new::<Herd>(Settings { envs: 2, ..Settings::default() });
        for other in [&global.vector, &herd.vector] {
            let refused = run.vector.load(0, &other.save(0).expect("it can be saved"));
            assert!(matches!(refused, Err(Error::NotSaved { .. })), "{refused:?}");
        }
        let refused = run.vector.load_all(&global.vector.save_all().expect("it can be saved"));
        assert!(matches!(refused, Err(Error::NotSaved { .. })), "{refused:?}");
        for length in 0..state.len() {
            assert!(run.vector.load(0, &state[..length]).is_err());
        }
        assert_eq!(run.vector.save_all().expect("it can be saved"), before);
    }
}
