//! Street plans drawn in ASCII.
//!
//! A letter or a digit is a node, `-`, `|`, `\` and `/` are streets, and `=` is a highway. Nodes are four columns and
//! two lines apart, and the first line is the northernmost:
//!
//! ```text
//! c - d
//! |   |
//! a = b
//! ```

/// A plan: its nodes in the order of their names, and its streets.
pub struct Plan {
    /// The name of each node, and where it is, in blocks to the east and to the north.
    pub nodes: Vec<(char, [f64; 2])>,
    /// The two nodes of each street, and whether it is a highway: node by node, to the east before the others.
    pub streets: Vec<(usize, usize, bool)>,
}

/// From a node to the sign of a street and to the node behind it, in columns and lines.
const DIRECTIONS: [(isize, isize, &str); 4] = [(2, 0, "-="), (2, -1, "/"), (0, -1, "|"), (-2, -1, "\\")];

impl Plan {
    pub fn read(drawing: &str) -> Plan {
        let lines: Vec<Vec<char>> = drawing.lines().map(|line| line.chars().collect()).collect();
        let at = |column: isize, line: isize| -> char {
            let found = usize::try_from(line).ok().and_then(|line| lines.get(line));
            let found = found.zip(usize::try_from(column).ok()).and_then(|(line, column)| line.get(column));
            found.copied().unwrap_or(' ')
        };
        let places =
            (0..lines.len()).flat_map(|line| (0..lines[line].len()).map(move |column| (column as isize, line as isize)));
        let mut named: Vec<(char, isize, isize)> =
            places.map(|(column, line)| (at(column, line), column, line)).filter(|place| place.0.is_alphanumeric()).collect();
        named.sort_unstable();
        let mut streets = Vec::new();
        for (from, &(_, column, line)) in named.iter().enumerate() {
            for (right, down, signs) in DIRECTIONS {
                let sign = at(column + right, line + down);
                let end = (column + 2 * right, line + 2 * down);
                let to = named.iter().position(|node| (node.1, node.2) == end);
                if let Some(to) = to.filter(|_| signs.contains(sign)) {
                    streets.push((from, to, sign == '='));
                }
            }
        }
        let blocks = |column: isize, line: isize| [column as f64 / 4.0, (lines.len() as f64 - 1.0 - line as f64) / 2.0];
        Plan { nodes: named.iter().map(|&(name, column, line)| (name, blocks(column, line))).collect(), streets }
    }
}

#[test]
fn plans_are_read_as_they_are_drawn() {
    let plan = Plan::read("2   3\n|   |\n0 = 1\n");
    assert_eq!(plan.nodes, [('0', [0.0, 0.0]), ('1', [1.0, 0.0]), ('2', [0.0, 1.0]), ('3', [1.0, 1.0])]);
    assert_eq!(plan.streets, [(0, 1, true), (0, 2, false), (1, 3, false)]);
    let plan = Plan::read("a   b\n  x\nc   d\n".replace('x', "\\").as_str());
    assert_eq!(plan.streets, [(3, 0, false)]);
    assert_eq!(Plan::read("a   b\n  /\nc   d\n").streets, [(2, 1, false)]);
}
