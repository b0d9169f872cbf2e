//! Tests that errors say what is wrong, and that they change nothing.

use situated::random::Random;
use situated_find_goals::FindGoals;
use situated_vector::{Actions, Autoreset, Error, Finals, Observations, Outputs, Settings, Vector, vector};

use crate::herd::Herd;
use crate::written::{Run, Written, with};

fn why<E>(settings: Settings) -> String
where
    E: situated::encoding::Encode<Element: situated_vector::Cell, Parameters: Sync>,
{
    vector::<E>(settings).map(drop).expect_err("there is no such vector").to_string()
}

#[test]
fn settings_are_checked() {
    let settings = Settings::default;
    assert_eq!(why::<Herd>(Settings { envs: 0, ..settings() }), "envs must be 1 to 1048576, not 0");
    assert_eq!(why::<Herd>(Settings { threads: 257, ..settings() }), "threads must be 1 to 256, not 257");
    assert!(why::<Herd>(Settings { max_steps: Some(0), ..settings() }).starts_with("max_steps must be 1"));
    let unknown = why::<FindGoals>(with(settings(), "veiw", "local"));
    assert_eq!(unknown, "there is no parameter `veiw`; did you mean `view`?");
    assert_eq!(
        why::<Herd>(with(settings(), "dog", true)),
        "entities of `herd` with encodings must be of one type, but `dolly` is a sheep and `rex` a dog"
    );
    let moody = why::<Herd>(with(Settings { envs: 50, ..settings() }, "moody", true));
    assert!(moody.ends_with("cannot begin: the seed is odd"), "{moody}");
}

/// Makes a call that must fail, and checks that it changes nothing.
fn refuse<T: crate::written::Room>(
    run: &mut Run<T>,
    mut attempt: impl FnMut(&mut Run<T>) -> Result<(), Error>,
) -> String {
    let before = (run.vector.save_all(), run.written.clone());
    let error = attempt(run).expect_err("an error");
    assert_eq!((run.vector.save_all(), run.written.clone()), before);
    error.to_string()
}

#[test]
fn actions_that_do_not_exist_are_refused() {
    for tables in [false, true] {
        let mut run = Run::new::<FindGoals>(Settings { envs: 3, tables, ..Settings::default() });
        run.play(&mut Random::new(1), 7);
        for wrong in [5, -1, i64::MIN, i64::MAX, 1 << 32] {
            let error = refuse(&mut run, |run| run.step(&[0, 1, 2, wrong, 9, 9]));
            assert_eq!(error, format!("there is no action {wrong} for agent 1 of env 1: actions are 0 to 4"));
        }
        let bytes = refuse(&mut run, |run| run.vector.step(Actions::U8(&[0, 0, 0, 0, 0, 200]), run.written.outputs()));
        assert_eq!(bytes, "there is no action 200 for agent 1 of env 2: actions are 0 to 4");
        let words = refuse(&mut run, |run| run.vector.step(Actions::I32(&[-5, 0, 0, 0, 0, 0]), run.written.outputs()));
        assert_eq!(words, "there is no action -5 for agent 0 of env 0: actions are 0 to 4");
    }
}

#[test]
fn buffers_of_another_length_are_refused() {
    let mut run = Run::new::<FindGoals>(Settings { envs: 3, autoreset: Autoreset::SameStep, ..Settings::default() });
    run.play(&mut Random::new(1), 3);
    assert_eq!(refuse(&mut run, |run| run.step(&[0; 5])), "actions must have 6 elements, not 5");
    type Spoil = fn(&mut Written<u8>);
    let spoilt: [(Spoil, &str); 7] = [
        (|written| written.observations.truncate(47), "observations must have 48 elements, not 47"),
        (|written| written.masks.push(true), "masks must have 30 elements, not 31"),
        (|written| written.rewards.clear(), "rewards must have 6 elements, not 0"),
        (|written| written.terminated.truncate(5), "terminated must have 6 elements, not 5"),
        (|written| written.truncated.truncate(5), "truncated must have 6 elements, not 5"),
        (|written| written.finals.truncate(5), "final observations must have 48 elements, not 5"),
        (|written| written.ended.truncate(2), "the mask of final observations must have 3 elements, not 2"),
    ];
    for (spoil, expected) in spoilt {
        let error = refuse(&mut run, |run| {
            let mut written = run.written.clone();
            spoil(&mut written);
            run.vector.step(Actions::I64(&[0; 6]), written.outputs())
        });
        assert_eq!(error, expected);
    }
    let without = |run: &mut Run<u8>| {
        let outputs = Outputs { finals: None, ..run.written.outputs() };
        run.vector.step(Actions::I64(&[0; 6]), outputs)
    };
    assert!(refuse(&mut run, without).contains("final observations"));
    let floats = refuse(&mut run, |run| {
        let mut floats = vec![0.0; 48];
        let outputs = Outputs { observations: Observations::F32(&mut floats), ..run.written.outputs() };
        run.vector.step(Actions::I64(&[0; 6]), outputs)
    });
    assert_eq!(floats, "observations must have elements U8, not F32");
    let finals = refuse(&mut run, |run| {
        let (mut floats, mut mask) = (vec![0.0; 48], [true; 3]);
        let finals = Finals { observations: Observations::F32(&mut floats), mask: &mut mask };
        let outputs = Outputs { finals: Some(finals), ..run.written.outputs() };
        run.vector.step(Actions::I64(&[0; 6]), outputs)
    });
    assert_eq!(finals, "final observations must have elements U8, not F32");
    assert_eq!(refuse(&mut run, |run| run.vector.reset(None, Some(&[true]))), "the mask must have 3 elements, not 1");
    assert_eq!(
        refuse(&mut run, |run| run.vector.observe(Observations::U8(&mut [0; 48]), &mut [true; 3])),
        "masks must have 30 elements, not 3"
    );
}

