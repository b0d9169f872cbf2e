//! The arguments of tools as parameters of actions.

use serde_json::{Map, Value};
use situated::iil::{Action, Function, Parameter};
use situated::names::{did_you_mean, nearest};
use situated::ontology::{Field, NamedTypes, Signature, Type};

/// The greatest depth of lists and objects within one another.
const DEPTH: usize = 32;

/// Makes an action of the arguments of a tool. Among several declarations, the one with these parameters is meant.
///
/// # Errors
/// Returns an error that says which parameters the action has.
pub(crate) fn action(
    declared: &[&Signature],
    types: &NamedTypes,
    given: &Map<String, Value>,
) -> Result<Action, String> {
    let fits = |signature: &&&Signature| {
        let known = |name: &String| signature.parameters.iter().any(|field| field.name == *name);
        let present = |field: &Field| field.optional || given.contains_key(&field.name);
        given.keys().all(known) && signature.parameters.iter().all(present)
    };
    let Some(signature) = declared.iter().find(fits) else {
        let usage: Vec<String> = declared.iter().map(|signature| signature.to_string()).collect();
        let known = || declared.iter().flat_map(|signature| &signature.parameters).map(|field| field.name.as_str());
        let why = match given.keys().find(|name| !known().any(|known| known == name.as_str())) {
            Some(name) => format!("there is no argument `{name}`{}", did_you_mean(nearest(name, known()))),
            None => "the arguments do not fit".to_owned(),
        };
        return Err(format!("{why}; this tool stands for {}", usage.join(" or ")));
    };
    let parameters = parameters(&signature.parameters, types, given, 0)?;
    Ok(Action::new(signature.name.as_str(), parameters))
}

/// Returns the parameters of an action or a function, in order. An optional one that is missing is the last.
fn parameters(
    fields: &[Field],
    types: &NamedTypes,
    given: &Map<String, Value>,
    depth: usize,
) -> Result<Vec<Parameter>, String> {
    let mut parameters = Vec::with_capacity(fields.len());
    for field in fields {
        match given.get(&field.name) {
            None | Some(Value::Null) if field.optional => break,
            None => return Err(format!("`{}` is missing", field.name)),
            Some(value) => {
                let parameter = parameter(value, &field.of, types, depth + 1);
                parameters.push(parameter.map_err(|error| format!("`{}`: {error}", field.name))?);
            }
        }
    }
    Ok(parameters)
}

fn parameter(value: &Value, of: &Type, types: &NamedTypes, depth: usize) -> Result<Parameter, String> {
    if depth > DEPTH {
        return Err(format!("the value is nested more than {DEPTH} deep"));
    }
    if let Type::Named(name) = of
        && let Some(named) = types.get(name)
    {
        return parameter(value, &named.of, types, depth + 1);
    }
    if let (Value::String(text), Type::Integer { .. } | Type::Number | Type::TruthValue) = (value, of)
        && let Some(value) = unquoted(text)
    {
        return parameter(&value, of, types, depth);
    }
    // The environment checks everything else, with an error that says what was expected.
    match value {
        Value::Null => Err("there is no value".into()),
        Value::Bool(value) => Ok(Parameter::TruthValue(*value)),
        Value::Number(number) => Ok(match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().unwrap_or(f64::NAN).into(),
        }),
        Value::String(text) => Ok(text.as_str().into()),
        Value::Array(values) => {
            let of = if let Type::List(of) = of { of } else { &Type::Any };
            let values = values.iter().map(|value| parameter(value, of, types, depth + 1));
            Ok(Parameter::List(values.collect::<Result<_, _>>()?))
        }
        Value::Object(given) => {
            let Type::Function(function) = of else { return Err("an object was not expected here".into()) };
            let parameters = parameters(&function.parameters, types, given, depth + 1)?;
            Ok(Parameter::Function(Box::new(Function::new(function.name.as_str(), parameters))))
        }
    }
}

