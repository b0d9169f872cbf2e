//! Actions and percepts: enums whose variants are names with parameters.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Ident, LitStr, Result};

use crate::Attributes;
use crate::fields::{self, Field};

/// A variant as a name with parameters.
struct Call {
    variant: Ident,
    name: LitStr,
    attributes: Attributes,
    fields: Vec<Field>,
}

pub(crate) fn derive_action(input: &DeriveInput) -> Result<TokenStream> {
    let calls = read(input, "action")?;
    if let Some(word) = calls.iter().find_map(|call| call.attributes.word.as_ref()) {
        return Err(Error::new(word.span(), "expected `name = \"..\"` or `entities(..)`"));
    }
    let (name, (impl_generics, of_generics, where_clause)) = (&input.ident, input.generics.split_for_impl());
    let declarations = calls.iter().map(|call| {
        let signature = call.signature();
        call.declaration(&signature)
    });
    let conversions = conversions(&calls, &quote!(Action));
    Ok(quote! {
        impl #impl_generics ::situated::ontology::typed::TypedAction for #name #of_generics #where_clause {
            fn declarations(
                types: &mut ::situated::ontology::NamedTypes,
            ) -> Vec<::situated::ontology::typed::Declaration<::situated::ontology::Signature>> {
                vec![#(#declarations),*]
            }

            #conversions

            fn from_iil(
                call: &::situated::iil::Action,
            ) -> Result<Self, ::situated::ontology::typed::Mismatch> {
                Self::from_call(&call.name, &call.parameters).map_err(|wrong| {
                    ::situated::ontology::typed::Mismatch::of_action::<Self>(call, wrong)
                })
            }
        }
    })
    .map(|implementation| with_reader(input, &calls, implementation))
}

