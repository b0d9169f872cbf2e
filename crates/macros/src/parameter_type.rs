//! Parameter types with a name: choices of identifiers, other types under a new name, functions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DataEnum, DeriveInput, Error, Fields, LitStr, Result, Type};

use crate::Attributes;
use crate::fields::{self, Field};

/// The parts of an implementation that differ.
struct Parts {
    of: TokenStream,
    to_parameter: TokenStream,
    from_parameter: TokenStream,
    same: TokenStream,
    digest: TokenStream,
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let attributes = Attributes::read(&input.attrs, "parameter")?;
    let parts = match &input.data {
        Data::Enum(of) => choice(of)?,
        Data::Struct(of) => match &of.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => renamed(&fields.unnamed[0].ty),
            Fields::Named(_) => function(&attributes.name_for(&input.ident), &of.fields)?,
            _ => return Err(wrong_shape(input)),
        },
        Data::Union(_) => return Err(wrong_shape(input)),
    };
    let (ident, name) = (&input.ident, input.ident.to_string());
    let documentation = attributes.documentation();
    let Parts { of, to_parameter, from_parameter, same, digest } = parts;
    Ok(quote! {
        impl ::situated::ontology::typed::ParameterType for #ident {
            fn declare(types: &mut ::situated::ontology::NamedTypes) -> ::situated::ontology::Type {
                if !types.contains_key(#name) {
                    let of = #of;
                    let documentation = #documentation.to_owned();
                    types.insert(#name.into(), ::situated::ontology::NamedType { documentation, of });
                }
                ::situated::ontology::Type::Named(#name.into())
            }

            fn to_parameter(&self) -> ::situated::iil::Parameter {
                #to_parameter
            }

            fn from_parameter(parameter: &::situated::iil::Parameter) -> Option<Self> {
                #from_parameter
            }

            fn same(&self, other: &Self) -> bool {
                #same
            }

            fn digest<H: ::std::hash::Hasher>(&self, state: &mut H) {
                #digest
            }
        }
    })
}

fn wrong_shape(input: &DeriveInput) -> Error {
    let message = "a parameter type is an enum without fields, a struct with one unnamed field, \
                   or a struct with named fields";
    Error::new(input.ident.span(), message)
}

/// One of several identifiers.
fn choice(of: &DataEnum) -> Result<Parts> {
    let mut words = Vec::new();
    for variant in &of.variants {
        if !variant.fields.is_empty() {
            return Err(Error::new(variant.ident.span(), "a choice of identifiers has no fields"));
        }
        let attributes = Attributes::read(&variant.attrs, "parameter")?;
        words.push((&variant.ident, attributes.name_for(&variant.ident), attributes.documentation()));
    }
    let (variants, (names, documentation)): (Vec<_>, (Vec<_>, Vec<_>)) =
        words.into_iter().map(|(variant, name, documentation)| (variant, (name, documentation))).unzip();
    Ok(Parts {
        of: quote! {
            ::situated::ontology::Type::Choice(vec![#(
                ::situated::ontology::Word { name: #names.into(), documentation: #documentation.into() }
            ),*])
        },
        to_parameter: quote! {
            ::situated::iil::Parameter::from(match self { #(Self::#variants => #names),* })
        },
        from_parameter: quote! {
            match parameter {
                ::situated::iil::Parameter::Identifier(name) => match name.as_str() {
                    #(#names => Some(Self::#variants),)*
                    _ => None,
                },
                _ => None,
            }
        },
        same: quote!(::std::mem::discriminant(self) == ::std::mem::discriminant(other)),
        digest: quote!(::std::hash::Hash::hash(&::std::mem::discriminant(self), state)),
    })
}

/// Another type under a name of its own.
fn renamed(of: &Type) -> Parts {
    let inner = quote!(<#of as ::situated::ontology::typed::ParameterType>);
    Parts {
        of: quote!(#inner::declare(types)),
        to_parameter: quote!(#inner::to_parameter(&self.0)),
        from_parameter: quote!(#inner::from_parameter(parameter).map(Self)),
        same: quote!(#inner::same(&self.0, &other.0)),
        digest: quote!(#inner::digest(&self.0, state)),
    }
}

/// A function whose parameters are the fields.
fn function(name: &LitStr, of: &Fields) -> Result<Parts> {
    let fields = fields::read(of)?;
    fields::refuse_early_options(&fields)?;
    let declarations = fields.iter().map(Field::declaration);
    let (pattern, arity) = (fields::pattern(&quote!(Self), &fields), fields::arity(&fields));
    let parameters = fields::to_parameters(&fields);
    let value = fields::from_parameters(&quote!(Self), &fields);
    let same = fields.iter().map(|field| {
        let member = &field.member;
        field.same(&quote!(&self.#member), &quote!(&other.#member))
    });
    let digests = fields.iter().map(|field| {
        let member = &field.member;
        field.digest(&quote!(&self.#member))
    });
    Ok(Parts {
        of: quote! {
            ::situated::ontology::Type::Function(Box::new(::situated::ontology::Signature {
                name: #name.into(),
                documentation: String::new(),
                parameters: vec![#(#declarations),*],
            }))
        },
        to_parameter: quote! {
            let #pattern = self;
            ::situated::iil::Parameter::Function(::situated::iil::Function {
                name: ::situated::iil::EcoString::from(#name),
                parameters: #parameters,
            })
        },
        from_parameter: quote! {
            let ::situated::iil::Parameter::Function(function) = parameter else { return None };
            let given = function.parameters.as_slice();
            match (function.name.as_str(), given.len()) {
                (#name, #arity) => #value.ok(),
                _ => None,
            }
        },
        same: quote!(true #(&& #same)*),
        digest: quote!(#(#digests;)*),
    })
}
