//! The derives of `situated`. They make an ontology, and the conversions from and to the interface intermediate
//! language, from ordinary Rust enums and structs: names come from their identifiers in lowerCamelCase
//! (`GoTo` is `goTo`), documentation from their doc comments.

mod attributes;
mod calls;
mod fields;
mod init_parameters;
mod parameter_type;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use attributes::Attributes;

/// Derives `TypedAction` for an enum with a variant for each action.
///
/// A variant's fields are the parameters; each is a `ParameterType`, and the last may be an `Option` of one.
/// Two variants may have the same name if they differ in the number of parameters.
///
/// Of a variant:
/// - `#[action(name = "goTo")]`: the name, where it is not that of the variant.
/// - `#[action(entities("robot", "truck"))]`: only entities of these types can do it.
///
/// Of a field:
/// - `#[parameter(name = "place")]`: the name of the parameter, where it is not that of the field. A field without a
///   name is called after its type, `PlaceId` is `placeId`; if that is no type of one's own, but a `u8`, `String` or
///   `Vec<..>`, it needs this attribute.
///
/// A generic enum needs its bounds written: `enum Move<P: ParameterType>`.
#[proc_macro_derive(Action, attributes(action, parameter))]
pub fn derive_action(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    calls::derive_action(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Derives `TypedPercept`, `PartialEq`, `Eq` and `Hash` for an enum with a variant for each percept.
///
/// Fields are as with `Action`. Each variant says how it is told: `#[percept(once)]`, `#[percept(on_change)]`,
/// `#[percept(on_change_with_negation)]`, `#[percept(always)]` or `#[percept(event)]`; `name = ".."` and
/// `entities(..)` may stand beside it.
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
/// The ontology calls it as Rust does, or as `#[parameter(name = "..")]` on the enum or struct says; a function has
/// that name in lowerCamelCase: `struct Pos { x: i64, y: i64 }` is the type `Pos`, and its values are `pos(1,2)`.
///
/// One ontology cannot have two types of the same name that differ in documentation or contents: making it panics. So
/// a generic type, which needs its bounds written, can occur in an ontology with one choice of its arguments only.
#[proc_macro_derive(ParameterType, attributes(parameter))]
pub fn derive_parameter_type(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    parameter_type::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Derives `InitParameters` for a struct with a field for each parameter of an episode.
///
/// A field with `#[parameter(default = EXPRESSION)]` may be left out, and so may an `Option`. A default that is a
/// string literal is converted with `Into`. `#[parameter(name = "..")]` renames the parameter.
#[proc_macro_derive(InitParameters, attributes(parameter))]
pub fn derive_init_parameters(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    init_parameters::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
