//! The traits that tie an ontology to Rust types. They are derived: `#[derive(Action)]`, `#[derive(Percept)]`,
//! `#[derive(ParameterType)]`, `#[derive(InitParameters)]`; see [`situated_macros`] for their attributes.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};

use super::{Delivery, Field, NamedTypes, ParameterList, PerceptSignature, Signature, Type};
use crate::iil::text::excerpt;
use crate::iil::{Action, Parameter, Percept};

/// The actions of an environment: an enum with a variant for each.
pub trait TypedAction: Clone + Debug + Send + 'static {
    /// What the variants declare, in their order; the types that they name are added to `types`.
    fn declarations(types: &mut NamedTypes) -> Vec<Declaration<Signature>>;

    /// The position of this variant among the declarations.
    fn variant(&self) -> usize;

    /// The action in the interface intermediate language.
    fn to_iil(&self) -> Action;

    /// The action that is meant, or why there is none.
    fn from_iil(action: &Action) -> Result<Self, Mismatch>;
}

/// The percepts of an environment: an enum with a variant for each. Equality and hash are derived with it, and
/// compare floats bit by bit, so that a percept with a NaN is equal to itself.
pub trait TypedPercept: Clone + Debug + Eq + Hash + Send + 'static {
    /// How the variants are told, in their order.
    const DELIVERIES: &'static [Delivery];

    /// What the variants declare, in their order; the types that they name are added to `types`.
    fn declarations(types: &mut NamedTypes) -> Vec<Declaration<PerceptSignature>>;

    /// The position of this variant among the declarations.
    fn variant(&self) -> usize;

    /// How this percept is told.
    fn delivery(&self) -> Delivery {
        Self::DELIVERIES[self.variant()]
    }

    /// The percept in the interface intermediate language.
    fn to_iil(&self) -> Percept;

    /// The percept that is meant, or why there is none.
    fn from_iil(percept: &Percept) -> Result<Self, Mismatch>;
}

/// What may be a parameter of an action, a percept or a function.
///
/// Written by hand, it needs three methods: the other two convert to a parameter, where the derived ones look at the
/// value itself.
///
/// IIL has no whole numbers beyond `i64::MAX`. Such a `u64` or `usize` is the identifier of its digits.
pub trait ParameterType: Clone + Debug + Send + 'static {
    /// The type that it declares; a named one is added to `types`.
    fn declare(types: &mut NamedTypes) -> Type;

    /// The value as a parameter.
    fn to_parameter(&self) -> Parameter;

    /// The value of a parameter, if it is one of this type.
    fn from_parameter(parameter: &Parameter) -> Option<Self>;

    /// Whether both are the same to the bit.
    fn same(&self, other: &Self) -> bool {
        self.to_parameter() == other.to_parameter()
    }

    /// Feeds the value to a hash, equally for what is the [same](Self::same).
    fn digest<H: Hasher>(&self, state: &mut H) {
        self.to_parameter().hash(state);
    }
}

/// The parameters of an episode: a struct with a field for each.
pub trait InitParameters: Clone + Debug + Send + 'static {
    /// The parameters; the types that they name are added to `types`.
    fn fields(types: &mut NamedTypes) -> Vec<Field>;

    /// Reads them; those that are left out have their defaults.
    ///
    /// # Errors
    /// For a parameter that is unknown, missing, or of another type.
    fn from_iil(given: &BTreeMap<String, Parameter>) -> Result<Self, Mismatch>;

    /// All of them with their values, those without a value left out.
    fn to_iil(&self) -> BTreeMap<String, Parameter>;
}

/// What a variant declares, and for which types of entities.
#[derive(Clone, Debug)]
pub struct Declaration<S> {
    /// Name, meaning and parameters.
    pub signature: S,
    /// The types of entities whose it is; none named means all.
    pub entity_types: &'static [&'static str],
}

/// Why something could not be understood: what was expected, and what came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Nothing has this name.
    #[error("there is no {kind} `{name}`{}", did_you_mean(nearest))]
    Unknown {
        /// `action`, `percept`, `parameter`.
        kind: &'static str,
        /// The name that came.
        name: String,
        /// The known name that is nearest to it, if one is near.
        nearest: Option<String>,
    },
    /// The name is known, the parameters do not fit.
    #[error("{name} expects {expected}, got {got}{detail}")]
    Parameters {
        /// The name.
        name: String,
        /// All the parameter lists that it can have.
        expected: String,
        /// What came.
        got: String,
        /// Which parameter is wrong, and how, where that can be said.
        detail: String,
    },
    /// A required init parameter is missing.
    #[error("the parameter `{name}` ({of}) is required: {documentation}")]
    Missing {
        /// Its name.
        name: String,
        /// Its type.
        of: String,
        /// What it means.
        documentation: String,
    },
}

