//! Tests of maps in characters.

use super::*;
use crate::tags;

/// Two adjacent rooms with doors at the top, blocks, robots with names, and a sequence of colours at the bottom.
fn house() -> Scene {
    let mut shapes = vec![Shape::rectangle(0.0, 0.0, 40.0, 20.0, Color::GREY)];
    for (x, name) in [(0.0, "RoomA1"), (20.0, "RoomA2")] {
        let room = Shape::rectangle(x, 4.0, 20.0, 12.0, Color(160, 160, 160));
        shapes.push(room.standing_for(name));
        let corners = [(x, 16.0), (x + 20.0, 16.0), (x + 20.0, 4.0), (x, 4.0), (x, 16.0)];
        shapes.push(Shape::line(corners, Color::BLACK));
        let plate = Shape::rectangle(x + 1.0, 5.0, 18.0, 4.0, Color(160, 160, 160));
        shapes.push(plate.standing_for(name).labelled(name));
        let door = Shape::rectangle(x + 8.0, 15.5, 4.0, 1.0, Color::GREEN);
        shapes.push(door.standing_for(name).labelled("open"));
    }
    for (x, y, label) in [(2.0, 10.0, "Re"), (18.5, 10.0, "Bl"), (19.0, 10.0, "Ye")] {
        shapes.push(Shape::rectangle(x - 0.5, y - 0.5, 1.0, 1.0, Color::RED).standing_for(label).labelled(label));
    }
    for (x, name) in [(10.0, "Bot_1"), (11.0, "Bot_2")] {
        let body = Shape::rectangle(x - 1.0, 18.0, 2.0, 2.0, Color::BLACK);
        shapes.push(body.standing_for(name).labelled(name));
        shapes.push(Shape::line([(x - 3.0, 19.0), (x + 3.0, 19.0)], Color::GREY).labelled(name));
    }
    Scene { width: 40.0, height: 20.0, shapes }
}

fn plain(scene: &Scene, columns: usize, rows: usize) -> String {
    draw(scene, &tags(scene, ["Bot_1", "Bot_2"]), columns, rows, false).lines().join("\n")
}

#[test]
fn rooms_are_boxes_with_doors_and_names() {
    let expected = "\
.........12:............................
........................................
╭───────━━━━───────╮╭───────━━━━───────╮
│::::::::::::::::::││::::::::::::::::::│
│::::::::::::::::::││::::::::::::::::::│
│:R::::::::::::::YB││::::::::::::::::::│
│::::::::::::::::::││::::::::::::::::::│
╰───── RoomA1 ─────╯╰───── RoomA2 ─────╯
........................................
........................................";
    assert_eq!(plain(&house(), 40, 10), expected);
}

#[test]
fn a_box_has_the_name_of_its_place() {
    let place = Shape::rectangle(0.0, 0.0, 20.0, 10.0, Color::GREY).standing_for("hall").labelled("hall");
    let corners = [(0.0, 0.0), (20.0, 0.0), (20.0, 10.0), (0.0, 10.0), (0.0, 0.0)];
    let scene = Scene { width: 20.0, height: 10.0, shapes: vec![place, Shape::line(corners, Color::BLACK)] };
    assert_eq!(draw(&scene, &[], 20, 5, false).lines()[0], "╭────── hall ──────╮");
}

#[test]
fn names_are_written_as_a_whole_or_not_at_all() {
    for columns in 1..90 {
        for rows in [1, 2, 4, 7, 10, 15, 22] {
            let mut text = plain(&house(), columns, rows);
            for name in ["RoomA1", "RoomA2", "A1", "A2"] {
                text = text.replacen(name, "", 1);
            }
            assert!(!text.contains(['o', 'm', 'A', 'n']), "{columns} x {rows}:\n{text}");
        }
    }
}

#[test]
fn every_entity_is_seen_in_every_window() {
    for columns in 4..90 {
        for rows in [2, 4, 7, 10, 15, 22] {
            let text = plain(&house(), columns, rows);
            let mut digits: Vec<char> =
                text.replace("A1", "").replace("A2", "").chars().filter(|letter| letter.is_ascii_digit()).collect();
            digits.sort_unstable();
            assert_eq!(digits, ['1', '2'], "{columns} x {rows}:\n{text}");
        }
    }
}

