//! The derives of `situated`. They generate an ontology, and the conversions from and to the interface intermediate
//! language, from ordinary Rust enums and structs: names come from their identifiers in lowerCamelCase (`GoTo` is
//! `goTo`), documentation from their doc comments.

mod attributes;
mod calls;
mod data;
mod fields;
mod init_parameters;
mod parameter_type;

use proc_macro::TokenStream;
use syn::punctuated::Punctuated;
use syn::{DeriveInput, parse_macro_input};

use attributes::Attributes;

/// Makes a type plain data: it can be cloned, printed, compared, written and read, and with the feature `schema` of its
/// crate, it has a JSON Schema. Names are in camel case.
///
/// `#[data(Copy, Eq, deny_unknown_fields)]` derives further traits and adds attributes of serde. The crates of this
/// project use it for what they send and store.
#[proc_macro_attribute]
pub fn data(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(arguments with Punctuated::parse_terminated);
    data::attribute(arguments, item.into()).into()
}

/// Derives `TypedAction` for an enum with a variant for each action.
///
/// A variant's fields are the parameters; each is a `ParameterType`, and the last may be an `Option` of one.
/// Two variants may have the same name if they differ in the number of parameters.
///
/// Attributes of a variant:
/// - `#[action(name = "goTo")]`: the name, if it differs from that of the variant.
/// - `#[action(entities("robot", "truck"))]`: only entities of these types can do it.
///
/// Attributes of a field:
/// - `#[parameter(name = "place")]`: the name of the parameter, if it differs from that of the field. A field without
///   a name is named after its type: `PlaceId` becomes `placeId`. A field of a general type such as `u8`, `String` or
///   `Vec<..>` needs this attribute.
/// - `#[parameter(range = 1..=60)]`: the range of a number. It is a part of the declaration, and other values do not
///   match.
///
/// A generic enum states its bounds: `enum Move<P: ParameterType>`.
#[proc_macro_derive(Action, attributes(action, parameter))]
pub fn derive_action(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    calls::derive_action(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Derives `TypedPercept`, `PartialEq`, `Eq` and `Hash` for an enum with a variant for each percept.
///
/// Fields are as with `Action`. Each variant states its delivery: `#[percept(once)]`, `#[percept(on_change)]`,
/// `#[percept(on_change_with_negation)]`, `#[percept(always)]` or `#[percept(event)]`, optionally with `name = ".."`
/// and `entities(..)`. A delivery on the enum is that of all variants that state none.
///
/// `say = "You are in {room}."` is a sentence for language models, which read it instead of `in(RoomC1)`. The names in
/// braces are parameters that are not optional.
#[proc_macro_derive(Percept, attributes(percept, parameter))]
pub fn derive_percept(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    calls::derive_percept(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Derives `ParameterType`, a named type of the ontology.
///
/// An enum without fields is a choice of identifiers (`#[parameter(name = "..")]` on a variant renames it), a
/// struct with one unnamed field is that type under a name of its own, and a struct with named fields is a
/// function (`#[parameter(name = "..")]` on a field renames the parameter).
///
/// `#[parameter(all)]` on an enum adds the constant `ALL`, an array of all values in the order of their declarations.
///
/// Its name in the ontology is that of the Rust type, or the one in `#[parameter(name = "..")]` on the enum or
/// struct. A function has that name in lowerCamelCase: `struct Pos { x: i64, y: i64 }` is the type `Pos`, and its
/// values are `pos(1,2)`.
///
/// One ontology cannot have two types with the same name that differ in documentation or contents: making it panics.
/// So a generic type can occur in an ontology with one choice of its arguments only.
#[proc_macro_derive(ParameterType, attributes(parameter))]
pub fn derive_parameter_type(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    parameter_type::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Derives `InitParameters` for a struct with a field for each parameter of an episode.
///
/// A field with `#[parameter(default = EXPRESSION)]` is optional, and so is an `Option`. A default that is a string
/// literal is converted with `Into`. `#[parameter(name = "..")]` renames the parameter.
/// `#[parameter(names = EXPRESSION)]` lists values that the environment knows by name, such as its maps.
///
/// `#[parameter(range = 1..=20)]` rejects other values when an episode begins:
/// "`robots` is 21; it must be from 1 to 20". An `Option` without a value has no range. The range is a part of the
/// declaration, so descriptions and forms contain it.
#[proc_macro_derive(InitParameters, attributes(parameter))]
pub fn derive_init_parameters(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    init_parameters::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