impl<S> Declaration<S> {
    /// Whether it is of entities of this type.
    pub fn is_of(&self, entity_type: &str) -> bool {
        self.entity_types.is_empty() || self.entity_types.contains(&entity_type)
    }
}

impl Mismatch {
    /// Why `action` is none of the actions of `A`; `wrong` is the position of a parameter of the wrong type.
    pub fn of_action<A: TypedAction>(action: &Action, wrong: Option<usize>) -> Self {
        let mut types = NamedTypes::new();
        let declared = A::declarations(&mut types).into_iter().map(|declaration| declaration.signature);
        let (kind, given, text) = ("action", &action.parameters, excerpt(action));
        Call { kind, name: &action.name, given, text, wrong }.mismatch(&declared.collect::<Vec<_>>(), &types)
    }

    /// Why `percept` is none of the percepts of `P`; `wrong` is the position of a parameter of the wrong type.
    pub fn of_percept<P: TypedPercept>(percept: &Percept, wrong: Option<usize>) -> Self {
        let mut types = NamedTypes::new();
        let declared = P::declarations(&mut types).into_iter().map(|declaration| declaration.signature.signature);
        let (kind, given, text) = ("percept", &percept.parameters, excerpt(percept));
        Call { kind, name: &percept.name, given, text, wrong }.mismatch(&declared.collect::<Vec<_>>(), &types)
    }

    /// A name that is none of those known.
    pub fn unknown<'a>(kind: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let nearest = nearest(name, known).map(str::to_owned);
        Mismatch::Unknown { kind, name: excerpt(&name), nearest }
    }

    /// A value that does not fit the init parameter.
    pub fn of_field(field: &Field, types: &NamedTypes, got: &Parameter) -> Self {
        Mismatch::Parameters {
            name: format!("the parameter `{}`", field.name),
            expected: explained(&field.of, types),
            got: excerpt(got),
            detail: String::new(),
        }
    }

    /// An init parameter that was not given and has no default.
    pub fn missing(field: &Field) -> Self {
        Mismatch::Missing {
            name: field.name.clone(),
            of: field.of.to_string(),
            documentation: field.documentation.clone(),
        }
    }
}

/// An action or percept that could not be understood.
struct Call<'a> {
    kind: &'static str,
    name: &'a str,
    given: &'a [Parameter],
    text: String,
    wrong: Option<usize>,
}

impl Call<'_> {
    fn mismatch(self, declared: &[Signature], types: &NamedTypes) -> Mismatch {
        let candidates: Vec<&Signature> = declared.iter().filter(|one| one.name == self.name).collect();
        if candidates.is_empty() {
            return Mismatch::unknown(self.kind, self.name, declared.iter().map(|one| one.name.as_str()));
        }
        let lists: Vec<String> = candidates.iter().map(|one| ParameterList(&one.parameters).to_string()).collect();
        let fitting = candidates.iter().find(|one| one.takes(self.given.len()));
        let detail = match (fitting, self.wrong) {
            (Some(signature), Some(at)) => {
                let (field, got) = (&signature.parameters[at], &self.given[at]);
                format!("; expected {} for {}, got {}", explained(&field.of, types), field.name, excerpt(got))
            }
            _ => String::new(),
        };
        Mismatch::Parameters { name: self.name.into(), expected: lists.join(" or "), got: self.text, detail }
    }
}

/// A type, and what its name stands for: `Color (red|darkBlue)`.
fn explained(of: &Type, types: &NamedTypes) -> String {
    match of {
        Type::Named(name) => match types.get(name) {
            Some(named) => format!("{name} ({})", named.of),
            None => name.clone(),
        },
        other => other.to_string(),
    }
}

/// How many names are compared with a wrong one at the most, so that an error costs little.
const COMPARED: usize = 256;

/// How many bytes a name may have to be compared.
const COMPARABLE: usize = 64;

