//! Functions that the derived implementations call.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;

use super::{Declaration, InitParameters, Mismatch, ParameterType, TypedAction, TypedPercept};
use crate::iil::{Action, Function, Numeral, Parameter, Percept};
use crate::ontology::{Delivery, Field, NamedType, NamedTypes, NumberRange, PerceptSignature, Signature, Type, Word};

/// A map with this key contains names of types, which are neither declared nor compared.
const NAMES_ONLY: &str = "(names only)";

/// An action or a percept as a derive declares it.
pub struct Call {
    /// Its name.
    pub name: &'static str,
    /// The documentation.
    pub documentation: &'static str,
    /// The parameters.
    pub fields: &'static [CallField],
    /// The entity types that have it; an empty list means all.
    pub entity_types: &'static [&'static str],
    /// The sentence of a percept, if it has one.
    pub say: Option<&'static str>,
}

/// A parameter as a derive declares it.
pub struct CallField {
    /// Its name.
    pub name: &'static str,
    /// The documentation.
    pub documentation: &'static str,
    /// Declares the type.
    pub declare: fn(&mut NamedTypes) -> Type,
    /// Whether it is optional.
    pub optional: bool,
    /// Adds the range, if one is declared.
    pub range: Option<fn(Field) -> Field>,
}

impl Call {
    fn declaration<S>(&self, types: &mut NamedTypes, of: impl FnOnce(Signature) -> S) -> Declaration<S> {
        let signature = signature(self.name, self.documentation, self.fields, types);
        Declaration { signature: of(signature), entity_types: self.entity_types }
    }
}

impl CallField {
    /// The declaration of the parameter.
    pub fn field(&self, types: &mut NamedTypes) -> Field {
        let plain = Field::new(self.name, self.documentation, (self.declare)(types));
        let field = Field { optional: self.optional, ..plain };
        match self.range {
            Some(add) => add(field),
            None => field,
        }
    }
}

fn signature(name: &str, documentation: &str, fields: &[CallField], types: &mut NamedTypes) -> Signature {
    let parameters = fields.iter().map(|field| field.field(types)).collect();
    Signature { name: name.into(), documentation: documentation.into(), parameters }
}

/// The declarations of actions.
pub fn actions(calls: &[Call], types: &mut NamedTypes) -> Vec<Declaration<Signature>> {
    calls.iter().map(|call| call.declaration(types, |signature| signature)).collect()
}

/// The declarations of percepts.
pub fn percepts(calls: &[Call], deliveries: &[Delivery], types: &mut NamedTypes) -> Vec<Declaration<PerceptSignature>> {
    let declaration = |(call, delivery): (&Call, &Delivery)| {
        let say = call.say.map(str::to_owned);
        call.declaration(types, |signature| PerceptSignature { signature, delivery: *delivery, say })
    };
    calls.iter().zip(deliveries).map(declaration).collect()
}

/// The type of a function with this name and these parameters.
pub fn function_type(name: &str, fields: &[CallField], types: &mut NamedTypes) -> Type {
    Type::Function(Box::new(signature(name, "", fields, types)))
}

/// The type of identifiers with these names and documentations.
pub fn choice(words: &[(&str, &str)]) -> Type {
    let word =
        |(name, documentation): &(&str, &str)| Word { name: (*name).into(), documentation: (*documentation).into() };
    Type::Choice(words.iter().map(word).collect())
}

/// Declares a type under its name, with the declaration that `contents` returns. `rust_name` is its name in Rust.
///
/// # Panics
/// Panics if another type has that name.
pub fn declare(
    types: &mut NamedTypes,
    rust_name: &str,
    name: &str,
    documentation: &str,
    contents: fn(&mut NamedTypes) -> Type,
) -> Type {
    let named = |of| NamedType { documentation: documentation.into(), of };
    // A type may contain itself. While its contents are declared, its Rust name takes its place.
    let unfinished = named(Type::Named(rust_name.into()));
    match types.get(name) {
        _ if types.contains_key(NAMES_ONLY) => {}
        None => {
            types.insert(name.into(), unfinished);
            let of = contents(types);
            types.insert(name.into(), named(of));
        }
        Some(known) if *known == unfinished => {}
        Some(known) => {
            // The types in it are compared by name, because types that contain each other would be endless.
            let mut names_only = NamedTypes::from([(NAMES_ONLY.into(), unfinished)]);
            let this = named(contents(&mut names_only));
            assert!(
                *known == this,
                "two types have the name `{name}`: {} ({:?}) and {} ({:?}); \
                 give `{}` another name with `#[parameter(name = \"..\")]`",
                known.of,
                known.documentation,
                this.of,
                this.documentation,
                rust_name,
            );
        }
    }
    Type::Named(name.into())
}

/// Reads an action. `read` gets its name, and the number and list of its parameters, and returns the index of a
/// parameter of the wrong type if there is one.
pub fn action<A: TypedAction>(
    action: &Action,
    read: impl FnOnce(&str, usize, &[Parameter]) -> Result<A, Option<usize>>,
) -> Result<A, Mismatch> {
    let Action { name, parameters } = action;
    read(name, parameters.len(), parameters).map_err(|wrong| Mismatch::of_action::<A>(action, wrong))
}

/// Like [`action`], for a percept.
pub fn percept<P: TypedPercept>(
    percept: &Percept,
    read: impl FnOnce(&str, usize, &[Parameter]) -> Result<P, Option<usize>>,
) -> Result<P, Mismatch> {
    let Percept { name, parameters } = percept;
    read(name, parameters.len(), parameters).map_err(|wrong| Mismatch::of_percept::<P>(percept, wrong))
}

