//! A diagram of a protocol's states: a tree of transitions, with lines back to states that are already drawn.

use std::collections::VecDeque;
use std::fmt::Write;

use situated_acl::{Effect, Phase, Profile, Protocol, Role};

const ROW: usize = 30;
const INDENT: usize = 30;
const MARGIN: usize = 16;
const LETTER: usize = 8;
const LANE: usize = 16;

const STYLE: &str = "\
.card{fill:#fbfbf8;stroke:#d4d4cc}.edge{fill:none;stroke:#8a8f98}.back{fill:none;stroke:#b07d2b}\
.state{fill:#ffffff;stroke:#5b6470}.end{fill:#eceef1;stroke:#5b6470}.inner{fill:none;stroke:#5b6470}\
.again{fill:none;stroke:#b07d2b;stroke-dasharray:4 3}\
text{fill:#1c1e22}.initiator{fill:#1d5fa8}.participant{fill:#2c7a3f}.meaning,.silence{fill:#6a6f78}\
.arrow{fill:#b07d2b}";

/// A change of state, or the beginning.
struct Line {
    depth: usize,
    /// The line of the state before.
    parent: Option<usize>,
    to: Phase,
    /// Whether the state is drawn here. Otherwise a line leads back to it.
    is_drawn: bool,
    by: Option<Role>,
    label: String,
    meaning: &'static str,
}

struct Change {
    from: Phase,
    to: Phase,
    by: Option<Role>,
    label: String,
    meaning: &'static str,
}

pub(crate) fn svg(protocol: Protocol) -> String {
    let lines = lines(protocol);
    let mut out = String::new();
    draw(&mut out, protocol, &lines).expect("a string can be written to");
    out
}

/// All transitions except those by crossing messages, in the order of the table.
fn changes(protocol: Protocol) -> Vec<Change> {
    let rows = protocol.table().rows.iter().filter_map(|row| {
        let Effect::To(to) = row.effect else { return None };
        let only = if row.only == Some(Profile::Tutorial) { " (tutorial)" } else { "" };
        let letter = row.by.name()[..1].to_uppercase();
        let label = format!("{letter} {}{only}", row.act);
        Some(Change { from: row.from, to, by: Some(row.by), label, meaning: row.meaning })
    });
    let silences = protocol.table().silences.iter().map(|silence| Change {
        from: silence.in_phase,
        to: silence.to,
        by: None,
        label: "deadline".into(),
        meaning: silence.meaning,
    });
    rows.chain(silences).collect()
}

fn lines(protocol: Protocol) -> Vec<Line> {
    let changes = changes(protocol);
    let drawn = first_ways(&changes);
    let begin =
        Line { depth: 0, parent: None, to: Phase::Start, is_drawn: true, by: None, label: String::new(), meaning: "" };
    let mut lines = vec![begin];
    add_changes(&changes, &drawn, 0, &mut lines);
    lines
}

/// The transition by which each state is first reached, on the shortest path.
fn first_ways(changes: &[Change]) -> Vec<usize> {
    let mut reached = vec![Phase::Start];
    let mut ways = Vec::new();
    let mut queue = VecDeque::from([Phase::Start]);
    while let Some(phase) = queue.pop_front() {
        for (place, change) in changes.iter().enumerate().filter(|(_, change)| change.from == phase) {
            if !reached.contains(&change.to) {
                reached.push(change.to);
                ways.push(place);
                queue.push_back(change.to);
            }
        }
    }
    ways
}

fn add_changes(changes: &[Change], drawn: &[usize], parent: usize, lines: &mut Vec<Line>) {
    let (phase, depth) = (lines[parent].to, lines[parent].depth + 1);
    for (place, change) in changes.iter().enumerate().filter(|(_, change)| change.from == phase) {
        let is_first = drawn.contains(&place);
        let Change { to, by, ref label, meaning, .. } = *change;
        let is_drawn = is_first || to.is_terminal();
        lines.push(Line { depth, parent: Some(parent), to, is_drawn, by, label: label.clone(), meaning });
        if is_first {
            add_changes(changes, drawn, lines.len() - 1, lines);
        }
    }
}

fn x_of(line: &Line) -> usize {
    MARGIN + line.depth * INDENT
}

fn y_of(place: usize) -> usize {
    MARGIN + place * ROW + ROW / 2
}

