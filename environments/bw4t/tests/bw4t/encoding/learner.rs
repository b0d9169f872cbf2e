//! An episode that is controlled by the numbers of choices, as learners do.

use situated::encoding::{Buffers, Encode, Encoding};
use situated::environment::{EntityId, Episode};
use situated::random::Random;
use situated_bw4t::encoding::{Layout, Reward, Steps};
use situated_bw4t::robot::{Robot, State};
use situated_bw4t::team::BOT;
use situated_bw4t::world::World;
use situated_bw4t::{Bw4t, Parameters};

use crate::played::defaults;

/// The maps of the tests, with more than one robot where there is space.
pub(crate) const MAPS: [(&str, u32); 5] =
    [("Rainbow", 3), ("Banana", 1), ("Dutch Flag", 2), ("Random", 3), ("SuperRandom", 7)];

pub(crate) struct Learner {
    pub(crate) episode: Episode<Bw4t>,
    pub(crate) encoding: Encoding,
    pub(crate) entities: Vec<EntityId>,
    pub(crate) seen: Seen,
}

/// The last encoding, with a row for each robot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) observations: Vec<f32>,
    pub(crate) masks: Vec<bool>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) terminated: Vec<bool>,
    pub(crate) truncated: Vec<bool>,
}

pub(crate) fn parameters(map: &str, robots: u32, steps: Steps) -> Parameters {
    Parameters { map: Some(map.into()), robots, steps, ..defaults() }
}

pub(crate) fn shaped(discount: f64) -> Parameters {
    Parameters { reward: Reward::Shaped, discount, ..parameters("Rainbow", 3, Steps::Decision) }
}

impl Learner {
    pub(crate) fn begin(parameters: &Parameters, seed: u64) -> Self {
        Self::of(parameters, Episode::init(parameters, seed).expect("a sound world"))
    }

    /// Creates the same episode from its saved state.
    pub(crate) fn copy(&self, parameters: &Parameters) -> Self {
        Self::of(parameters, Episode::load(&self.episode.save()).expect("it has been saved"))
    }

    fn of(parameters: &Parameters, episode: Episode<Bw4t>) -> Self {
        let encoding = Bw4t::encoding(parameters, BOT).expect("robots have one");
        let entities: Vec<EntityId> = episode.context().entities().map(|(id, _)| id).collect();
        let (robots, flags) = (entities.len(), vec![false; entities.len()]);
        let seen = Seen {
            observations: vec![f32::NAN; robots * encoding.size()],
            masks: vec![false; robots * encoding.actions.len()],
            rewards: vec![f32::NAN; robots],
            terminated: flags.clone(),
            truncated: flags,
        };
        let mut learner = Self { episode, encoding, entities, seen };
        learner.look();
        learner
    }

    pub(crate) fn look(&mut self) {
        let Seen { observations, masks, rewards, terminated, truncated } = &mut self.seen;
        let buffers = Buffers { observations, masks, rewards, terminated, truncated };
        self.episode.environment().encode(&self.entities, buffers);
    }

    pub(crate) fn step(&mut self, choices: &[usize]) {
        self.act(choices);
        self.pass();
    }

    pub(crate) fn act(&mut self, choices: &[usize]) {
        for (entity, choice) in self.entities.iter().zip(choices) {
            if let Some(action) = self.episode.environment().decode(*entity, *choice) {
                self.episode.act(*entity, &action).expect("an action that can be done");
            }
        }
    }

    pub(crate) fn pass(&mut self) {
        self.episode.step();
        self.look();
    }

    /// Draws an available choice for each robot.
    pub(crate) fn any(&self, random: &mut Random) -> Vec<usize> {
        let open = |mask: &[bool]| (0..mask.len()).filter(|choice| mask[*choice]).collect::<Vec<_>>();
        let masks = self.seen.masks.chunks(self.encoding.actions.len());
        masks.map(|mask| *random.choose(&open(mask)).expect("one can always wait")).collect()
    }

    /// The number of a choice.
    pub(crate) fn number(&self, choice: &str) -> usize {
        self.encoding.actions.iter().position(|action| action == choice).expect("a choice")
    }

    /// Returns the observation of a robot.
    pub(crate) fn observation(&self, robot: usize) -> &[f32] {
        let size = self.encoding.size();
        &self.seen.observations[robot * size..][..size]
    }

    pub(crate) fn is_open(&self, robot: usize, choice: &str) -> bool {
        self.seen.masks[robot * self.encoding.actions.len() + self.number(choice)]
    }

    pub(crate) fn world(&self) -> &World {
        self.episode.environment().world()
    }

    pub(crate) fn robot(&self, robot: usize) -> &Robot {
        &self.world().robots()[robot]
    }

    /// Lets one robot follow a choice until it has stopped, while the others wait. Returns its reward.
    pub(crate) fn follow(&mut self, robot: usize, choice: &str) -> f64 {
        assert!(self.is_open(robot, choice), "{choice}");
        let mut choices = vec![self.number("wait"); self.entities.len()];
        choices[robot] = self.number(choice);
        let mut given = 0.0;
        loop {
            self.step(&choices);
            given += f64::from(self.seen.rewards[robot]);
            choices[robot] = self.number("wait");
            if self.robot(robot).state != State::Traveling {
                return given;
            }
        }
    }

    /// The same for a block of a colour, until the robot holds one more.
    pub(crate) fn fetch(&mut self, robot: usize, color: &str) -> f64 {
        let held = self.robot(robot).load.len();
        let mut given = 0.0;
        while self.robot(robot).load.len() == held {
            given += self.follow(robot, &format!("pickUp {color}"));
        }
        given
    }

    pub(crate) fn is_over(&self) -> bool {
        self.seen.terminated.iter().all(|over| *over)
    }

    pub(crate) fn layout(&self) -> Layout<'_> {
        Layout::of(self.world().ground(), self.world().robots().iter().any(|robot| robot.build.color_blind))
    }
}
