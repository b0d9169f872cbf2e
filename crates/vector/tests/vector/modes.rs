//! Compares each mode of reset with single bare episodes, step by step, for several numbers of envs and threads.

use proptest::prelude::*;
use situated::encoding::Encode;
use situated::ontology::typed::InitParameters;
use situated::random::Random;
use situated_find_goals::FindGoals;
use situated_vector::{Actions, Autoreset, Settings};

use crate::herd::Herd;
use crate::model::Model;
use crate::written::{Room, Run, Written, with};

const MODES: [Autoreset; 3] = [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled];

/// Makes random steps, and compares all outputs with the models.
fn compare<E>(settings: Settings, actions_seed: u64, steps: usize)
where
    E: Encode<Element: Room, Parameters: Sync>,
{
    let parameters = E::Parameters::from_iil(&settings.parameters).expect("parameters");
    let Settings { envs, seed, autoreset, max_steps, .. } = settings;
    let mut run = Run::new::<E>(settings);
    let mut models: Vec<Model<E>> = (0..envs).map(|env| Model::new(&parameters, seed, env)).collect();
    let mut random = Random::new(actions_seed);
    for _ in 0..steps {
        let over: Vec<bool> = models.iter().map(|model| model.over).collect();
        if autoreset == Autoreset::Disabled && over.contains(&true) {
            let base = random.chance(0.5).then(|| random.below(100));
            run.vector.reset(base, Some(&over)).expect("they can begin");
            models.iter_mut().filter(|model| model.over).for_each(|model| model.reset(base));
        }
        let mut actions = run.random_actions(&mut random);
        let agents = actions.len() / envs;
        if autoreset == Autoreset::NextStep {
            // Ignored actions may have any value.
            let ignored = actions.chunks_mut(agents).zip(&over).filter(|(_, over)| **over);
            ignored.for_each(|(actions, _)| actions.fill(-7));
        }
        let last = run.written.clone();
        run.step(&actions).expect("all can be done");
        for (env, (model, actions)) in models.iter_mut().zip(actions.chunks(agents)).enumerate() {
            let expected = model.step(actions, autoreset, max_steps, &last.of(env));
            assert_eq!(run.written.of(env), expected, "env {env}");
            assert_eq!((run.vector.is_over(env), run.vector.seed(env)), (model.over, Some(model.seed())));
        }
    }
}

prop_compose! {
    /// Generates settings of any mode for fewer envs than `most`.
    pub(crate) fn settings(most: usize)(
        envs in 1..most,
        seed in 0u64..1000,
        mode in 0usize..3,
        max_steps in prop::option::of(1u64..30),
        tables: bool,
    ) -> Settings {
        Settings { envs, seed, autoreset: MODES[mode], max_steps, tables, ..Settings::default() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn every_env_equals_a_bare_episode(settings in settings(12), chance: bool, actions_seed: u64) {
        compare::<Herd>(with(settings.clone(), "chance", chance), actions_seed, 60);
        compare::<FindGoals>(settings, actions_seed, 60);
    }
}

#[test]
fn every_env_equals_a_bare_episode_in_long_runs() {
    for autoreset in MODES {
        for tables in [false, true] {
            for (seed, max_steps) in [(1, None), (2, Some(17))] {
                let settings = Settings { envs: 130, seed, autoreset, max_steps, tables, ..Settings::default() };
                compare::<Herd>(with(settings.clone(), "chance", true), seed, 50);
                compare::<Herd>(settings.clone(), seed, 50);
                compare::<FindGoals>(settings, seed, 50);
            }
        }
    }
}

/// Returns the outputs of some steps.
fn history<E>(settings: Settings, steps: usize) -> Vec<Written<E::Element>>
where
    E: Encode<Element: Room, Parameters: Sync>,
{
    let mut run = Run::new::<E>(settings);
    let mut random = Random::new(3);
    let step = |_| {
        run.play(&mut random, 1);
        run.written.clone()
    };
    (0..steps).map(step).collect()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for autoreset in MODES {
        for (tables, envs) in [(false, 7_001), (true, 13_001)] {
            let with_threads = |threads| {
                let max_steps = Some(2);
                let settings = Settings { envs, threads, autoreset, max_steps, tables, ..Settings::default() };
                let herd = history::<Herd>(with(settings.clone(), "chance", !tables), 4);
                (herd, history::<FindGoals>(settings, 4))
            };
            let alone = with_threads(1);
            assert!(with_threads(2) == alone && with_threads(3) == alone);
        }
    }
}

#[test]
fn results_of_an_env_do_not_depend_on_the_others() {
    let settings = |envs| Settings { envs, max_steps: Some(9), ..with(Settings::default(), "chance", true) };
    let (mut many, mut few) = (Run::new::<Herd>(settings(100)), Run::new::<Herd>(settings(4)));
    let mut random = Random::new(5);
    for _ in 0..100 {
        let actions = many.random_actions(&mut random);
        many.step(&actions).expect("they exist");
        few.step(&actions[..12]).expect("they exist");
        (0..4).for_each(|env| assert_eq!(many.written.of(env), few.written.of(env)));
    }
}

#[test]
fn all_integer_types_of_actions_give_the_same_results() {
    let run = || Run::new::<FindGoals>(Settings { envs: 5, ..Settings::default() });
    let (mut one, mut other, mut third) = (run(), run(), run());
    let mut random = Random::new(6);
    for _ in 0..50 {
        let actions = one.random_actions(&mut random);
        let bytes: Vec<u8> = actions.iter().map(|action| *action as u8).collect();
        let words: Vec<i32> = actions.iter().map(|action| *action as i32).collect();
        one.step(&actions).expect("they exist");
        other.vector.step(Actions::U8(&bytes), other.written.outputs()).expect("they exist");
        third.vector.step(Actions::I32(&words), third.written.outputs()).expect("they exist");
        assert!(one.written == other.written && one.written == third.written);
    }
}

#[test]
fn observe_writes_the_same_as_the_step_before() {
    for tables in [false, true] {
        let mut run = Run::new::<Herd>(Settings { envs: 8, max_steps: Some(5), tables, ..Settings::default() });
        let mut random = Random::new(7);
        for _ in 0..40 {
            run.play(&mut random, 1);
            assert_eq!(run.observe(), (run.written.observations.clone(), run.written.masks.clone()));
        }
    }
}
