//! The checker detects the faults.

use situated::interface::Interface;
use situated_checker::{Report, Rule, Settings, Verdict, check_environment};

use crate::bell::{credulous, deaf, endless, sound};
use crate::corridor::Corridor;

fn check(fault: &str) -> Report {
    let settings = Settings { seeds: 1..=6, steps: 60, ..Settings::default() };
    settings.parameter("fault", fault).check_encoded::<Corridor>().expect("they fit")
}

/// The first finding about a rule.
fn finding(report: &Report, rule: Rule) -> String {
    let verified = report.rules.iter().find(|one| one.rule == rule).expect("all rules are reported");
    match &verified.verdict {
        Verdict::Failed { findings, .. } => findings[0].what.clone(),
        other => panic!("{rule:?}: {other:?}"),
    }
}

#[test]
fn passes_a_sound_environment() {
    let report = check("none");
    report.assert_passed();
    assert!(report.to_string().ends_with("15 passed, 0 failed, 0 not applicable"), "{report}");
}

#[test]
fn finds_exactly_the_fault() {
    use Rule::*;
    let cases = [
        ("globalCounter", Determinism, "another episode differs in the state"),
        ("skippedState", Saving, "loading changes the percepts of"),
        ("undeclaredPercept", Percepts, "perceives everything: there is no percept `everything`"),
        ("listedTwice", Duplicates, "perceives at("),
        ("staleRevision", Sections, "has revision 0 as in step 0, and lists"),
        ("sharedDiffers", Sections, "section 1 lists wall(0) for `ann` and not for `ben`, who share it"),
        ("restlessRevision", Relisting, "section 1 was listed"),
        ("countedRefusal", Refusals, "was rejected, but changed the state"),
        ("treasureInScene", Scenes, "with seed 2, but has another scene"),
        ("otherInScene", Scenes, "but has another scene"),
        ("treasureInMenu", Scenes, "but has another menu"),
        ("treasureInObservation", Observations, "but has another observation or mask"),
        ("outOfBounds", Bounds, "but the bounds are 0 to 1"),
        ("notWritten", Bounds, "element 1 is"),
        ("tooPermissive", Masks, "is permitted, but was rejected: there is a wall"),
        ("tooStrict", Masks, "is masked, but was accepted"),
        ("panic", Runs, "nobody expected cell 2"),
        ("noBeginning", Runs, "there is no such corridor"),
    ];
    for (fault, rule, what) in cases {
        let report = check(fault);
        assert_eq!(report.failed(), [rule], "{fault}: {report}");
        assert!(finding(&report, rule).contains(what), "{fault}: {report}");
    }
}

#[test]
fn finds_types_that_disagree_with_their_declaration() {
    let settings = Settings::default();
    check_environment::<sound::Bell>();
    let report = settings.check::<deaf::Bell>().expect("there are no parameters");
    assert_eq!(report.failed(), [Rule::Actions], "{report}");
    let report = settings.check::<credulous::Bell>().expect("there are no parameters");
    assert_eq!(report.failed(), [Rule::Forbidden], "{report}");
    let report = settings.check::<endless::Bell>().expect("there are no parameters");
    assert!(report.failed().contains(&Rule::Ontology), "{report}");
}

#[test]
fn a_finding_has_a_seed_a_step_and_a_remedy() {
    let report = check("noBeginning").to_string();
    let expected = "
runs: An episode begins with every seed, and no call breaks the environment.
  seed 3, step 0: it breaks when it begins: ";
    assert!(report.contains(expected), "{report}");
    assert!(report.contains("\n  what to do: return a failure with a reason"), "{report}");
}

#[test]
fn reports_are_the_same_each_time() {
    assert_eq!(check("tooStrict"), check("tooStrict"));
    assert_eq!(check("otherInScene"), check("otherInScene"));
}

#[test]
#[should_panic(expected = "FAILED  forbidden")]
fn the_assertion_panics_with_the_report() {
    check_environment::<credulous::Bell>();
}

#[test]
fn rejects_invalid_parameters() {
    let refused = Settings::default().parameter("falt", "none").check::<Corridor>();
    let refused = refused.expect_err("there is no such parameter").to_string();
    assert_eq!(refused, "there is no parameter `falt`; did you mean `fault`?");
}

#[test]
fn by_name_finds_faults_that_are_visible_from_outside() {
    let check = |fault: &str| {
        let settings = Settings { seeds: 1..=3, steps: 40, ..Settings::default() };
        settings
            .parameter("fault", fault)
            .check_by_name(|| Ok(Box::new(Interface::<Corridor>::new())))
            .expect("it can be made")
    };
    let report = check("none");
    report.assert_passed();
    assert!(report.to_string().contains("n/a     saving"), "{report}");
    for (fault, rule) in [
        ("undeclaredPercept", Rule::Percepts),
        ("otherInScene", Rule::Scenes),
        ("panic", Rule::Runs),
        ("noBeginning", Rule::Runs),
    ] {
        let report = check(fault);
        assert_eq!(report.failed(), [rule], "{fault}: {report}");
    }
}
