//! Content in XML, as used by agents that follow the tutorial *ACL & Protocols*.
//!
//! Time and memory are linear in the length of the content, regardless of its depth. Prefixes and entities may be
//! declared elsewhere. Document types are malformed here.

use crate::Content;
use crate::xml::characters::write_text;
use crate::xml::document::Document;

/// Returns the contents of the first element with this name as written, without blanks around them. Returns `None` if
/// the content is not text, has no such element, or is malformed before its end.
///
/// ```
/// use situated_acl::content::xml;
///
/// let content = "<product>plums</product><price> 50 </price>".into();
/// assert_eq!(xml::element(&content, "price"), Some("50"));
/// ```
pub fn element<'a>(content: &'a Content<'_>, name: &str) -> Option<&'a str> {
    elements(content, name).next()
}

/// Returns the contents of each element with this name that is not inside another one, in order, up to the first
/// malformed place.
///
/// ```
/// use situated_acl::content::xml;
///
/// let content = "<products><product>plums</product><product>peaches</product></products>".into();
/// assert_eq!(xml::elements(&content, "product").collect::<Vec<_>>(), ["plums", "peaches"]);
/// ```
pub fn elements<'a>(content: &'a Content<'_>, name: &str) -> impl Iterator<Item = &'a str> {
    let mut document = Document::fragment(content.as_text().unwrap_or_default());
    std::iter::from_fn(move || document.inside_next(name).ok()?.map(str::trim)).fuse()
}

/// Creates a reason for a `refuse`, a `failure` or a `not-understood`: `<reason>insufficient-funds</reason>`.
pub fn reason(why: &str) -> Content<'static> {
    let mut text = String::from("<reason>");
    write_text(&mut text, why);
    (text + "</reason>").into()
}

/// Returns the action and the condition of a conditional request: `<message>…</message><condition>…</condition>`.
pub fn action_and_condition<'a>(content: &'a Content<'_>) -> Option<(&'a str, &'a str)> {
    Some((element(content, "message")?, element(content, "condition")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_elements_at_any_depth_and_returns_them_unchanged() {
        let content = "<a><message>(inform :content <price></price>)</message><b/></a><condition>x</condition>".into();
        assert_eq!(action_and_condition(&content), Some(("(inform :content <price></price>)", "x")));
        assert_eq!((element(&content, "b"), element(&content, "c")), (Some(""), None));
    }

    #[test]
    fn returns_elements_in_order_up_to_the_first_malformed_place() {
        let inside = |text: &'static str| elements(&text.into(), "a").map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(inside("<a>1</a><b><a> 2 </a></b><a/>"), ["1", "2", ""]);
        assert_eq!(inside("<a><a>1</a></a><a>2</a>"), ["<a>1</a>", "2"]);
        assert_eq!(inside("<a>1</a></b><a>2</a>"), ["1"]);
        assert_eq!(inside("<a>1</a><a>2"), ["1"]);
        assert_eq!(inside("<a>1</a><!DOCTYPE a><a>2</a>"), ["1"]);
    }

    #[test]
    fn prefixes_and_entities_may_be_declared_elsewhere() {
        let content = "<x:a y:b=''>caf&eacute; &amp; bar</x:a>".into();
        assert_eq!(element(&content, "x:a"), Some("caf&eacute; &amp; bar"));
    }

    #[test]
    fn finds_no_elements_in_other_content() {
        for broken in ["<a>", "<a></b>", "<a", "", "a", "<x></y><a></a>"] {
            assert_eq!(element(&broken.into(), "a"), None, "{broken}");
        }
        assert_eq!(element(&Content::from(&[0xff][..]), "a"), None);
        let deep = "<x>".repeat(100_000).into();
        assert_eq!(element(&deep, "a"), None);
    }

    #[test]
    fn reads_the_reasons_that_it_writes() {
        assert_eq!(reason("ontology"), "<reason>ontology</reason>".into());
        assert_eq!(element(&reason("a < b"), "reason"), Some("a &lt; b"));
    }
}
