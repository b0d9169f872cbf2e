//! Random actions: those that the ontology allows, with perceived names and numbers, and those that it forbids.

use situated::agent::random_action;
use situated::iil::{Action, EcoString, Numeral, Parameter};
use situated::ontology::{Field, Ontology, Signature, Type};
use situated::random::Random;

use super::subject::Perceived;

/// Probability of using a perceived value instead of a random one.
const TAKEN: f64 = 0.7;

/// Probability of using an unknown identifier.
const UNKNOWN: f64 = 0.05;

/// Number of attempts to create a forbidden action of another kind.
const TRIES: usize = 8;

/// A word that no environment uses.
const NONSENSE: &str = "noSuchThing";

/// The values that an agent has perceived.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: Vec<EcoString>,
    numbers: Vec<Numeral>,
}

impl Vocabulary {
    /// The values in the percepts of an entity, and these names.
    pub(super) fn of(perceived: &Perceived, names: impl IntoIterator<Item = EcoString>) -> Self {
        let mut vocabulary = Self { words: names.into_iter().collect(), numbers: Vec::new() };
        let percepts = perceived.holds().chain(&perceived.events);
        percepts.flat_map(|percept| &percept.parameters).for_each(|parameter| vocabulary.learn(parameter));
        vocabulary
    }

    fn learn(&mut self, parameter: &Parameter) {
        match parameter {
            Parameter::Identifier(word) => self.words.push(word.clone()),
            Parameter::Numeral(number) => self.numbers.push(*number),
            Parameter::TruthValue(_) => {}
            Parameter::List(parts) => parts.iter().for_each(|part| self.learn(part)),
            Parameter::Function(function) => function.parameters.iter().for_each(|part| self.learn(part)),
        }
    }

    /// Returns a plausible value of this type; `None` if a random one suffices.
    fn value(&self, of: &Type, random: &mut Random) -> Option<Parameter> {
        let number = |random: &mut Random| random.choose(&self.numbers).copied().filter(|_| random.chance(TAKEN));
        match of {
            Type::Identifier | Type::Any if random.chance(UNKNOWN) => Some(NONSENSE.into()),
            Type::Identifier | Type::Any => random.choose(&self.words).map(|word| Parameter::Identifier(word.clone())),
            Type::Integer { minimum, maximum } => match number(random) {
                Some(Numeral::Integer(value)) if (minimum..=maximum).contains(&&value) => Some(value.into()),
                _ => None,
            },
            Type::Number => number(random).map(Parameter::Numeral),
            _ => None,
        }
    }
}

/// Returns an action that the ontology allows for an entity of this type; `None` if none can be created.
pub(super) fn allowed(
    ontology: &Ontology,
    entity_type: &str,
    vocabulary: &Vocabulary,
    random: &mut Random,
) -> Option<Action> {
    let of = ontology.find_entity_type(entity_type)?;
    let signature = random.choose(&of.actions)?;
    random_action(signature, ontology, random, &mut |of, random| vocabulary.value(of, random))
}

/// Returns an action that the ontology forbids for an entity of this type; `None` if none was found.
pub(super) fn forbidden(
    ontology: &Ontology,
    entity_type: &str,
    vocabulary: &Vocabulary,
    random: &mut Random,
) -> Option<Action> {
    if ontology.open {
        return None;
    }
    (0..TRIES).find_map(|_| {
        let other_types: Vec<&Signature> = ontology.entity_types.iter().flat_map(|of| &of.actions).collect();
        let signature = *random.choose(&other_types)?;
        let mut action = random_action(signature, ontology, random, &mut |of, random| vocabulary.value(of, random))?;
        match random.index(5) {
            0 => action.name = NONSENSE.into(),
            1 => action.parameters.push(NONSENSE.into()),
            2 => drop(action.parameters.pop()),
            // Unchanged: an action of another type of entity.
            3 => {}
            _ => {
                let at = random.index(action.parameters.len());
                let field = signature.parameters.get(at)?;
                *action.parameters.get_mut(at)? = misfit(field, ontology, random)?;
            }
        }
        (!is_declared(ontology, entity_type, &action)).then_some(action)
    })
}

/// Whether the ontology declares this action for entities of this type.
pub fn is_declared(ontology: &Ontology, entity_type: &str, action: &Action) -> bool {
    let of = ontology.find_entity_type(entity_type);
    of.is_some_and(|of| of.actions.iter().any(|signature| fits(ontology, signature, action)))
}

/// Whether this is an action with that signature.
fn fits(ontology: &Ontology, signature: &Signature, action: &Action) -> bool {
    let pairs = || signature.parameters.iter().zip(&action.parameters);
    signature.name == action.name
        && signature.takes(action.parameters.len())
        && pairs().all(|(field, parameter)| ontology.fits(&field.of, parameter))
}

/// Returns a value that is not allowed in this field; `None` if every value is.
fn misfit(field: &Field, ontology: &Ontology, random: &mut Random) -> Option<Parameter> {
    let mut candidates: Vec<Parameter> = vec![NONSENSE.into(), 0.5.into(), true.into(), Parameter::from(Vec::new())];
    if let Type::Integer { minimum, maximum } = ontology.resolve(&field.of) {
        candidates.extend(maximum.checked_add(1).map(Parameter::from));
        candidates.extend(minimum.checked_sub(1).map(Parameter::from));
    }
    candidates.retain(|parameter| !ontology.fits(&field.of, parameter));
    random.choose(&candidates).cloned()
}