fn pill_width(phase: Phase) -> usize {
    phase.name().len() * LETTER + 22
}

/// The position at which the text of a line ends.
fn end_of(line: &Line) -> usize {
    let letters = line.label.len() + line.meaning.len() + 1;
    x_of(line) + pill_width(line.to) + 12 + letters * LETTER
}

/// The lines that lead back, each with the line of their target state and their lane.
fn ways_back(lines: &[Line]) -> Vec<(usize, usize, usize)> {
    let mut ways = Vec::<(usize, usize, usize)>::new();
    for (place, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_drawn) {
        let target =
            lines.iter().position(|other| other.is_drawn && other.to == line.to).expect("it is drawn somewhere");
        let (top, bottom) = (place.min(target), place.max(target));
        let is_free = |lane: &usize| {
            ways.iter().all(|(from, to, other)| other != lane || *from.max(to) < top || *from.min(to) > bottom)
        };
        let lane = (0..).find(is_free).expect("there is always another lane");
        ways.push((place, target, lane));
    }
    ways
}

fn draw(out: &mut String, protocol: Protocol, lines: &[Line]) -> std::fmt::Result {
    let back = ways_back(lines);
    let lanes = back.iter().map(|(.., lane)| lane + 1).max().unwrap_or(0);
    let text = lines.iter().map(end_of).max().unwrap_or(0);
    let (width, height) = (text + lanes * LANE + 2 * MARGIN, lines.len() * ROW + 2 * MARGIN);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\">"
    )?;
    writeln!(out, "<title>States of {protocol}</title>\n<style>{STYLE}</style>")?;
    writeln!(
        out,
        "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>",
        width - 1,
        height - 1
    )?;
    for (place, target, lane) in &back {
        draw_way_back(out, lines, (*place, *target), text + MARGIN + lane * LANE)?;
    }
    for (place, line) in lines.iter().enumerate() {
        draw_line(out, lines, place, line)?;
    }
    writeln!(out, "</svg>")
}

fn draw_way_back(out: &mut String, lines: &[Line], (from, to): (usize, usize), lane: usize) -> std::fmt::Result {
    let (start, end) = (end_of(&lines[from]) + 6, end_of(&lines[to]) + 8);
    let (y, target) = (y_of(from) - 4, y_of(to) + 4);
    writeln!(out, "<path class=\"back\" d=\"M{start} {y} H{lane} V{target} H{}\"/>", end + 6)?;
    let (top, bottom) = (target - 4, target + 4);
    writeln!(out, "<path class=\"arrow\" d=\"M{end} {target} L{tail} {top} L{tail} {bottom} Z\"/>", tail = end + 8)
}

fn draw_line(out: &mut String, lines: &[Line], place: usize, line: &Line) -> std::fmt::Result {
    let (x, y, width) = (x_of(line), y_of(place), pill_width(line.to));
    if let Some(parent) = line.parent {
        let (trunk, top) = (x_of(&lines[parent]) + 14, y_of(parent) + 11);
        writeln!(out, "<path class=\"edge\" d=\"M{trunk} {top} V{y} H{x}\"/>")?;
    }
    let class = match (line.is_drawn, line.to.is_terminal()) {
        (false, _) => "again",
        (true, true) => "end",
        (true, false) => "state",
    };
    let pill = |out: &mut String, class: &str, inset: usize| {
        let (x, y, width, height) = (x + inset, y - 11 + inset, width - 2 * inset, 22 - 2 * inset);
        let radius = 11 - inset;
        writeln!(
            out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>"
        )
    };
    pill(out, class, 0)?;
    if class == "end" {
        pill(out, "inner", 3)?;
    }
    let baseline = y + 4;
    writeln!(out, "<text x=\"{}\" y=\"{baseline}\" text-anchor=\"middle\">{}</text>", x + width / 2, line.to)?;
    if line.label.is_empty() {
        return Ok(());
    }
    let (who, at) = (line.by.map_or("silence", Role::name), x + width + 12);
    writeln!(out, "<text class=\"{who}\" x=\"{at}\" y=\"{baseline}\">{}</text>", line.label)?;
    let at = at + (line.label.len() + 1) * LETTER;
    writeln!(out, "<text class=\"meaning\" x=\"{at}\" y=\"{baseline}\">{}</text>", line.meaning)
}