/// The name that is most like `name`, if any is like enough for a typing error. Of many names only the first 256 are
/// looked at, and for names of more than 64 bytes none.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let short = |name: &str| name.len() <= COMPARABLE;
    let wanted = Some(name).filter(|name| short(name))?.to_lowercase();
    let candidates = known.into_iter().take(COMPARED).filter(|candidate| short(candidate));
    let score = |candidate: &str| strsim::jaro_winkler(&wanted, &candidate.to_lowercase());
    let scored = candidates.map(|candidate| (score(candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.8).then_some(best.1)
}

/// `; did you mean ..?`, if something is near.
pub(crate) fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// What the derived implementations call.
#[doc(hidden)]
pub mod derived {
    use std::any::type_name;

    use super::super::NamedType;
    use super::*;
    use crate::iil;

    /// In a map with this key types are named, but neither declared nor compared.
    const NAMES_ONLY: &str = "(names only)";

    /// Declares the type `T` under its name, with what `contents` says of it.
    ///
    /// # Panics
    /// When another type has that name.
    pub fn declare<T>(
        types: &mut NamedTypes,
        name: &str,
        documentation: &str,
        contents: impl FnOnce(&mut NamedTypes) -> Type,
    ) -> Type {
        let named = |of| NamedType { documentation: documentation.into(), of };
        // A type may contain itself: while its contents are declared, it stands there as that which Rust calls it.
        let unfinished = named(Type::Named(type_name::<T>().into()));
        match types.get(name) {
            _ if types.contains_key(NAMES_ONLY) => {}
            None => {
                types.insert(name.into(), unfinished);
                let of = contents(types);
                types.insert(name.into(), named(of));
            }
            Some(known) if *known == unfinished => {}
            Some(known) => {
                // The types in it are compared by name: types that contain each other would have no end.
                let mut names_only = NamedTypes::from([(NAMES_ONLY.into(), unfinished)]);
                let this = named(contents(&mut names_only));
                assert!(
                    *known == this,
                    "two types are called `{name}`: {} ({:?}) and {} ({:?}); \
                     give `{}` another name with `#[parameter(name = \"..\")]`",
                    known.of,
                    known.documentation,
                    this.of,
                    this.documentation,
                    type_name::<T>(),
                );
            }
        }
        Type::Named(name.into())
    }

    /// The action that is meant by `action`, as `read` makes it of its name, and of the number and list of its
    /// parameters, or else says which of them is of another type, if it is that.
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
        let Parameter::Function(iil::Function { name, parameters }) = parameter else { return None };
        read(name, parameters.len(), parameters).ok()
    }

    /// The parameter, if it is an identifier.
    pub fn identifier(parameter: &Parameter) -> Option<&str> {
        match parameter {
            Parameter::Identifier(name) => Some(name),
            _ => None,
        }
    }

    /// The parameter at `index`, or that index if it is of another type.
    pub fn argument<T: ParameterType>(given: &[Parameter], index: usize) -> Result<T, usize> {
        given.get(index).and_then(T::from_parameter).ok_or(index)
    }

    /// Like [`argument`], for one that may be left out.
    pub fn optional_argument<T: ParameterType>(given: &[Parameter], index: usize) -> Result<Option<T>, usize> {
        if index < given.len() { argument(given, index).map(Some) } else { Ok(None) }
    }

    /// The init parameters that are there, with their names.
    pub fn named_parameters<const COUNT: usize>(
        all: [(&str, Option<Parameter>); COUNT],
    ) -> BTreeMap<String, Parameter> {
        all.into_iter().filter_map(|(name, parameter)| Some((name.to_owned(), parameter?))).collect()
    }

    /// [`ParameterType::same`] for values that may be left out.
    pub fn same_option<T: ParameterType>(one: &Option<T>, other: &Option<T>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => one.same(other),
            (None, None) => true,
            _ => false,
        }
    }

    /// [`ParameterType::digest`] for values that may be left out.
    pub fn digest_option<T: ParameterType, H: Hasher>(value: &Option<T>, state: &mut H) {
        value.is_some().hash(state);
        if let Some(value) = value {
            value.digest(state);
        }
    }

    /// The init parameters that are given, and those that are declared.
    pub struct Given<'a> {
        given: &'a BTreeMap<String, Parameter>,
        fields: Vec<Field>,
        types: NamedTypes,
    }

    impl<'a> Given<'a> {
        /// Those of `P`; others are refused.
        pub fn new<P: InitParameters>(given: &'a BTreeMap<String, Parameter>) -> Result<Self, Mismatch> {
            let mut types = NamedTypes::new();
            let fields = P::fields(&mut types);
            let known = || fields.iter().map(|field| field.name.as_str());
            match given.keys().find(|name| known().all(|known| known != name.as_str())) {
                Some(name) => Err(Mismatch::unknown("parameter", name, known())),
                None => Ok(Given { given, fields, types }),
            }
        }

        /// The one called `name`, if it is given.
        pub fn optional<T: ParameterType>(&self, name: &str) -> Result<Option<T>, Mismatch> {
            let Some(parameter) = self.given.get(name) else { return Ok(None) };
            match T::from_parameter(parameter) {
                Some(value) => Ok(Some(value)),
                None => Err(Mismatch::of_field(self.declared(name), &self.types, parameter)),
            }
        }

        /// The one called `name`, which must be given.
        pub fn required<T: ParameterType>(&self, name: &str) -> Result<T, Mismatch> {
            self.optional(name)?.ok_or_else(|| Mismatch::missing(self.declared(name)))
        }

        fn declared(&self, name: &str) -> &Field {
            let of_name = self.fields.iter().find(|field| field.name == name);
            of_name.expect("the derive declares every parameter that it reads")
        }
    }
}
