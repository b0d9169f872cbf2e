//! Actions and percepts: enums whose variants are names with parameters.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Ident, LitStr, Result};

use crate::fields::{self, Field};
use crate::{Attributes, attributes};

/// The words for deliveries.
const DELIVERIES: [&str; 5] = ["once", "on_change", "on_change_with_negation", "always", "event"];

/// A variant as a name with parameters.
struct Call {
    variant: Ident,
    name: LitStr,
    attributes: Attributes,
    fields: Vec<Field>,
}

pub(crate) fn derive_action(input: &DeriveInput) -> Result<TokenStream> {
    attributes::refuse(&input.attrs, "action", "the variants")?;
    let calls = read(input, "action", &["name", "entities"])?;
    let (name, (impl_generics, of_generics, where_clause)) = (&input.ident, input.generics.split_for_impl());
    let declarations = calls.iter().map(Call::declaration);
    let (conversions, reader) = (conversions(&calls, &quote!(Action)), reader(&calls));
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::situated::ontology::typed::TypedAction for #name #of_generics #where_clause {
            fn declarations(
                __types: &mut ::situated::ontology::NamedTypes,
            ) -> ::std::vec::Vec<::situated::ontology::typed::Declaration<::situated::ontology::Signature>> {
                ::situated::ontology::typed::derived::actions(const { &[#(#declarations),*] }, __types)
            }

            #conversions

            fn from_iil(
                action: &::situated::iil::Action,
            ) -> ::core::result::Result<Self, ::situated::ontology::typed::Mismatch> {
                ::situated::ontology::typed::derived::action(action, #reader)
            }
        }
    })
}

pub(crate) fn derive_percept(input: &DeriveInput) -> Result<TokenStream> {
    let usual = Attributes::read(&input.attrs, "percept", &DELIVERIES)?.word;
    let calls = read(input, "percept", &[&DELIVERIES[..], &["name", "say", "entities"]].concat())?;
    for call in &calls {
        call.attributes.say.iter().try_for_each(|say| check_sentence(say, &call.fields))?;
    }
    let deliveries = calls.iter().map(|call| call.delivery(usual.as_ref())).collect::<Result<Vec<_>>>()?;
    let (name, (impl_generics, of_generics, where_clause)) = (&input.ident, input.generics.split_for_impl());
    let declarations = calls.iter().map(Call::declaration);
    let (conversions, reader) = (conversions(&calls, &quote!(Percept)), reader(&calls));
    let equality = equality(input, &calls);
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::situated::ontology::typed::TypedPercept for #name #of_generics #where_clause {
            const DELIVERIES: &'static [::situated::ontology::Delivery] = &[#(#deliveries),*];

            fn declarations(
                __types: &mut ::situated::ontology::NamedTypes,
            ) -> ::std::vec::Vec<::situated::ontology::typed::Declaration<::situated::ontology::PerceptSignature>> {
                let calls = const { &[#(#declarations),*] };
                ::situated::ontology::typed::derived::percepts(calls, Self::DELIVERIES, __types)
            }

            #conversions

            fn from_iil(
                percept: &::situated::iil::Percept,
            ) -> ::core::result::Result<Self, ::situated::ontology::typed::Mismatch> {
                ::situated::ontology::typed::derived::percept(percept, #reader)
            }
        }

        #equality
    })
}

/// Reads an enum of actions or percepts; `known` lists what the attribute `helper` may contain.
fn read(input: &DeriveInput, helper: &str, known: &[&str]) -> Result<Vec<Call>> {
    let Data::Enum(of) = &input.data else {
        return Err(Error::new(input.ident.span(), "expected an enum with a variant for each"));
    };
    attributes::refuse(&input.attrs, "parameter", "the fields of the variants")?;
    let calls = of
        .variants
        .iter()
        .map(|variant| {
            let attributes = Attributes::read(&variant.attrs, helper, known)?;
            attributes::refuse(&variant.attrs, "parameter", "the fields of the variant")?;
            for field in &variant.fields {
                attributes::refuse(&field.attrs, helper, "the variant; a field has `#[parameter(..)]`")?;
            }
            let fields = fields::read(&variant.fields, &["name", "range"])?;
            fields::refuse_early_options(&fields)?;
            let name = attributes.name_for(&variant.ident);
            Ok(Call { variant: variant.ident.clone(), name, attributes, fields })
        })
        .collect::<Result<Vec<_>>>()?;
    refuse_ambiguity(&calls)?;
    Ok(calls)
}

/// Refuses two variants with the same name that could have the same number of parameters.
fn refuse_ambiguity(calls: &[Call]) -> Result<()> {
    for (index, call) in calls.iter().enumerate() {
        let clash = calls[..index].iter().find(|earlier| {
            earlier.name.value() == call.name.value()
                && earlier.least() <= call.fields.len()
                && call.least() <= earlier.fields.len()
        });
        if let Some(earlier) = clash {
            let message = format!(
                "`{}` conflicts with `{}`: same name, same number of parameters",
                call.variant, earlier.variant
            );
            return Err(Error::new(call.variant.span(), message));
        }
    }
    Ok(())
}

impl Call {
    /// Returns the smallest number of parameters.
    fn least(&self) -> usize {
        self.fields.iter().filter(|field| !field.optional).count()
    }

    /// Returns code for its declaration.
    fn declaration(&self) -> TokenStream {
        let (name, documentation, entities) = (&self.name, self.attributes.documentation(), &self.attributes.entities);
        let fields = self.fields.iter().map(Field::declaration);
        let say = match &self.attributes.say {
            Some(say) => quote!(::core::option::Option::Some(#say)),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            ::situated::ontology::typed::derived::Call {
                name: #name,
                documentation: #documentation,
                fields: &[#(#fields),*],
                entity_types: &[#(#entities),*],
                say: #say,
            }
        }
    }

    /// Returns code for the delivery: that of the variant, or the usual one, which the enum states.
    fn delivery(&self, usual: Option<&Ident>) -> Result<TokenStream> {
        let delivery = match self.attributes.word.as_ref().or(usual).map(Ident::to_string).as_deref() {
            Some("once") => quote!(Once),
            Some("on_change") => quote!(OnChange),
            Some("on_change_with_negation") => quote!(OnChangeWithNegation),
            Some("always") => quote!(Always),
            Some("event") => quote!(Event),
            _ => {
                let message = "state its delivery: `#[percept(once)]`, `on_change`, `on_change_with_negation`, \
                               `always` or `event`";
                return Err(Error::new(self.variant.span(), message));
            }
        };
        Ok(quote!(::situated::ontology::Delivery::#delivery))
    }

    /// Returns code for a pattern that binds the fields.
    fn pattern(&self) -> TokenStream {
        let variant = &self.variant;
        fields::pattern(&quote!(Self::#variant), &self.fields)
    }
}

/// Returns code for `variant` and `to_iil`, which actions and percepts share.
fn conversions(calls: &[Call], term: &TokenStream) -> TokenStream {
    let variants = calls.iter().enumerate().map(|(index, call)| {
        let variant = &call.variant;
        quote!(Self::#variant { .. } => #index)
    });
    let terms = calls.iter().map(|call| {
        let (pattern, name) = (call.pattern(), fields::name(&call.name));
        let parameters = fields::to_parameters(&call.fields);
        quote! {
            #pattern => ::situated::iil::#term {
                name: #name,
                parameters: #parameters,
            }
        }
    });
    // An enum without variants has no values, but a match on a reference still needs a case.
    quote! {
        fn variant(&self) -> usize {
            match *self { #(#variants),* }
        }

        fn to_iil(&self) -> ::situated::iil::#term {
            match *self { #(#terms),* }
        }
    }
}

/// Returns code for a closure that reads a name with parameters.
fn reader(calls: &[Call]) -> TokenStream {
    fields::reader(calls.iter().map(|call| {
        let variant = &call.variant;
        (&call.name, quote!(Self::#variant), call.fields.as_slice())
    }))
}

/// Returns code for bitwise equality and hash.
fn equality(input: &DeriveInput, calls: &[Call]) -> TokenStream {
    let (name, (impl_generics, of_generics, where_clause)) = (&input.ident, input.generics.split_for_impl());
    let same = calls.iter().filter(|call| !call.fields.is_empty()).map(|call| {
        let (variant, pattern) = (&call.variant, call.pattern());
        let members = call.fields.iter().map(|field| &field.member);
        let others: Vec<Ident> = call
            .fields
            .iter()
            .map(|field| Ident::new(&format!("other_{}", field.variable), field.variable.span()))
            .collect();
        let each = call.fields.iter().zip(&others).map(|(field, other)| {
            let variable = &field.variable;
            field.same(&quote!(#variable), &quote!(#other))
        });
        quote! {
            (&#pattern, &Self::#variant { #(#members: ref #others),* }) => true #(&& #each)*
        }
    });
    let digests = calls.iter().map(|call| {
        let pattern = call.pattern();
        let each = call.fields.iter().map(|field| {
            let variable = &field.variable;
            field.digest(&quote!(#variable))
        });
        quote!(#pattern => { #(#each;)* })
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics ::core::cmp::PartialEq for #name #of_generics #where_clause {
            fn eq(&self, other: &Self) -> bool {
                match (self, other) {
                    #(#same,)*
                    _ => ::core::mem::discriminant(self) == ::core::mem::discriminant(other),
                }
            }
        }

        #[automatically_derived]
        impl #impl_generics ::core::cmp::Eq for #name #of_generics #where_clause {}

        #[automatically_derived]
        impl #impl_generics ::core::hash::Hash for #name #of_generics #where_clause {
            fn hash<__H: ::core::hash::Hasher>(&self, state: &mut __H) {
                ::core::hash::Hash::hash(&::core::mem::discriminant(self), state);
                match *self { #(#digests),* }
            }
        }
    }
}

/// Checks that a template, as in `#[percept(say = "You are in {room}.")]`, is a sentence whose braces name parameters
/// that a percept always has.
fn check_sentence(template: &LitStr, fields: &[Field]) -> Result<()> {
    let refuse = |message: String| Err(Error::new(template.span(), message));
    let text = template.value();
    if text.trim().is_empty() || text.contains('\n') {
        return refuse("expected a sentence on one line".to_owned());
    }
    let mut rest = text.as_str();
    while let Some(place) = rest.find(['{', '}']) {
        let Some(opened) = rest[place..].strip_prefix('{') else {
            return refuse("`}` without `{`".to_owned());
        };
        let Some((name, after)) = opened.split_once('}') else {
            return refuse("`{` without `}`".to_owned());
        };
        rest = after;
        let names: Vec<String> = fields.iter().map(|field| field.name.value()).collect();
        match fields.iter().find(|field| field.name.value() == name) {
            Some(field) if field.optional => {
                return refuse(format!("`{name}` is optional, so it may be missing in the sentence"));
            }
            Some(_) => {}
            None if names.is_empty() => return refuse(format!("`{{{name}}}`: this percept has no parameters")),
            None => {
                return refuse(format!("there is no parameter `{name}`, expected one of: {}", names.join(", ")));
            }
        }
    }
    Ok(())
}
