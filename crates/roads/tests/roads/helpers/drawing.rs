//! Reads drawings of maps, as Valhalla's gurka tests do.
//!
//! ```text
//!     A--1--B      Capital letters and digits are marks: the test says which of them are nodes. The others may stand
//!     |     v      on a street. `-` and `|` are streets that are driven both ways, and so are `/` and `\`.
//!     C<----D      `<`, `>`, `^` and `v` make a street one-way, also on a diagonal.
//! ```

/// A drawing: its marks by column and row, and everything else.
pub struct Drawing {
    lines: Vec<Vec<char>>,
}

impl Drawing {
    /// Reads a drawing. Empty first and last lines and common indentation do not count.
    pub fn new(text: &str) -> Drawing {
        let lines: Vec<&str> = text.trim_matches('\n').trim_end().lines().collect();
        let indent = |line: &&str| line.len() - line.trim_start().len();
        let common = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
        Drawing { lines: lines.iter().map(|line| line.chars().skip(common).collect()).collect() }
    }

    fn at(&self, [column, row]: [usize; 2]) -> char {
        self.lines.get(row).and_then(|line| line.get(column)).copied().unwrap_or(' ')
    }

    /// The marks of one kind with their columns and rows, sorted by mark. No mark appears twice.
    fn places(&self, is: fn(char) -> bool) -> Vec<(char, [usize; 2])> {
        let row = |(row, line): (usize, &Vec<char>)| {
            line.iter().enumerate().map(|(column, &mark)| (mark, [column, row])).collect::<Vec<_>>()
        };
        let mut found: Vec<(char, [usize; 2])> =
            self.lines.iter().enumerate().flat_map(row).filter(|&(mark, _)| is_mark(mark) && is(mark)).collect();
        found.sort_unstable();
        assert!(found.windows(2).all(|pair| pair[0].0 != pair[1].0), "a mark appears twice: {found:?}");
        found
    }

    /// The marks of one kind with their columns and rows from the lower left corner, sorted by mark.
    pub fn marks(&self, is: fn(char) -> bool) -> Vec<(char, [f64; 2])> {
        let last = self.lines.len() - 1;
        let place = |(mark, [column, row]): (char, [usize; 2])| (mark, [column as f64, (last - row) as f64]);
        self.places(is).into_iter().map(place).collect()
    }

    /// The streets between nodes: the first node, the last node, and whether the street is driven both ways.
    pub fn streets(&self, is_node: fn(char) -> bool) -> Vec<(char, char, bool)> {
        let mut found = Vec::new();
        for (node, place) in self.places(is_node) {
            // To the right, downwards, and on both diagonals downwards.
            for (step, strokes) in [([1, 0], "-<>"), ([0, 1], "|^v"), ([1, 1], "\\^v"), ([-1, 1], "/^v")] {
                found.extend(self.street(node, place, step, strokes, is_node));
            }
        }
        found
    }

    fn street(
        &self,
        node: char,
        place: [usize; 2],
        step: [isize; 2],
        strokes: &str,
        is_node: fn(char) -> bool,
    ) -> Option<(char, char, bool)> {
        let (mut here, mut seen) = (place, String::new());
        loop {
            here = [here[0].checked_add_signed(step[0])?, here[1].checked_add_signed(step[1])?];
            match self.at(here) {
                stroke if strokes.contains(stroke) => seen.push(stroke),
                // A mark that is not a node may stand on a street.
                mark if is_mark(mark) && !is_node(mark) => {}
                mark if is_mark(mark) && !seen.is_empty() => {
                    return Some(match seen.contains(['>', 'v']) {
                        _ if seen.contains(['<', '^']) => (mark, node, false),
                        one_way => (node, mark, !one_way),
                    });
                }
                _ => return None,
            }
        }
    }
}

fn is_mark(mark: char) -> bool {
    mark.is_ascii_uppercase() || mark.is_ascii_digit()
}

#[test]
fn drawings_are_read() {
    let drawing = Drawing::new(
        r"
        A--1--B   C
        |   2  \   ^
        v       D<--E
        F-G
        ",
    );
    assert_eq!(drawing.marks(|mark| mark.is_ascii_digit()), [('1', [3.0, 3.0]), ('2', [4.0, 2.0])]);
    assert_eq!(drawing.marks(|mark| mark == 'F' || mark == 'E'), [('E', [12.0, 1.0]), ('F', [0.0, 0.0])]);
    let streets = drawing.streets(|mark| mark.is_ascii_uppercase());
    let expected =
        [('A', 'B', true), ('A', 'F', false), ('B', 'D', true), ('E', 'C', false), ('E', 'D', false), ('F', 'G', true)];
    let mut sorted = streets;
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    // A space ends a street, and marks of which one is a node are one street less.
    assert!(Drawing::new("A- B").streets(|mark| mark.is_ascii_uppercase()).is_empty());
    assert_eq!(Drawing::new("A-1-B").streets(is_mark).len(), 2);
}
