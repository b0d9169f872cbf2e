//! The fields of a variant or struct as parameters in the ontology, and the code that converts them.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Error, Fields, GenericArgument, Ident, Index, LitStr, Member, PathArguments, Result, Type};

use crate::Attributes;
use crate::attributes::refuse_twins;

/// The types that are parameters as they are; a parameter cannot be called after one of these.
const PLAIN: [&str; 15] = [
    "bool",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "usize",
    "String",
    "EcoString",
    "Vec",
    "Parameter",
];

/// One field that is a parameter.
pub(crate) struct Field {
    /// How Rust code names it: `place` or `0`.
    pub(crate) member: Member,
    /// A variable for it in generated code.
    pub(crate) variable: Ident,
    pub(crate) name: LitStr,
    pub(crate) attributes: Attributes,
    /// Its type, without the `Option` where there is one.
    pub(crate) of: Type,
    pub(crate) optional: bool,
}

/// Reads the fields, which may be named or not; `known` lists the keys that `#[parameter(..)]` may contain.
pub(crate) fn read(fields: &Fields, known: &[&str]) -> Result<Vec<Field>> {
    let fields =
        fields.iter().enumerate().map(|(index, field)| read_field(index, field, known)).collect::<Result<Vec<_>>>()?;
    refuse_twins(fields.iter().map(|field| &field.name), "parameters")?;
    Ok(fields)
}

/// Rejects optional fields before the last one: the text would be ambiguous without them.
pub(crate) fn refuse_early_options(fields: &[Field]) -> Result<()> {
    let Some((_, early)) = fields.split_last() else { return Ok(()) };
    match early.iter().find(|field| field.optional) {
        Some(field) => Err(Error::new_spanned(&field.of, "only the last parameter may be optional")),
        None => Ok(()),
    }
}

fn read_field(index: usize, field: &syn::Field, known: &[&str]) -> Result<Field> {
    let attributes = Attributes::read(&field.attrs, "parameter", known)?;
    let optional = inside_option(&field.ty);
    let of = optional.unwrap_or(&field.ty).clone();
    let (member, name) = match &field.ident {
        Some(ident) => (Member::Named(ident.clone()), attributes.name_for(ident)),
        None => (Member::Unnamed(Index::from(index)), name_from_type(&attributes, &of)?),
    };
    let variable = Ident::new(&format!("field_{index}"), Span::call_site());
    Ok(Field { member, variable, name, attributes, optional: optional.is_some(), of })
}