/// Like [`action`], for a parameter that is a function.
pub fn function<T: ParameterType>(
    parameter: &Parameter,
    read: impl FnOnce(&str, usize, &[Parameter]) -> Result<T, Option<usize>>,
) -> Option<T> {
    let Parameter::Function(function) = parameter else { return None };
    let Function { name, parameters } = &**function;
    read(name, parameters.len(), parameters).ok()
}

/// Returns the parameter as an identifier, if it is one.
pub fn identifier(parameter: &Parameter) -> Option<&str> {
    match parameter {
        Parameter::Identifier(name) => Some(name),
        _ => None,
    }
}

/// Reads the parameter at `index`, or returns that index if it has another type.
pub fn argument<T: ParameterType>(given: &[Parameter], index: usize) -> Result<T, usize> {
    given.get(index).and_then(T::from_parameter).ok_or(index)
}

/// Like [`argument`], for an optional parameter.
pub fn optional_argument<T: ParameterType>(given: &[Parameter], index: usize) -> Result<Option<T>, usize> {
    if index < given.len() { argument(given, index).map(Some) } else { Ok(None) }
}

/// Like [`argument`], for a parameter with a range.
pub fn argument_within<T: ParameterType + PartialOrd>(
    given: &[Parameter],
    index: usize,
    range: &RangeInclusive<T>,
) -> Result<T, usize> {
    argument(given, index).and_then(|value| if range.contains(&value) { Ok(value) } else { Err(index) })
}

/// Like [`argument_within`], for an optional parameter.
pub fn optional_argument_within<T: ParameterType + PartialOrd>(
    given: &[Parameter],
    index: usize,
    range: &RangeInclusive<T>,
) -> Result<Option<T>, usize> {
    if index < given.len() { argument_within(given, index, range).map(Some) } else { Ok(None) }
}

/// Returns a field with a range.
pub fn ranged<T: ParameterType>(field: Field, range: &RangeInclusive<T>) -> Field {
    match (range.start().to_parameter(), range.end().to_parameter()) {
        (Parameter::Numeral(Numeral::Integer(minimum)), Parameter::Numeral(Numeral::Integer(maximum))) => {
            Field { of: Type::integer(minimum, maximum), ..field }
        }
        // IIL has no larger integers.
        (Parameter::Numeral(Numeral::Integer(minimum)), Parameter::Identifier(_)) => {
            Field { of: Type::integer(minimum, i64::MAX), ..field }
        }
        (Parameter::Numeral(minimum), Parameter::Numeral(maximum)) => {
            let range = NumberRange { minimum: minimum.as_f64(), maximum: maximum.as_f64() };
            Field { range: Some(range), ..field }
        }
        _ => field,
    }
}

/// Returns the init parameters that have values, with their names.
pub fn named_parameters<const COUNT: usize>(all: [(&str, Option<Parameter>); COUNT]) -> BTreeMap<String, Parameter> {
    all.into_iter().filter_map(|(name, parameter)| Some((name.to_owned(), parameter?))).collect()
}

/// Checks that an init parameter is in its range.
pub fn within<T: PartialOrd + Display>(name: &str, value: &T, range: &RangeInclusive<T>) -> Result<(), String> {
    if range.contains(value) {
        return Ok(());
    }
    Err(format!("`{name}` is {value}; it must be from {} to {}", range.start(), range.end()))
}

/// [`ParameterType::same`] for optional values.
pub fn same_option<T: ParameterType>(one: &Option<T>, other: &Option<T>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.same(other),
        (None, None) => true,
        _ => false,
    }
}

/// [`ParameterType::digest`] for optional values.
pub fn digest_option<T: ParameterType, H: Hasher>(value: &Option<T>, state: &mut H) {
    value.is_some().hash(state);
    if let Some(value) = value {
        value.digest(state);
    }
}

/// The given init parameters, and the declared ones.
pub struct Given<'a> {
    given: &'a BTreeMap<String, Parameter>,
    fields: Vec<Field>,
    types: NamedTypes,
}

impl<'a> Given<'a> {
    /// Checks that all given parameters are declared by `P`.
    pub fn new<P: InitParameters>(given: &'a BTreeMap<String, Parameter>) -> Result<Self, Mismatch> {
        let mut types = NamedTypes::new();
        let fields = P::fields(&mut types);
        let known = || fields.iter().map(|field| field.name.as_str());
        match given.keys().find(|name| known().all(|known| known != name.as_str())) {
            Some(name) => Err(Mismatch::unknown("parameter", name, known())),
            None => Ok(Given { given, fields, types }),
        }
    }

    /// Reads the parameter `name`, if it is given.
    pub fn optional<T: ParameterType>(&self, name: &str) -> Result<Option<T>, Mismatch> {
        let Some(parameter) = self.given.get(name) else { return Ok(None) };
        match T::from_parameter(parameter) {
            Some(value) => Ok(Some(value)),
            None => Err(Mismatch::of_field(self.declared(name), &self.types, parameter)),
        }
    }

    /// Reads the parameter `name`, which must be given.
    pub fn required<T: ParameterType>(&self, name: &str) -> Result<T, Mismatch> {
        self.optional(name)?.ok_or_else(|| Mismatch::missing(self.declared(name)))
    }

    fn declared(&self, name: &str) -> &Field {
        let of_name = self.fields.iter().find(|field| field.name == name);
        of_name.expect("the derive declares every parameter that it reads")
    }
}
