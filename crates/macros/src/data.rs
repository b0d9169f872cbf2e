//! Plain data that is sent and stored: `#[data]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Meta, Token, punctuated::Punctuated};

/// Returns the item with its derives and its form in JSON. Arguments with a capital letter are further traits to
/// derive; the others are attributes of serde.
pub(crate) fn attribute(arguments: Punctuated<Meta, Token![,]>, item: TokenStream) -> TokenStream {
    let is_trait = |one: &Meta| {
        one.path().segments.last().is_some_and(|name| name.ident.to_string().starts_with(char::is_uppercase))
    };
    let (traits, rules): (Vec<Meta>, Vec<Meta>) = arguments.into_iter().partition(is_trait);
    quote! {
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize, #(#traits),*)]
        #[cfg_attr(feature = "schema", derive(::schemars::JsonSchema))]
        #[serde(rename_all = "camelCase", #(#rules),*)]
        #item
    }
}