/// An unnamed field is called after its type, if its author has named that: `PlaceId` is `placeId`.
fn name_from_type(attributes: &Attributes, of: &Type) -> Result<LitStr> {
    let named = match of {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    };
    match (&attributes.name, named) {
        (Some(name), _) => Ok(name.clone()),
        (None, Some(ident)) if PLAIN.iter().all(|plain| ident != plain) => Ok(attributes.name_for(ident)),
        _ => {
            let message = "the parameter needs a name: `#[parameter(name = \"..\")]`, or that of a field; \
                           this type gives it none";
            Err(Error::new_spanned(of, message))
        }
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
    /// Code for its declaration.
    pub(crate) fn declaration(&self) -> TokenStream {
        let Field { name, of, optional, attributes, .. } = self;
        let (documentation, parameter_type) = (attributes.documentation(), self.parameter_type());
        let range = match &attributes.range {
            Some(range) => quote! {
                ::core::option::Option::Some(|__field| {
                    ::situated::ontology::typed::derived::ranged::<#of>(__field, &(#range))
                })
            },
            None => quote!(::core::option::Option::None),
        };
        quote! {
            ::situated::ontology::typed::derived::CallField {
                name: #name,
                documentation: #documentation,
                declare: #parameter_type::declare,
                optional: #optional,
                range: #range,
            }
        }
    }

    /// Code for its type as a parameter. It names the type, so one that is not a parameter is an error in the line of
    /// the field.
    fn parameter_type(&self) -> TokenStream {
        let of = &self.of;
        quote!(<#of as ::situated::ontology::typed::ParameterType>)
    }

    /// Code that makes an `Option` of a parameter from a reference to it.
    pub(crate) fn to_parameter(&self, value: &TokenStream) -> TokenStream {
        let parameter_type = self.parameter_type();
        let convert = quote!(#parameter_type::to_parameter);
        if self.optional {
            quote!(::core::option::Option::map(::core::option::Option::as_ref(#value), #convert))
        } else {
            quote!(::core::option::Option::Some(#convert(#value)))
        }
    }

    /// Code that compares two values of it to the bit.
    pub(crate) fn same(&self, one: &TokenStream, other: &TokenStream) -> TokenStream {
        let (of, parameter_type) = (&self.of, self.parameter_type());
        if self.optional {
            quote!(::situated::ontology::typed::derived::same_option::<#of>(#one, #other))
        } else {
            quote!(#parameter_type::same(#one, #other))
        }
    }

    /// Code that feeds a value of it to the hash `state`.
    pub(crate) fn digest(&self, value: &TokenStream) -> TokenStream {
        let (of, parameter_type) = (&self.of, self.parameter_type());
        if self.optional {
            quote!(::situated::ontology::typed::derived::digest_option::<#of, _>(#value, state))
        } else {
            quote!(#parameter_type::digest(#value, state))
        }
    }
}

/// Code for a pattern that binds the variables to references: `Path { place: ref field_0 }`.
pub(crate) fn pattern(path: &TokenStream, fields: &[Field]) -> TokenStream {
    let members = fields.iter().map(|field| &field.member);
    let variables = fields.iter().map(|field| &field.variable);
    quote!(#path { #(#members: ref #variables),* })
}

/// The longest name that an `EcoString` holds without an allocation.
const INLINE_NAME: usize = 15;

/// Code for the name of a term. A short one is made at compile time.
pub(crate) fn name(name: &LitStr) -> TokenStream {
    if name.value().len() <= INLINE_NAME {
        quote!(const { ::situated::iil::EcoString::inline(#name) })
    } else {
        quote!(<::situated::iil::EcoString as ::core::convert::From<&str>>::from(#name))
    }
}

/// Code for the list of parameters made from the bound variables.
pub(crate) fn to_parameters(fields: &[Field]) -> TokenStream {
    let required = fields.iter().filter(|field| !field.optional).map(|field| {
        let (parameter_type, variable) = (field.parameter_type(), &field.variable);
        quote!(#parameter_type::to_parameter(#variable))
    });
    let required = quote!(<::situated::iil::Parameters as ::core::convert::From<_>>::from([#(#required),*]));
    match fields.last().filter(|field| field.optional) {
        None => required,
        Some(last) => {
            let value = last.to_parameter(&last.variable.to_token_stream());
            quote!({
                let mut all = #required;
                ::core::iter::Extend::extend(&mut all, #value);
                all
            })
        }
    }
}

/// Code for a closure that reads a name with parameters. Each case is a name, the path of what is made, and its fields.
pub(crate) fn reader<'a>(cases: impl IntoIterator<Item = (&'a LitStr, TokenStream, &'a [Field])>) -> TokenStream {
    let arms = cases.into_iter().map(|(name, path, fields)| {
        let arity = arity(fields);
        let each = fields.iter().enumerate().map(|(index, Field { member, of, optional, attributes, .. })| {
            let read = match (&attributes.range, optional) {
                (Some(range), false) => quote!(argument_within::<#of>(given, #index, &(#range))),
                (Some(range), true) => quote!(optional_argument_within::<#of>(given, #index, &(#range))),
                (None, false) => quote!(argument::<#of>(given, #index)),
                (None, true) => quote!(optional_argument::<#of>(given, #index)),
            };
            quote!(#member: ::situated::ontology::typed::derived::#read?)
        });
        quote!((#name, #arity) => ::core::result::Result::Ok(#path { #(#each),* }))
    });
    quote! {
        |name, count, given| match (name, count) {
            #(#arms,)*
            _ => ::core::result::Result::Err(::core::option::Option::None),
        }
    }
}

/// The numbers of parameters that fit, as a pattern.
fn arity(fields: &[Field]) -> TokenStream {
    let most = fields.len();
    let least = most - usize::from(fields.last().is_some_and(|field| field.optional));
    if least == most { quote!(#most) } else { quote!(#least..=#most) }
}
