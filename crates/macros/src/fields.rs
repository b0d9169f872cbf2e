//! The fields of a variant or struct as parameters in the ontology, and the code that converts them.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Error, Fields, GenericArgument, Ident, Index, LitStr, Member, PathArguments, Result, Type};

use crate::Attributes;

/// One field that is a parameter.
pub(crate) struct Field {
    /// How Rust speaks of it: `place` or `0`.
    pub(crate) member: Member,
    /// A variable for it in generated code.
    pub(crate) variable: Ident,
    pub(crate) name: LitStr,
    pub(crate) attributes: Attributes,
    /// Its type, without the `Option` where there is one.
    pub(crate) of: Type,
    pub(crate) optional: bool,
}

/// Reads the fields, which may be named or not.
pub(crate) fn read(fields: &Fields) -> Result<Vec<Field>> {
    fields.iter().enumerate().map(|(index, field)| read_field(index, field)).collect()
}

/// Refuses optional fields before the last: their absence could not be told from the text.
pub(crate) fn refuse_early_options(fields: &[Field]) -> Result<()> {
    let Some((_, early)) = fields.split_last() else { return Ok(()) };
    match early.iter().find(|field| field.optional) {
        Some(field) => Err(Error::new(field.variable.span(), "only the last parameter may be optional")),
        None => Ok(()),
    }
}

fn read_field(index: usize, field: &syn::Field) -> Result<Field> {
    let attributes = Attributes::read(&field.attrs, "parameter")?;
    let optional = inside_option(&field.ty);
    let of = optional.unwrap_or(&field.ty).clone();
    let (member, name) = match &field.ident {
        Some(ident) => (Member::Named(ident.clone()), attributes.name_for(ident)),
        None => (Member::Unnamed(Index::from(index)), name_from_type(&attributes, &of, index)),
    };
    let variable = Ident::new(&format!("field_{index}"), Span::call_site());
    Ok(Field { member, variable, name, attributes, optional: optional.is_some(), of })
}

/// An unnamed field is called after its type: `PlaceId` is `placeId`.
fn name_from_type(attributes: &Attributes, of: &Type, index: usize) -> LitStr {
    match of {
        Type::Path(path) if path.qself.is_none() && !path.path.segments.is_empty() => {
            attributes.name_for(&path.path.segments[path.path.segments.len() - 1].ident)
        }
        _ => LitStr::new(&format!("parameter{}", index + 1), Span::call_site()),
    }
}

/// The `T` of an `Option<T>`.
fn inside_option(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let segment = path.path.segments.last().filter(|segment| segment.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(inside) => Some(inside),
        _ => None,
    }
}

impl Field {
    /// Code for its declaration; a variable `types` is in scope.
    pub(crate) fn declaration(&self) -> TokenStream {
        let Field { name, of, optional, attributes, .. } = self;
        let documentation = attributes.documentation();
        quote! {
            ::situated::ontology::Field {
                optional: #optional,
                ..::situated::ontology::Field::new(
                    #name,
                    #documentation,
                    <#of as ::situated::ontology::typed::ParameterType>::declare(types),
                )
            }
        }
    }

    /// Code that compares two values of it to the bit.
    pub(crate) fn same(&self, one: &TokenStream, other: &TokenStream) -> TokenStream {
        if self.optional {
            quote!(::situated::ontology::typed::derived::same_option(#one, #other))
        } else {
            quote!(::situated::ontology::typed::ParameterType::same(#one, #other))
        }
    }

    /// Code that feeds a value of it to the hash `state`.
    pub(crate) fn digest(&self, value: &TokenStream) -> TokenStream {
        if self.optional {
            quote!(::situated::ontology::typed::derived::digest_option(#value, state))
        } else {
            quote!(::situated::ontology::typed::ParameterType::digest(#value, state))
        }
    }
}

/// Code for a pattern that binds the variables: `Path { place: field_0 }`.
pub(crate) fn pattern(path: &TokenStream, fields: &[Field]) -> TokenStream {
    let members = fields.iter().map(|field| &field.member);
    let variables = fields.iter().map(|field| &field.variable);
    quote!(#path { #(#members: #variables),* })
}

/// Code for the list of parameters made from the bound variables.
pub(crate) fn to_parameters(fields: &[Field]) -> TokenStream {
    let each = fields.iter().map(|Field { variable, optional, .. }| {
        if *optional {
            quote!(#variable.as_ref().map(::situated::ontology::typed::ParameterType::to_parameter))
        } else {
            quote!(Some(::situated::ontology::typed::ParameterType::to_parameter(#variable)))
        }
    });
    if fields.last().is_some_and(|field| field.optional) {
        quote!([#(#each),*].into_iter().flatten().collect::<Vec<_>>())
    } else {
        let variables = fields.iter().map(|field| &field.variable);
        quote!(vec![#(::situated::ontology::typed::ParameterType::to_parameter(#variables)),*])
    }
}

/// Code that makes `path { .. }` from a slice `given` whose length fits; its value is a
/// `Result<_, usize>`, the error being the position of the parameter that is wrong.
pub(crate) fn from_parameters(path: &TokenStream, fields: &[Field]) -> TokenStream {
    let each = fields.iter().enumerate().map(|(index, Field { member, optional, .. })| {
        let read = if *optional { quote!(optional_argument) } else { quote!(argument) };
        quote!(#member: ::situated::ontology::typed::derived::#read(given, #index)?)
    });
    quote!((|| Ok::<_, usize>(#path { #(#each),* }))())
}

/// The numbers of parameters that fit, as a pattern.
pub(crate) fn arity(fields: &[Field]) -> TokenStream {
    let most = fields.len();
    let least = most - usize::from(fields.last().is_some_and(|field| field.optional));
    if least == most { quote!(#most) } else { quote!(#least..=#most) }
}
