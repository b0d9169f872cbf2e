//! Tests that are specific to this notation; `tests/notations.rs` has the properties of all of them.

use super::*;
use crate::iil::MAX_DEPTH;

/// The examples of the EIS paper, section 3.2.
#[test]
fn paper() {
    let cases = [
        (
            "moveTo(2,3)",
            r#"<action name="moveTo">
  <actionParameter>
    <number value="2"/>
  </actionParameter>
  <actionParameter>
    <number value="3"/>
  </actionParameter>
</action>
"#,
        ),
        (
            "followPath([pos(1,1),pos(2,1)],speed(10.0))",
            r#"<action name="followPath">
  <actionParameter>
    <parameterList>
      <function name="pos">
        <number value="1"/>
        <number value="1"/>
      </function>
      <function name="pos">
        <number value="2"/>
        <number value="1"/>
      </function>
    </parameterList>
  </actionParameter>
  <actionParameter>
    <function name="speed">
      <number value="10.0"/>
    </function>
  </actionParameter>
</action>
"#,
        ),
    ];
    for (text, xml) in cases {
        let action: Action = text.parse().unwrap();
        assert_eq!(action.to_xml(), xml);
        assert_eq!(Action::from_xml(xml), Ok(action));
    }
}

/// The layout in which the paper prints the first example.
#[test]
fn other_layouts() {
    let xml = r#"
<action name="moveTo">
  <actionParameter> <number value="2"/> </actionParameter>
  <actionParameter> <number value="3"/> </actionParameter>
</action>"#;
    assert_eq!(Action::from_xml(xml), Ok(Action::new("moveTo", [2.into(), 3.into()])));
}

#[test]
fn containers() {
    let skip = Action::new("skip", []);
    assert_eq!(skip.to_xml(), "<action name=\"skip\"/>\n");
    assert_eq!(Action::from_xml("<action name='skip'></action>"), Ok(skip));

    let raining = Percept::new("raining", [true.into()]);
    let xml = "<percept name=\"raining\">\n  <perceptParameter>\n    <truthvalue value=\"true\"/>\n  \
                   </perceptParameter>\n</percept>\n";
    assert_eq!(raining.to_xml(), xml);
    assert_eq!(Percept::from_xml(xml), Ok(raining));
}

