//! What a derive reads from the attributes of an item: its own helper attribute and the doc comments.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Result, Token, punctuated::Punctuated};

/// The contents of `#[action(..)]`, `#[percept(..)]` and `#[parameter(..)]`, and the doc comment.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) documentation: String,
    pub(crate) name: Option<LitStr>,
    pub(crate) entities: Vec<LitStr>,
    pub(crate) default: Option<Expr>,
    /// A lone word, such as `once`.
    pub(crate) word: Option<Ident>,
}

impl Attributes {
    /// Reads the doc comment and the helper attribute `helper`.
    pub(crate) fn read(attributes: &[Attribute], helper: &str) -> Result<Self> {
        let mut read = Attributes::default();
        let mut lines = Vec::new();
        for attribute in attributes {
            if attribute.path().is_ident("doc") {
                lines.extend(doc_line(attribute));
            } else if attribute.path().is_ident(helper) {
                read.read_helper(attribute)?;
            }
        }
        read.documentation = lines.join("\n").trim().to_owned();
        Ok(read)
    }

    fn read_helper(&mut self, attribute: &Attribute) -> Result<()> {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                self.name = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("default") {
                self.default = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("entities") {
                let content;
                syn::parenthesized!(content in meta.input);
                let names = Punctuated::<LitStr, Token![,]>::parse_terminated(&content)?;
                self.entities.extend(names);
            } else {
                let word = meta.path.require_ident()?.clone();
                if self.word.replace(word).is_some() {
                    return Err(meta.error("only one such word may stand here"));
                }
            }
            Ok(())
        })
    }

    /// The name in the ontology of what is called `ident` in Rust.
    pub(crate) fn name_for(&self, ident: &Ident) -> LitStr {
        self.name.clone().unwrap_or_else(|| LitStr::new(&lower_camel_case(ident), ident.span()))
    }

    /// The doc comment as a literal.
    pub(crate) fn documentation(&self) -> LitStr {
        LitStr::new(&self.documentation, Span::call_site())
    }
}

/// `GoTo` and `go_to` are `goTo`.
pub(crate) fn lower_camel_case(ident: &Ident) -> String {
    let mut name = String::new();
    let mut capital = false;
    for character in ident.unraw().to_string().chars() {
        if character == '_' {
            capital = !name.is_empty();
        } else if name.is_empty() {
            name.extend(character.to_lowercase());
        } else if std::mem::take(&mut capital) {
            name.extend(character.to_uppercase());
        } else {
            name.push(character);
        }
    }
    name
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = &pair.value else { return None };
    Some(line.value().trim().to_owned())
}