#[test]
fn a_map_uses_the_window_and_is_stretched_a_little() {
    let scene = Scene { width: 10.0, height: 4.0, shapes: Vec::new() };
    for (window, size) in
        [((80, 24), (80, 24)), ((200, 24), (190, 24)), ((40, 24), (40, 12)), ((1, 1), (1, 1)), ((9, 9), (9, 3))]
    {
        let map = draw(&scene, &[], window.0, window.1, false);
        assert_eq!((map.columns(), map.rows()), size, "in {window:?}");
    }
}

#[test]
fn empty_scenes_and_windows_are_drawn_empty() {
    for (scene, columns, rows) in [(Scene::default(), 80, 24), (house(), 0, 24), (house(), 80, 0)] {
        assert!(draw(&scene, &[], columns, rows, true).lines().is_empty());
    }
    let scene = Scene { width: f64::NAN, height: 1.0, shapes: Vec::new() };
    assert!(draw(&scene, &[], 80, 24, true).lines().is_empty());
}

#[test]
fn a_load_is_shown_beside_the_number() {
    let mut scene = house();
    scene.shapes.push(Shape::rectangle(10.0, 18.0, 1.0, 1.0, Color::BLUE).standing_for("Bot_2"));
    let tags = tags(&scene, ["Bot_1", "Bot_2"]);
    let first = &draw(&scene, &tags, 40, 10, true).lines()[0];
    assert!(first.contains("38;2;31;119;180") && first.contains('■'), "{first}");
}

#[test]
fn y_grows_upwards_and_later_shapes_cover_earlier_ones() {
    let lower = Shape::rectangle(0.0, 0.0, 4.0, 2.0, Color::BLACK);
    let upper = Shape::rectangle(0.0, 2.0, 4.0, 2.0, Color::GREY);
    let cover = Shape::rectangle(3.0, 0.0, 1.0, 4.0, Color::WHITE);
    let scene = Scene { width: 4.0, height: 4.0, shapes: vec![lower, upper, cover] };
    assert_eq!(draw(&scene, &[], 4, 2, false).lines().join("\n"), "... \n### ");
}

#[test]
fn labels_cannot_steer_the_terminal() {
    let shape = Shape::rectangle(0.0, 0.0, 8.0, 2.0, Color::BLACK).labelled("\x1bhome");
    let scene = Scene { width: 8.0, height: 2.0, shapes: vec![shape] };
    assert_eq!(draw(&scene, &[], 8, 1, false).lines(), ["##home##"]);
}

#[test]
fn extreme_numbers_do_no_harm() {
    for odd in [f64::NAN, f64::INFINITY, -1e300, 1e300] {
        let shapes = vec![
            Shape::rectangle(odd, 0.0, odd, odd, Color::RED).labelled("a"),
            Shape::rectangle(1.0, odd, 1.0, 1.0, Color::RED).standing_for("Bot_1"),
            Shape::rectangle(odd, 1.0, 1.0, odd, Color::RED).standing_for("thing").labelled("a"),
            Shape::circle(odd, odd, odd, Color::RED).labelled("b"),
            Shape::line([(odd, 0.0), (1.0, odd)], Color::RED).labelled("c"),
            Shape::line([(0.0, 0.0), (odd, 0.0), (odd, odd), (0.0, odd), (0.0, 0.0)], Color::RED),
            Shape::line([], Color::RED).labelled("d"),
        ];
        let scene = Scene { width: 4.0, height: 4.0, shapes };
        draw(&scene, &tags(&scene, ["Bot_1"]), 80, 24, true);
    }
}

#[test]
fn an_entity_larger_than_the_window_is_seen() {
    for size in [4.0, 40.0, 1e20] {
        let body = Shape::rectangle(-size / 2.0, -size / 2.0, size, size, Color::RED).standing_for("Bot_1");
        let text = plain(&Scene { width: 8.0, height: 4.0, shapes: vec![body] }, 16, 4);
        assert!(text.contains('1'), "{size}:\n{text}");
    }
}