#[test]
fn parameters_print_and_read_back() {
    let cases: Vec<(&str, Parameter)> = vec![
        (r#"<number value="-2"/>"#, (-2).into()),
        (r#"<number value="1.0e21"/>"#, 1e21.into()),
        (r#"<number value="-1.0Inf"/>"#, f64::NEG_INFINITY.into()),
        (r#"<number value="1.5NaN"/>"#, f64::from_bits(0x7FF8_0000_0000_0000).into()),
        (r#"<truthvalue value="false"/>"#, false.into()),
        (r#"<identifier value="true"/>"#, "true".into()),
        (r#"<identifier value=""/>"#, "".into()),
        (r#"<identifier value=" a  b "/>"#, " a  b ".into()),
        (r#"<identifier value="&lt;&gt;&amp;&quot;'&#9;&#10;&#13;"/>"#, "<>&\"'\t\n\r".into()),
        (r#"<identifier value="'\x00\'"/>"#, "'\\x00\\'".into()),
        (r#"<identifier quotedValue="'\x00\'"/>"#, "\0".into()),
        (r#"<identifier quotedValue="'&lt;\'\\\x1F\\n\xFFFF\'"/>"#, "<'\\\x1F\n\u{FFFF}".into()),
        ("<identifier value=\"\u{7F}\u{85}\u{2028}\u{FFFD}😀\"/>", "\u{7F}\u{85}\u{2028}\u{FFFD}😀".into()),
        ("<parameterList/>", vec![].into()),
        (r#"<function name="f"/>"#, Function::new("f", []).into()),
        (r#"<function quotedName="'\x01\'"/>"#, Function::new("\u{1}", []).into()),
    ];
    for (xml, parameter) in cases {
        let xml = format!("{xml}\n");
        assert_eq!(parameter.to_xml(), xml);
        assert_eq!(Parameter::from_xml(&xml), Ok(parameter));
    }
}

#[test]
fn reading_is_kinder_than_writing() {
    let cases: Vec<(&str, Parameter)> = vec![
        ("\u{FEFF}<?xml version='1.0'?>\r\n<!-- a --><?b c?><number value='2'/>\n<!-- d -->", 2.into()),
        ("<number\n  value = \" 2 \"\n></number\t>", 2.into()),
        ("<identifier value='a\tb\r\nc&#x41;&apos;'/>", "a b cA'".into()),
        ("<identifier quotedValue='word'/>", "word".into()),
        ("<parameterList> <!-- none --> </parameterList>", vec![].into()),
    ];
    for (xml, parameter) in cases {
        assert_eq!(Parameter::from_xml(xml), Ok(parameter), "{xml}");
    }
}

#[test]
fn errors_say_where_and_what() {
    let tag = "a tag";
    let xml = "well-formed XML";
    let value = "one attribute, `value`";
    let rest = "the rest of an element";
    let number = r#"<number value="1"/>"#;
    let cases = [
        ("", 1, 1, "end of text", "an element"),
        ("  \n ", 2, 2, "end of text", "an element"),
        ("text", 1, 1, "`t`", tag),
        ("<!DOCTYPE a><a/>", 1, 1, "a document type", "an element"),
        ("\n <?xml version='1.0'?>", 2, 2, "`<`", tag),
        ("<![CDATA[a]]>", 1, 2, "invalid name token", xml),
        ("&lt;", 1, 1, "`&`", tag),
        ("<foo/>", 1, 1, "`<foo>`", PARAMETER),
        ("</foo>", 1, 2, "invalid name token", xml),
        ("<parameterList>\n  é<foo/></parameterList>", 2, 3, "`é`", tag),
        ("<parameterList>\n  <foo/></parameterList>", 2, 3, "`<foo>`", PARAMETER),
        ("<parameterList>\n", 2, 1, "end of text", rest),
        ("<parameterList>\n</function>", 2, 1, "`</function>`", "`</parameterList>`"),
        ("<parameterList a='1'/>", 1, 1, "attribute `a`", "no attribute"),
        ("<number/>", 1, 1, "`<number>`", value),
        ("<number value='1' value='2'/>", 1, 19, "attribute 'value' is already defined", xml),
        ("<number value='1' b='2'/>", 1, 1, "attribute `b`", value),
        ("<number quotedValue='1'/>", 1, 1, "attribute `quotedValue`", value),
        ("<number value/>", 1, 14, "expected '=' not '/'", xml),
        ("<number value=1/>", 1, 15, "expected a quote not '1'", xml),
        ("<number value=/>", 1, 15, "expected a quote not '/'", xml),
        ("<number value='two'/>", 1, 1, "`t`", "a digit"),
        ("<number value='1.'/>", 1, 1, "`.`", "end of text"),
        ("<number value='1'>2</number>", 1, 19, "`2`", tag),
        ("<number value='1'><a/></number>", 1, 19, "`<a>`", "`</number>`"),
        ("<truthvalue value='True'/>", 1, 1, "`True`", "`true` or `false`"),
        ("<identifier value='&a;'/>", 1, 20, "unknown entity reference 'a'", xml),
        ("<identifier value='&#0;'/>", 1, 20, "malformed entity reference", xml),
        ("<identifier value='&#1;'/>", 1, 20, "malformed entity reference", xml),
        ("<identifier value='a<b'/>", 1, 21, "expected ''' not '<'", xml),
        ("<identifier value='\u{1}'/>", 1, 20, "a non-XML character '\\u{1}' found", xml),
        ("<identifier quotedValue=\"'a\"/>", 1, 1, "end of text", "closing quote `'`"),
        ("<function/>", 1, 1, "`<function>`", "one attribute, `name` or `quotedName`"),
        ("<number value='1'/><number value='1'/>", 1, 20, "`<`", tag),
        ("<number value='1'", 1, 18, "end of text", rest),
        ("<!-- a -- b --><number value='1'/>", 1, 1, "comment contains '--'", xml),
        ("<a:number value='1'/>", 1, 2, "an unknown namespace prefix 'a'", xml),
        ("<parameterList>]]></parameterList>", 1, 19, "']]>' is not allowed inside a character data", xml),
    ];
    for (xml, line, column, found, expected) in cases {
        let (found, expected) = (found.to_owned(), expected.to_owned());
        let error = SyntaxError { line, column, found, expected };
        assert_eq!(Parameter::from_xml(xml), Err(error), "{xml}");
    }
    let wrapper = "`<actionParameter>`";
    let cases = [
        (number.to_owned(), 1, 1, "`<number>`", "`<action>`"),
        (format!("<action name='a'>\n{number}</action>"), 2, 1, "`<number>`", wrapper),
        ("<action name='a'><actionParameter/></action>".to_owned(), 1, 18, wrapper, PARAMETER),
        (
            format!("<action name='a'><actionParameter>{number}{number}</actionParameter></action>"),
            1,
            54,
            "`<number>`",
            "`</actionParameter>`",
        ),
        ("<action name='a'><actionParameter b='c'/></action>".to_owned(), 1, 18, "attribute `b`", "no attribute"),
    ];
    for (xml, line, column, found, expected) in cases {
        let (found, expected) = (found.to_owned(), expected.to_owned());
        let error = SyntaxError { line, column, found, expected };
        assert_eq!(Action::from_xml(&xml), Err(error), "{xml}");
    }
}

#[test]
fn errors_say_where_the_nesting_is_too_deep() {
    for nest in [|inner| Parameter::from(vec![inner]), |inner| Function::new("f", [inner]).into()] {
        let too_deep = (0..=MAX_DEPTH).fold(1.into(), |inner, _| nest(inner));
        let error = Parameter::from_xml(&too_deep.to_xml()).unwrap_err();
        assert_eq!((error.line, error.column), (49, 97));
    }
}