pub(crate) fn derive_percept(input: &DeriveInput) -> Result<TokenStream> {
    let calls = read(input, "percept")?;
    let deliveries = calls.iter().map(Call::delivery).collect::<Result<Vec<_>>>()?;
    let (name, (impl_generics, of_generics, where_clause)) = (&input.ident, input.generics.split_for_impl());
    let declarations = calls.iter().zip(&deliveries).map(|(call, delivery)| {
        let signature = call.signature();
        call.declaration(&quote! {
            ::situated::ontology::PerceptSignature { signature: #signature, delivery: #delivery }
        })
    });
    let conversions = conversions(&calls, &quote!(Percept));
    let equality = equality(input, &calls);
    Ok(quote! {
        impl #impl_generics ::situated::ontology::typed::TypedPercept for #name #of_generics #where_clause {
            const DELIVERIES: &'static [::situated::ontology::Delivery] = &[#(#deliveries),*];

            fn declarations(
                types: &mut ::situated::ontology::NamedTypes,
            ) -> Vec<::situated::ontology::typed::Declaration<::situated::ontology::PerceptSignature>> {
                vec![#(#declarations),*]
            }

            #conversions

            fn from_iil(
                call: &::situated::iil::Percept,
            ) -> Result<Self, ::situated::ontology::typed::Mismatch> {
                Self::from_call(&call.name, &call.parameters).map_err(|wrong| {
                    ::situated::ontology::typed::Mismatch::of_percept::<Self>(call, wrong)
                })
            }
        }

        #equality
    })
    .map(|implementation| with_reader(input, &calls, implementation))
}

fn read(input: &DeriveInput, helper: &str) -> Result<Vec<Call>> {
    let Data::Enum(of) = &input.data else {
        return Err(Error::new(input.ident.span(), "an enum is needed, with a variant for each"));
    };
    let calls = of
        .variants
        .iter()
        .map(|variant| {
            let attributes = Attributes::read(&variant.attrs, helper)?;
            let fields = fields::read(&variant.fields)?;
            fields::refuse_early_options(&fields)?;
            let name = attributes.name_for(&variant.ident);
            Ok(Call { variant: variant.ident.clone(), name, attributes, fields })
        })
        .collect::<Result<Vec<_>>>()?;
    refuse_ambiguity(&calls)?;
    Ok(calls)
}

/// Refuses two variants of one name that can have the same number of parameters.
fn refuse_ambiguity(calls: &[Call]) -> Result<()> {
    for (index, call) in calls.iter().enumerate() {
        let clash = calls[..index].iter().find(|earlier| {
            earlier.name.value() == call.name.value()
                && earlier.least() <= call.fields.len()
                && call.least() <= earlier.fields.len()
        });
        if let Some(earlier) = clash {
            let message = format!(
                "`{}` cannot be told from `{}`: same name, same number of parameters",
                call.variant, earlier.variant
            );
            return Err(Error::new(call.variant.span(), message));
        }
    }
    Ok(())
}

impl Call {
    /// The least number of parameters.
    fn least(&self) -> usize {
        self.fields.iter().filter(|field| !field.optional).count()
    }

    fn signature(&self) -> TokenStream {
        let (name, documentation) = (&self.name, self.attributes.documentation());
        let parameters = self.fields.iter().map(Field::declaration);
        quote! {
            ::situated::ontology::Signature {
                name: #name.into(),
                documentation: #documentation.into(),
                parameters: vec![#(#parameters),*],
            }
        }
    }

    fn declaration(&self, signature: &TokenStream) -> TokenStream {
        let entities = &self.attributes.entities;
        quote! {
            ::situated::ontology::typed::Declaration {
                signature: #signature,
                entity_types: &[#(#entities),*],
            }
        }
    }

    fn delivery(&self) -> Result<TokenStream> {
        let word = self.attributes.word.as_ref();
        let delivery = match word.map(Ident::to_string).as_deref() {
            Some("once") => quote!(Once),
            Some("on_change") => quote!(OnChange),
            Some("on_change_with_negation") => quote!(OnChangeWithNegation),
            Some("always") => quote!(Always),
            Some("event") => quote!(Event),
            _ => {
                let span = word.map_or(self.variant.span(), Ident::span);
                let message = "say how it is told: #[percept(once)], on_change, \
                               on_change_with_negation, always or event";
                return Err(Error::new(span, message));
            }
        };
        Ok(quote!(::situated::ontology::Delivery::#delivery))
    }

    /// Code for a pattern that binds the fields.
    fn pattern(&self) -> TokenStream {
        let variant = &self.variant;
        fields::pattern(&quote!(Self::#variant), &self.fields)
    }
}

/// `variant` and `to_iil`, the same for actions and percepts.
fn conversions(calls: &[Call], term: &TokenStream) -> TokenStream {
    let variants = calls.iter().enumerate().map(|(index, call)| {
        let variant = &call.variant;
        quote!(Self::#variant { .. } => #index)
    });
    let terms = calls.iter().map(|call| {
        let (pattern, name) = (call.pattern(), &call.name);
        let parameters = fields::to_parameters(&call.fields);
        quote! {
            #pattern => ::situated::iil::#term {
                name: ::situated::iil::EcoString::from(#name),
                parameters: #parameters,
            }
        }
    });
    quote! {
        fn variant(&self) -> usize {
            match *self { #(#variants),* }
        }

        fn to_iil(&self) -> ::situated::iil::#term {
            match self { #(#terms),* }
        }
    }
}

/// Adds to an implementation the reading of a name with parameters; the error is the position of a parameter
/// of the wrong type, where that is what is wrong.
fn with_reader(input: &DeriveInput, calls: &[Call], implementation: TokenStream) -> TokenStream {
    let (name, (impl_generics, of_generics, where_clause)) = (&input.ident, input.generics.split_for_impl());
    let arms = calls.iter().map(|call| {
        let (name, variant, arity) = (&call.name, &call.variant, fields::arity(&call.fields));
        let value = fields::from_parameters(&quote!(Self::#variant), &call.fields);
        quote!((#name, #arity) => #value.map_err(Some))
    });
    quote! {
        #implementation

        impl #impl_generics #name #of_generics #where_clause {
            fn from_call(
                name: &str,
                given: &[::situated::iil::Parameter],
            ) -> Result<Self, Option<usize>> {
                match (name, given.len()) {
                    #(#arms,)*
                    _ => Err(None),
                }
            }
        }
    }
}

/// Equality and hash to the bit.
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
            (#pattern, Self::#variant { #(#members: #others),* }) => true #(&& #each)*
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
        impl #impl_generics PartialEq for #name #of_generics #where_clause {
            fn eq(&self, other: &Self) -> bool {
                match (self, other) {
                    #(#same,)*
                    _ => ::std::mem::discriminant(self) == ::std::mem::discriminant(other),
                }
            }
        }

        impl #impl_generics Eq for #name #of_generics #where_clause {}

        impl #impl_generics ::std::hash::Hash for #name #of_generics #where_clause {
            fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {
                ::std::mem::discriminant(self).hash(state);
                match self { #(#digests),* }
            }
        }
    }
}
