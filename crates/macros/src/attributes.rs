//! The attributes of an item that a derive reads: its own helper attribute and the doc comments.

use std::collections::HashSet;

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitStr, Meta, Result, Token, punctuated::Punctuated};

/// The contents of `#[action(..)]`, `#[percept(..)]` and `#[parameter(..)]`, and the doc comment.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) documentation: String,
    pub(crate) name: Option<LitStr>,
    pub(crate) entities: Vec<LitStr>,
    pub(crate) say: Option<LitStr>,
    pub(crate) default: Option<Expr>,
    pub(crate) names: Option<Expr>,
    pub(crate) range: Option<Expr>,
    /// A lone word, such as `once`.
    pub(crate) word: Option<Ident>,
}

impl Attributes {
    /// Reads the doc comment and the helper attribute `helper`. `known` lists its possible contents: `name`, `say`,
    /// `default`, `names`, `range`, `entities`, and single words.
    pub(crate) fn read(attributes: &[Attribute], helper: &str, known: &[&str]) -> Result<Self> {
        let mut read = Attributes::default();
        let mut lines = Vec::new();
        for attribute in attributes {
            if attribute.path().is_ident("doc") {
                lines.extend(doc_line(attribute));
            } else if attribute.path().is_ident(helper) {
                read.read_helper(attribute, known)?;
            }
        }
        read.documentation = lines.join("\n").trim().to_owned();
        Ok(read)
    }

    fn read_helper(&mut self, attribute: &Attribute, known: &[&str]) -> Result<()> {
        attribute.parse_nested_meta(|meta| {
            let key = meta.path.require_ident()?;
            if !known.contains(&key.to_string().as_str()) {
                return Err(meta.error(format!("unknown key `{key}`, expected {}", possible(known))));
            }
            let repeated = match key.to_string().as_str() {
                "name" => self.name.replace(meta.value()?.parse()?).is_some(),
                "say" => self.say.replace(meta.value()?.parse()?).is_some(),
                "default" => self.default.replace(meta.value()?.parse()?).is_some(),
                "range" => self.range.replace(meta.value()?.parse()?).is_some(),
                "names" => self.names.replace(meta.value()?.parse()?).is_some(),
                "entities" => {
                    let content;
                    syn::parenthesized!(content in meta.input);
                    let names = Punctuated::<LitStr, Token![,]>::parse_terminated(&content)?;
                    if names.is_empty() {
                        return Err(meta.error("at least one type of entities is needed"));
                    }
                    let repeated = !self.entities.is_empty();
                    self.entities.extend(names);
                    repeated
                }
                _ => self.word.replace(key.clone()).is_some(),
            };
            if repeated { Err(meta.error("only one is possible here")) } else { Ok(()) }
        })
    }

    /// Returns the name in the ontology for a Rust identifier.
    pub(crate) fn name_for(&self, ident: &Ident) -> LitStr {
        let derived = || LitStr::new(&lower_camel_case(&ident.unraw().to_string()), ident.span());
        self.name.clone().unwrap_or_else(derived)
    }

    /// Returns the name in the ontology for a Rust type.
    pub(crate) fn name_for_type(&self, ident: &Ident) -> LitStr {
        self.name.clone().unwrap_or_else(|| LitStr::new(&ident.unraw().to_string(), ident.span()))
    }

    /// Returns the doc comment as a literal.
    pub(crate) fn documentation(&self) -> LitStr {
        LitStr::new(&self.documentation, Span::call_site())
    }
}

/// Refuses a helper attribute where it has no effect; `place` names where it belongs.
pub(crate) fn refuse(attributes: &[Attribute], helper: &str, place: &str) -> Result<()> {
    match attributes.iter().find(|attribute| attribute.path().is_ident(helper)) {
        Some(attribute) => {
            let message = format!("`#[{helper}(..)]` has no effect here; it belongs to {place}");
            Err(Error::new_spanned(attribute, message))
        }
        None => Ok(()),
    }
}

/// Refuses two `parameters` or `words` with the same name.
pub(crate) fn refuse_twins<'a>(names: impl IntoIterator<Item = &'a LitStr>, what: &str) -> Result<()> {
    let mut seen = HashSet::new();
    match names.into_iter().find(|name| !seen.insert(name.value())) {
        Some(twin) => Err(Error::new(twin.span(), format!("two {what} have the name `{}`", twin.value()))),
        None => Ok(()),
    }
}

/// `GoTo` and `go_to` are `goTo`.
pub(crate) fn lower_camel_case(rust: &str) -> String {
    let mut name = String::new();
    let mut capital = false;
    for character in rust.chars() {
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

/// Lists the possible contents of the attribute.
fn possible(known: &[&str]) -> String {
    let written = known.iter().map(|key| match *key {
        "name" => "`name = \"..\"`".to_owned(),
        "say" => "`say = \"..\"`".to_owned(),
        "default" => "`default = ..`".to_owned(),
        "names" => "`names = ..`".to_owned(),
        "range" => "`range = ..`".to_owned(),
        "entities" => "`entities(\"..\")`".to_owned(),
        word => format!("`{word}`"),
    });
    written.collect::<Vec<_>>().join(", ")
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = &pair.value else { return None };
    Some(line.value().trim().to_owned())
}