#[test]
fn without_autoreset_a_step_after_the_end_is_an_error() {
    for tables in [false, true] {
        let autoreset = Autoreset::Disabled;
        let max_steps = Some(3);
        let mut run = Run::new::<FindGoals>(Settings { envs: 3, tables, autoreset, max_steps, ..Settings::default() });
        (0..3).for_each(|_| run.step(&[0; 6]).expect("it runs"));
        let error = refuse(&mut run, |run| run.step(&[0; 6]));
        assert_eq!(error, "the episode of env 0 is over; reset it before the next step");
        run.vector.reset(None, Some(&[true, false, true])).expect("they can begin");
        assert_eq!([0, 1, 2].map(|env| run.vector.is_over(env)), [false, true, false]);
        let error = refuse(&mut run, |run| run.step(&[0; 6]));
        assert_eq!(error, "the episode of env 1 is over; reset it before the next step");
        run.vector.reset(Some(4), None).expect("they can begin");
        run.step(&[0; 6]).expect("it runs");
    }
}

/// Returns a base seed whose first episode can begin and whose second one cannot.
fn moody(autoreset: Autoreset) -> Settings {
    let even = |base: &u64| situated_vector::episode_seed(*base, 0, 0).is_multiple_of(2);
    let odd_next = |base: &u64| situated_vector::episode_seed(*base, 0, 1) % 2 == 1;
    let seed = (0..).filter(even).find(odd_next).expect("there is one");
    let settings = Settings { seed, autoreset, max_steps: Some(2), tables: false, ..Settings::default() };
    with(settings, "moody", true)
}

#[test]
fn an_episode_that_cannot_begin_leaves_the_old_one_over() {
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
        let mut run = Run::new::<Herd>(moody(autoreset));
        (0..2).for_each(|_| run.step(&[0; 3]).expect("it runs"));
        assert!(run.vector.is_over(0) && run.written.truncated == [true; 3]);
        for _ in 0..2 {
            let error = refuse(&mut run, |run| run.step(&[0; 3]));
            assert!(error.ends_with("cannot begin: the seed is odd"), "{error}");
        }
        let error = refuse(&mut run, |run| run.vector.reset(None, None));
        assert!(error.ends_with("cannot begin: the seed is odd"), "{error}");
    }
}

#[test]
fn errors_name_the_env_or_agent_that_does_not_exist() {
    let mut run = Run::new::<FindGoals>(Settings { envs: 2, ..Settings::default() });
    let vector: &dyn Vector = &*run.vector;
    assert_eq!(vector.save(2), Err(Error::NoEnv { env: 2, envs: 2 }));
    assert_eq!(vector.scene(0, Some(2)), Err(Error::NoAgent { agent: 2, agents: 2 }));
    assert_eq!((vector.state(2), vector.seed(2), vector.is_over(2)), (None, None, false));
    assert_eq!(refuse(&mut run, |run| run.vector.load(7, &[])), "there is no env 7: envs are 0 to 1");
}

#[test]
fn failures_of_the_last_step_are_kept_on_demand() {
    for failures in [false, true] {
        let settings = Settings { envs: 2, tables: false, failures, ..Settings::default() };
        let mut run = Run::new::<Herd>(settings);
        let reasons = |run: &Run<f32>, env| -> Vec<(usize, String)> {
            run.vector.failures(env).iter().map(|(agent, failure)| (*agent, failure.reason.clone())).collect()
        };
        // The last sheep of env 0 comes home, and then the second one does not.
        run.step(&[0, 2, 2, 0, 0, 0]).expect("a step");
        assert_eq!(reasons(&run, 0), []);
        run.step(&[0, 2, 0, 0, 0, 0]).expect("a step");
        let expected = if failures { vec![(1, "home is full".to_owned())] } else { vec![] };
        assert_eq!((reasons(&run, 0), reasons(&run, 1), reasons(&run, 2)), (expected, vec![], vec![]));
        run.step(&[0; 6]).expect("a step");
        assert_eq!(reasons(&run, 0), []);
    }
}
