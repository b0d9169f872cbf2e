//! Examining maps for their authors: all problems, doubtful parts, and whether the sequence can be delivered.

use situated::document::{DocumentForm, Examination, Finding, Severity};
use situated::random::Random;

use super::check::{Flaw, MapPart};
use super::{Map, ZoneKind};
use crate::Color;

/// Name of the original's format, and of the same as JSON, for programs.
const FORMATS: [&str; 2] = ["xml", "json"];

impl Map {
    /// Examines a text that should be a [map](Map::named_or_read). With a seed, the forms are those of the map with its
    /// random contents [chosen](Map::filled).
    pub fn examine(text: &str, seed: Option<u64>) -> Examination {
        let examined = if text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']).starts_with('<') {
            Map::read_unchecked(text, |map, line| Ok(map.examined(&|place| Some(line(place)), seed)))
        } else {
            Map::named_or_read(text).map(|map| map.examined(&|_| None, seed))
        };
        examined.unwrap_or_else(Examination::from)
    }

    /// Returns the map with its random contents chosen: blocks in its rooms, and the sequence. A map with a
    /// [seed](Map::seed) of its own always has the same contents. The map must be [sound](Map::check).
    pub fn filled(&self, seed: u64) -> Map {
        let filling = self.fill(&mut Random::new(seed));
        let mut map = Map { random_blocks: 0, random_sequence: 0, sequence: filling.sequence, ..self.clone() };
        map.zones.iter_mut().for_each(|zone| zone.blocks.clear());
        for block in filling.blocks {
            map.zones[block.zone].blocks.push(block.color);
        }
        map
    }

    fn examined(&self, line: &dyn Fn(MapPart) -> Option<usize>, seed: Option<u64>) -> Examination {
        let flaws = self.flaws();
        let is_sound = flaws.is_empty();
        let filled = seed.filter(|_| is_sound).map(|seed| self.filled(seed));
        let map = filled.as_ref().unwrap_or(self);
        let mut facts: Vec<(Severity, Flaw)> = flaws.into_iter().map(|flaw| (Severity::Error, flaw)).collect();
        if is_sound {
            facts.extend(map.doubts().into_iter().map(|doubt| (Severity::Warning, doubt)));
            facts.push(map.solvability());
        }
        facts.sort_by_key(|(severity, _)| *severity);
        facts.truncate(situated::document::MOST_FINDINGS);
        let finding = |(severity, Flaw { place, problem }): (Severity, Flaw)| Finding {
            severity,
            line: line(place),
            place: self.element(place),
            path: match place {
                MapPart::Map => String::new(),
                MapPart::Spawn(index) => format!("spawns/{index}"),
                MapPart::Zone(index) => format!("zones/{index}"),
            },
            text: problem,
        };
        let texts = [map.to_xml(), serde_json::to_string(map).expect("a map can be written as JSON")];
        let forms = FORMATS.into_iter().zip(texts).map(|(format, text)| DocumentForm::new(format, text));
        Examination::new(facts.into_iter().map(finding).collect(), forms.collect())
    }

    /// Returns the parts of a sound map that are probably not as intended.
    fn doubts(&self) -> Vec<Flaw> {
        let mut doubts = Vec::new();
        let mut doubt = |place, problem: &str| doubts.push(Flaw { place, problem: problem.to_owned() });
        if self.spawns.is_empty() {
            doubt(MapPart::Map, "it has no starting points; robots begin anywhere in its halls");
        }
        let reached = self.drop_zone().map(|drop_zone| self.connected(drop_zone, &self.ways().0));
        let mut taken = vec![false; self.zones.len()];
        for (index, spawn) in self.spawns.iter().enumerate() {
            let place = MapPart::Spawn(index);
            let Some(zone) = self.zones.iter().position(|zone| zone.bounds.contains(spawn.position)) else { continue };
            match self.zones[zone].kind {
                ZoneKind::Room => doubt(place, "it lies in a room; robots begin in halls"),
                ZoneKind::Blockade => doubt(place, "it lies in a blockade"),
                _ if reached.as_ref().is_some_and(|reached| !reached[zone]) => {
                    doubt(place, "no way leads from it to the drop zone");
                }
                ZoneKind::Corridor if self.one_bot_per_corridor_zone && taken[zone] => {
                    doubt(place, "another starting point is in the same hall, which holds one robot");
                }
                _ => taken[zone] = true,
            }
        }
        doubts
    }

    /// Returns whether robots can deliver the sequence. On a sound map they can reach every room, so it depends only on
    /// the number of blocks of each colour.
    fn solvability(&self) -> (Severity, Flaw) {
        let fixed = self.zones.iter().flat_map(|zone| &zone.blocks);
        let mut free = [0usize; Color::ALL.len()];
        fixed.for_each(|color| free[*color as usize] += 1);
        let mut missing = [0usize; Color::ALL.len()];
        for color in &self.sequence {
            match &mut free[*color as usize] {
                0 => missing[*color as usize] += 1,
                free => *free -= 1,
            }
        }
        let length = self.sequence.len() + self.random_sequence as usize;
        let short: usize = missing.iter().sum();
        let names = Color::ALL.into_iter().filter(|color| missing[*color as usize] > 0);
        let names: Vec<String> =
            names.map(|color| format!("{} {}", missing[color as usize], color.name().to_lowercase())).collect();
        let names = names.join(", ");
        let of_map = |severity, problem| (severity, Flaw { place: MapPart::Map, problem });
        if length == 0 {
            return of_map(Severity::Warning, "the sequence is empty, so there is nothing to deliver".to_owned());
        }
        if short == 0 {
            return of_map(Severity::Note, format!("all {length} colours of the sequence can be delivered"));
        }
        if short > self.random_blocks as usize {
            let problem = format!("the sequence cannot be delivered: blocks are missing in the rooms: {names}");
            return of_map(Severity::Warning, problem);
        }
        if self.seed.is_some() {
            // Its own seed decides, and no other.
            return self.filled(0).solvability();
        }
        let problem = format!("whether the sequence can be delivered depends on the random blocks; needed are {names}");
        of_map(Severity::Warning, problem)
    }
}
