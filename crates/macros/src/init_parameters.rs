//! The parameters of an episode: a struct with a field for each.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Expr, ExprLit, Fields, Lit, Result};

use crate::attributes;
use crate::fields::{self, Field};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    attributes::refuse(&input.attrs, "parameter", "its fields")?;
    let Data::Struct(of) = &input.data else {
        return Err(Error::new(input.ident.span(), "expected a struct with a field for each parameter"));
    };
    if let Fields::Unnamed(_) = of.fields {
        return Err(Error::new(input.ident.span(), "init parameters have names"));
    }
    let fields = fields::read(&of.fields, &["name", "default", "names", "range"])?;
    refuse_optional_defaults(&fields)?;
    let (ident, (impl_generics, of_generics, where_clause)) = (&input.ident, input.generics.split_for_impl());
    let declarations = fields.iter().map(declaration);
    let values = fields.iter().map(from_iil);
    let checks = fields.iter().filter_map(check);
    let pairs = fields.iter().map(|field| {
        let (member, name) = (&field.member, &field.name);
        let parameter = field.to_parameter(&quote!(&self.#member));
        quote!((#name, #parameter))
    });
    // No default expression can refer to these names of variables.
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::situated::ontology::typed::InitParameters for #ident #of_generics #where_clause {
            fn fields(
                __types: &mut ::situated::ontology::NamedTypes,
            ) -> ::std::vec::Vec<::situated::ontology::Field> {
                ::std::vec![#(#declarations),*]
            }

            fn from_iil(
                __given: &::std::collections::BTreeMap<::std::string::String, ::situated::iil::Parameter>,
            ) -> ::core::result::Result<Self, ::situated::ontology::typed::Mismatch> {
                let __given = ::situated::ontology::typed::derived::Given::new::<Self>(__given)?;
                ::core::result::Result::Ok(Self { #(#values),* })
            }

            fn to_iil(
                &self,
            ) -> ::std::collections::BTreeMap<::std::string::String, ::situated::iil::Parameter> {
                ::situated::ontology::typed::derived::named_parameters([#(#pairs),*])
            }

            fn check(&self) -> ::core::result::Result<(), ::std::string::String> {
                #(#checks)*
                ::core::result::Result::Ok(())
            }
        }
    })
}

/// A missing `Option` is `None`; a default would never be used, or would make `None` impossible.
fn refuse_optional_defaults(fields: &[Field]) -> Result<()> {
    match fields.iter().find(|field| field.optional && field.attributes.default.is_some()) {
        Some(field) => {
            let message = "a missing `Option` is `None`; a parameter with a default must not be an `Option`";
            Err(Error::new_spanned(&field.attributes.default, message))
        }
        None => Ok(()),
    }
}

fn declaration(field: &Field) -> TokenStream {
    let plain = field.declaration();
    let plain = quote!(#plain.field(__types));
    let of = &field.of;
    let default = default(field).map(|default| {
        quote! {
            optional: true,
            default: ::core::option::Option::Some({
                let __default: #of = #default;
                ::situated::ontology::typed::ParameterType::to_parameter(&__default)
            }),
        }
    });
    let names = field.attributes.names.as_ref().map(|names| {
        quote! {
            names: ::core::iter::IntoIterator::into_iter(#names).map(::std::string::String::from).collect(),
        }
    });
    if default.is_none() && names.is_none() {
        return plain;
    }
    quote!(::situated::ontology::Field { #default #names ..#plain })
}

/// Returns code that reads one parameter from `__given`.
fn from_iil(field: &Field) -> TokenStream {
    let Field { member, name, of, optional, .. } = field;
    let given = quote!(::situated::ontology::typed::derived::Given);
    if *optional {
        return quote!(#member: #given::optional::<#of>(&__given, #name)?);
    }
    match default(field) {
        Some(default) => quote! {
            #member: match #given::optional::<#of>(&__given, #name)? {
                ::core::option::Option::Some(__value) => __value,
                ::core::option::Option::None => #default,
            }
        },
        None => quote!(#member: #given::required::<#of>(&__given, #name)?),
    }
}

/// Returns code that compares one parameter of `self` with its range, if it has one.
fn check(field: &Field) -> Option<TokenStream> {
    let Field { member, name, optional, .. } = field;
    let range = field.attributes.range.as_ref()?;
    let within = |value: TokenStream| quote!(::situated::ontology::typed::derived::within(#name, #value, &(#range))?;);
    Some(if *optional {
        let check = within(quote!(__value));
        quote!(if let ::core::option::Option::Some(__value) = &self.#member { #check })
    } else {
        within(quote!(&self.#member))
    })
}

/// Returns the default as it was written; a string literal is converted.
fn default(field: &Field) -> Option<TokenStream> {
    let (default, of) = (field.attributes.default.as_ref()?, &field.of);
    Some(match default {
        Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => quote!(::core::convert::Into::<#of>::into(#default)),
        _ => quote!(#default),
    })
}
