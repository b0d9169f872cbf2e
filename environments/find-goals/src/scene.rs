//! The pictures of the maze: as a whole (the document's figures 1 and 2), and as a walker sees it (figures 8 and 9).
//! A cell is a square of one unit.

use situated::scene::{Color, Role, Scene, Shape};

use crate::View;
use crate::maze::{Body, Cell, Direction, HEIGHT, Maze, Sight, WIDTH};

/// Width of a walker, as a part of its cell.
const BODY: f64 = 0.8;

/// Part of white in the colours of starts and goals.
const TINT: f64 = 0.75;

/// Returns the whole maze, with both walkers, starts and goals.
pub(crate) fn whole(maze: &Maze) -> Scene {
    let mut scene = empty(WIDTH, HEIGHT, Color::BLACK);
    let free = Cell::all().filter(|cell| !cell.is_wall());
    scene.shapes.extend(free.map(|cell| square(place(cell), Color::WHITE).as_a(Role::Place)));
    for body in Body::ALL {
        let tint = color(body).lighter(TINT);
        scene.shapes.push(square(place(body.start()), tint).labelled("start"));
        scene.shapes.push(square(place(body.goal()), tint).labelled("goal"));
    }
    let [red, blue] = Body::ALL.map(|body| place(maze.cell(body)));
    if red == blue {
        scene.shapes.extend(Body::ALL.map(|body| half_of_cell(body, red)));
    } else {
        scene.shapes.extend([in_cell(Body::Red, red), in_cell(Body::Blue, blue)]);
    }
    scene
}

/// Returns what one walker sees: itself in the middle of the cells around it, at its position if the view includes
/// it.
pub(crate) fn seen_by(body: Body, maze: &Maze, view: View) -> Scene {
    let own = place(maze.cell(body));
    let (mut scene, (left, lowest)) = match view {
        View::Local => (empty(3, 3, Color::WHITE), (0.0, 0.0)),
        View::Global => (unseen(), (own.0 - 1.0, own.1 - 1.0)),
    };
    let at = |(x, y): (u8, u8)| (left + f64::from(x), lowest + f64::from(y));
    for (direction, sight) in Direction::ALL.into_iter().zip(maze.sees(body)) {
        let place = at(direction.offset());
        scene.shapes.push(match sight {
            Sight::Wall => square(place, Color::BLACK),
            _ => square(place, Color::WHITE).as_a(Role::Place),
        });
        if sight == Sight::Other {
            scene.shapes.push(in_cell(body.other(), place));
        }
    }
    let oneself = in_cell(body, at((1, 1))).as_a(Role::Oneself);
    scene.shapes.extend([square(at((1, 1)), Color::WHITE).as_a(Role::Place), oneself]);
    scene
}

fn empty(width: u8, height: u8, ground: Color) -> Scene {
    let (width, height) = (width.into(), height.into());
    Scene { width, height, shapes: vec![Shape::rectangle(0.0, 0.0, width, height, ground)] }
}

/// The maze of which a walker has seen nothing yet.
fn unseen() -> Scene {
    let mut scene = empty(WIDTH, HEIGHT, Color::GREY);
    scene.shapes.iter_mut().for_each(|ground| ground.role = Some(Role::UnseenPlace));
    scene
}

fn place(cell: Cell) -> (f64, f64) {
    (cell.x().into(), cell.y().into())
}

fn square((x, y): (f64, f64), color: Color) -> Shape {
    Shape::rectangle(x, y, 1.0, 1.0, color)
}

fn in_cell(body: Body, (x, y): (f64, f64)) -> Shape {
    let margin = (1.0 - BODY) / 2.0;
    named(body, Shape::rectangle(x + margin, y + margin, BODY, BODY, color(body)))
}

/// If both walkers are in the same cell, red is in its left half and blue in its right half.
fn half_of_cell(body: Body, (x, y): (f64, f64)) -> Shape {
    let margin = (1.0 - BODY) / 2.0;
    let left = match body {
        Body::Red => x + margin,
        Body::Blue => x + 0.5,
    };
    named(body, Shape::rectangle(left, y + margin, BODY / 2.0, BODY, color(body)))
}

fn named(body: Body, shape: Shape) -> Shape {
    shape.labelled(body.name()).standing_for(body.name()).as_a(Role::Entity)
}

fn color(body: Body) -> Color {
    match body {
        Body::Red => Color::RED,
        Body::Blue => Color::BLUE,
    }
}
