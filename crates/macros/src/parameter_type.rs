//! Parameter types with a name: choices of identifiers, other types under a new name, functions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DataEnum, DeriveInput, Error, Fields, LitStr, Result};

use crate::Attributes;
use crate::attributes::{lower_camel_case, refuse, refuse_twins};
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
    let known: &[&str] = if let Data::Enum(_) = input.data { &["name", "all"] } else { &["name"] };
    let attributes = Attributes::read(&input.attrs, "parameter", known)?;
    let name = attributes.name_for_type(&input.ident);
    let parts = match &input.data {
        Data::Enum(of) => choice(of)?,
        Data::Struct(of) => match &of.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => renamed(&fields.unnamed[0])?,
            Fields::Named(_) => function(&name, &of.fields)?,
            _ => return Err(wrong_shape(input)),
        },
        Data::Union(_) => return Err(wrong_shape(input)),
    };
    let (ident, (impl_generics, of_generics, where_clause)) = (&input.ident, input.generics.split_for_impl());
    let documentation = attributes.documentation();
    let all = attributes.word.as_ref().map(|_| all(input));
    let Parts { of, to_parameter, from_parameter, same, digest } = parts;
    Ok(quote! {
        #all

        #[automatically_derived]
        impl #impl_generics ::situated::ontology::typed::ParameterType for #ident #of_generics #where_clause {
            fn declare(types: &mut ::situated::ontology::NamedTypes) -> ::situated::ontology::Type {
                ::situated::ontology::typed::derived::declare(
                    types,
                    ::core::any::type_name::<Self>(),
                    #name,
                    #documentation,
                    |__types| #of,
                )
            }

            fn to_parameter(&self) -> ::situated::iil::Parameter {
                #to_parameter
            }

            fn from_parameter(parameter: &::situated::iil::Parameter) -> ::core::option::Option<Self> {
                #from_parameter
            }

            fn same(&self, other: &Self) -> bool {
                #same
            }

            fn digest<__H: ::core::hash::Hasher>(&self, state: &mut __H) {
                #digest
            }
        }
    })
}

/// Returns code for the list of the values of an enum.
fn all(input: &DeriveInput) -> TokenStream {
    let (ident, (impl_generics, of_generics, where_clause)) = (&input.ident, input.generics.split_for_impl());
    let Data::Enum(of) = &input.data else { return TokenStream::new() };
    let (variants, count) = (of.variants.iter().map(|variant| &variant.ident), of.variants.len());
    quote! {
        #[automatically_derived]
        impl #impl_generics #ident #of_generics #where_clause {
            /// All values, in the order of their declarations.
            pub const ALL: [Self; #count] = [#(Self::#variants),*];
        }
    }
}

fn wrong_shape(input: &DeriveInput) -> Error {
    let message = "a parameter type is an enum without fields, a struct with one unnamed field, \
                   or a struct with named fields";
    Error::new(input.ident.span(), message)
}

/// One of several identifiers.
fn choice(of: &DataEnum) -> Result<Parts> {
    let (mut variants, mut names, mut documentation) = (Vec::new(), Vec::new(), Vec::new());
    for variant in &of.variants {
        if !variant.fields.is_empty() {
            return Err(Error::new(variant.ident.span(), "a choice of identifiers has no fields"));
        }
        let attributes = Attributes::read(&variant.attrs, "parameter", &["name"])?;
        variants.push(&variant.ident);
        names.push(attributes.name_for(&variant.ident));
        documentation.push(attributes.documentation());
    }
    refuse_twins(&names, "words")?;
    let words: Vec<TokenStream> = names.iter().map(fields::name).collect();
    Ok(Parts {
        of: quote!(::situated::ontology::typed::derived::choice(&[#((#names, #documentation)),*])),
        to_parameter: quote! {
            ::situated::iil::Parameter::Identifier(match *self { #(Self::#variants => #words),* })
        },
        from_parameter: quote! {
            match ::situated::ontology::typed::derived::identifier(parameter)? {
                #(#names => ::core::option::Option::Some(Self::#variants),)*
                _ => ::core::option::Option::None,
            }
        },
        same: quote!(::core::mem::discriminant(self) == ::core::mem::discriminant(other)),
        digest: quote!(::core::hash::Hash::hash(&::core::mem::discriminant(self), state)),
    })
}

/// Another type under its own name.
fn renamed(field: &syn::Field) -> Result<Parts> {
    refuse(&field.attrs, "parameter", "the struct")?;
    let of = &field.ty;
    let inner = quote!(<#of as ::situated::ontology::typed::ParameterType>);
    Ok(Parts {
        of: quote!(#inner::declare(__types)),
        to_parameter: quote!(#inner::to_parameter(&self.0)),
        from_parameter: quote!(::core::option::Option::map(#inner::from_parameter(parameter), Self)),
        same: quote!(#inner::same(&self.0, &other.0)),
        digest: quote!(#inner::digest(&self.0, state)),
    })
}

/// Reads a function whose parameters are the fields; it is named after its type.
fn function(type_name: &LitStr, of: &Fields) -> Result<Parts> {
    let name = LitStr::new(&lower_camel_case(&type_name.value()), type_name.span());
    let fields = fields::read(of, &["name", "range"])?;
    fields::refuse_early_options(&fields)?;
    let declarations = fields.iter().map(Field::declaration);
    let pattern = fields::pattern(&quote!(Self), &fields);
    let (term, parameters) = (fields::name(&name), fields::to_parameters(&fields));
    let reader = fields::reader([(&name, quote!(Self), fields.as_slice())]);
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
            ::situated::ontology::typed::derived::function_type(#name, const { &[#(#declarations),*] }, __types)
        },
        to_parameter: quote! {
            let #pattern = *self;
            ::core::convert::Into::into(::situated::iil::Function {
                name: #term,
                parameters: #parameters,
            })
        },
        from_parameter: quote!(::situated::ontology::typed::derived::function(parameter, #reader)),
        same: quote!(true #(&& #same)*),
        digest: quote!(#(#digests;)*),
    })
}