/// Returns the number or truth value in a text: some models put all values in quotes.
pub fn unquoted(text: &str) -> Option<Value> {
    // Python's `True` is not rare.
    let value = serde_json::from_str(&text.to_ascii_lowercase()).ok();
    value.filter(|value: &Value| value.is_number() || value.is_boolean())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use situated::ontology::NamedType;

    use super::*;

    fn field(name: &str, of: Type) -> Field {
        Field::new(name, "", of)
    }

    fn signature(name: &str, parameters: Vec<Field>) -> Signature {
        Signature { name: name.into(), documentation: String::new(), parameters }
    }

    /// A tree within a tree, as deep as one likes.
    fn trees() -> NamedTypes {
        let inner = Type::List(Box::new(Type::Named("Tree".into())));
        let of = Type::Function(Box::new(signature("tree", vec![field("children", inner)])));
        [("Tree".to_owned(), NamedType { documentation: String::new(), of })].into()
    }

    fn read(declared: &[&Signature], given: Value) -> Result<String, String> {
        let Value::Object(given) = given else { panic!("not an object") };
        action(declared, &trees(), &given).map(|action| action.to_string())
    }

    #[test]
    fn the_arguments_choose_among_declarations() {
        let point = signature("goTo", vec![field("x", Type::Number), field("y", Type::Number)]);
        let place = signature("goTo", vec![field("place", Type::Identifier)]);
        let both = [&point, &place];
        assert_eq!(read(&both, json!({ "y": 2, "x": 1.5 })), Ok("goTo(1.5,2)".into()));
        assert_eq!(read(&both, json!({ "place": "roomA" })), Ok("goTo(roomA)".into()));
        for wrong in [json!({}), json!({ "x": 1 }), json!({ "x": 1, "y": 2, "z": 3 })] {
            assert!(read(&both, wrong).unwrap_err().contains("goTo(x: number, y: number) or goTo(place)"));
        }
        let misspelt = read(&both, json!({ "plase": "roomA" })).unwrap_err();
        assert!(misspelt.starts_with("there is no argument `plase`; did you mean `place`?"), "{misspelt}");
    }

    #[test]
    fn a_missing_optional_parameter_is_left_out() {
        let mut how = field("how", Type::Identifier);
        how.optional = true;
        let go = signature("go", vec![field("to", Type::Any), how]);
        assert_eq!(read(&[&go], json!({ "to": [true, "x"] })), Ok("go([true,x])".into()));
        assert_eq!(read(&[&go], json!({ "to": 1, "how": null })), Ok("go(1)".into()));
        assert_eq!(read(&[&go], json!({ "to": 1, "how": "fast" })), Ok("go(1,fast)".into()));
    }

    #[test]
    fn numbers_and_truth_values_in_quotes_are_accepted_where_they_are_declared() {
        let integer = Type::Integer { minimum: 1, maximum: 9 };
        let all = [
            ("times", Type::List(Box::new(integer))),
            ("speed", Type::Number),
            ("fast", Type::TruthValue),
            ("name", Type::Identifier),
            ("tag", Type::Any),
        ];
        let go = signature("go", all.map(|(name, of)| field(name, of)).into());
        let given = json!({ "times": ["2", 3], "speed": "-1.5", "fast": "True", "name": "7", "tag": "true" });
        assert_eq!(read(&[&go], given), Ok("go([2,3],-1.5,true,'7','true')".into()));
        let given = json!({ "times": [], "speed": "fast", "fast": "yes", "name": "x", "tag": "y" });
        assert_eq!(read(&[&go], given), Ok("go([],fast,yes,x,y)".into()));
    }

    #[test]
    fn objects_are_functions_of_a_bounded_depth() {
        let plant = signature("plant", vec![field("tree", Type::Named("Tree".into()))]);
        let mut tree = json!({ "children": [] });
        assert_eq!(read(&[&plant], json!({ "tree": tree })), Ok("plant(tree([]))".into()));
        for _ in 0..DEPTH {
            tree = json!({ "children": [tree] });
        }
        assert!(read(&[&plant], json!({ "tree": tree })).unwrap_err().contains("nested"));
        assert!(read(&[&plant], json!({ "tree": {} })).unwrap_err().contains("`children` is missing"));
    }
}
