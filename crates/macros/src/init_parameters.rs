//! The parameters of an episode: a struct with a field for each.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

use crate::fields::{self, Field};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(of) = &input.data else {
        return Err(Error::new(input.ident.span(), "a struct is needed, with a field for each parameter"));
    };
    if let Fields::Unnamed(_) = of.fields {
        return Err(Error::new(input.ident.span(), "init parameters have names"));
    }
    let fields = fields::read(&of.fields)?;
    let (ident, names) = (&input.ident, fields.iter().map(|field| &field.name));
    let declarations = fields.iter().map(declaration);
    let values = fields.iter().map(from_iil);
    let pairs = fields.iter().map(to_iil);
    Ok(quote! {
        impl ::situated::ontology::typed::InitParameters for #ident {
            fn fields(types: &mut ::situated::ontology::NamedTypes) -> Vec<::situated::ontology::Field> {
                vec![#(#declarations),*]
            }

            fn from_iil(
                given: &::std::collections::BTreeMap<String, ::situated::iil::Parameter>,
            ) -> Result<Self, ::situated::ontology::typed::Mismatch> {
                let mut types = ::situated::ontology::NamedTypes::new();
                let fields = Self::fields(&mut types);
                ::situated::ontology::typed::derived::refuse_unknown(given, &[#(#names),*])?;
                Ok(Self { #(#values),* })
            }

            fn to_iil(&self) -> ::std::collections::BTreeMap<String, ::situated::iil::Parameter> {
                let mut all = ::std::collections::BTreeMap::new();
                #(#pairs)*
                all
            }
        }
    })
}

fn declaration(field: &Field) -> TokenStream {
    let plain = field.declaration();
    let Some(default) = &field.attributes.default else { return plain };
    let of = &field.of;
    quote! {
        ::situated::ontology::Field {
            optional: true,
            default: Some(<#of as ::situated::ontology::typed::ParameterType>::to_parameter(&#default)),
            ..#plain
        }
    }
}

/// Code that reads one parameter; `given` and the declared `fields` and `types` are in scope.
fn from_iil(field: &Field) -> TokenStream {
    let Field { member, name, optional, attributes, .. } = field;
    let read = quote!(::situated::ontology::typed::derived::parameter(given, &fields, &types, #name)?);
    if *optional {
        return quote!(#member: #read);
    }
    match &attributes.default {
        Some(default) => quote!(#member: #read.unwrap_or_else(|| #default)),
        None => quote! {
            #member: #read.ok_or_else(|| {
                ::situated::ontology::typed::derived::missing(&fields, #name)
            })?
        },
    }
}

fn to_iil(field: &Field) -> TokenStream {
    let Field { member, name, optional, .. } = field;
    let of = if *optional { quote!(&self.#member) } else { quote!(Some(&self.#member)) };
    quote! {
        if let Some(value) = #of {
            let parameter = ::situated::ontology::typed::ParameterType::to_parameter(value);
            all.insert(#name.into(), parameter);
        }
    }
}
