//! Running environments for tests of their rules.

use situated::agent::Agent;
use situated::environment::{Context, EntityId, Environment};
use situated::interface::{AgentId, Form, Interface, Since};
use situated::menu::{Menu, MenuRequest};
use situated::ontology::typed::TypedPercept;

/// A running environment with an agent for each entity, for tests of its rules. Its methods panic if the environment
/// rejects what the test wants.
///
/// ```
/// use situated_find_goals::{Action, FindGoals, Parameters, View};
/// use situated_checker::Game;
///
/// let mut game = Game::<FindGoals>::begin(Parameters { view: View::Local }, 1);
/// game.act(0, &Action::Wait);
/// game.steps(1);
/// assert!(game.percepts(0).contains(&"see(north,free)".to_owned()));
/// ```
pub struct Game<E: Environment> {
    /// The interface.
    pub interface: Interface<E>,
    /// The agent and the entity of each player, in the order in which the entities were added.
    pub players: Vec<(AgentId, EntityId)>,
}

impl<E: Environment> Game<E> {
    /// Begins an episode. Each entity has an agent of the same name.
    pub fn begin(parameters: E::Parameters, seed: u64) -> Self {
        let mut interface = Interface::<E>::new();
        interface.init(parameters, seed).expect("the parameters are valid");
        interface.start().expect("it is paused");
        let entities: Vec<EntityId> = interface.entities().collect();
        let join = |entity| {
            let agent = interface.register(&interface.entity_name(entity)).expect("the name is free");
            interface.associate(agent, entity).expect("the entity is free");
            (agent, entity)
        };
        let players = entities.into_iter().map(join).collect();
        Self { interface, players }
    }

    /// Returns the reason for which an episode cannot begin with these parameters.
    #[track_caller]
    pub fn refusal(parameters: E::Parameters) -> String {
        Interface::<E>::new().init(parameters, 1).expect_err("the parameters are wrong").to_string()
    }

    /// The environment.
    pub fn environment(&self) -> &E {
        self.interface.episode().expect("it has begun").environment()
    }

    /// The context of the environment.
    pub fn context(&self) -> &Context<E::Percept> {
        self.interface.episode().expect("it has begun").context()
    }

    /// Lets a player act.
    #[track_caller]
    pub fn act(&mut self, player: usize, action: &E::Action) {
        self.try_act(player, action).expect("the action is possible");
    }

    /// Lets a player act.
    ///
    /// # Errors
    /// Returns the reason for which the environment rejects the action.
    pub fn try_act(&mut self, player: usize, action: &E::Action) -> Result<(), String> {
        let (agent, entity) = self.players[player];
        self.interface.act(agent, entity, action).map(drop).map_err(|error| error.to_string())
    }

    /// Lets a program perceive what is new for a player, and act if it wants to.
    #[track_caller]
    pub fn decide(&mut self, player: usize, program: &mut (impl Agent<E::Action, E::Percept> + ?Sized)) {
        let (agent, entity) = self.players[player];
        let perception = self.interface.perceive(agent, entity, Form::Update, Since::LastCall).expect("it runs");
        if let Some(action) = program.decide(&perception) {
            self.act(player, &action);
        }
    }

    /// Makes a number of steps.
    pub fn steps(&mut self, count: u32) {
        (0..count).for_each(|_| self.interface.step().map(drop).expect("it runs"));
    }

    /// Returns everything that a player perceives now, as text.
    pub fn percepts(&mut self, player: usize) -> Vec<String> {
        let (agent, entity) = self.players[player];
        let perception = self.interface.perceive(agent, entity, Form::Snapshot, Since::LastCall).expect("it runs");
        perception.add.iter().map(|percept| percept.to_iil().to_string()).collect()
    }

    /// Returns the menu for a player who points at this place of the scene, or at none.
    pub fn menu(&self, player: usize, at: Option<(f64, f64)>) -> Menu<E::Action> {
        self.environment().menu(self.players[player].1, &MenuRequest::from(at), self.context())
    }
}
