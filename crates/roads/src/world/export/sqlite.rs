//! A new file of SQLite, written from the beginning to the end (<https://www.sqlite.org/fileformat2.html>).
//!
//! A file that is made once needs no locks, journals or queries: tables are filled in the order of their rows, and the
//! indexes that SQLite itself demands fit into a page each. Pages are collected in memory.

use std::io::{self, Write};

/// The size of a page, all of which is used.
const PAGE: usize = 4096;
/// The first page begins with the header of the file.
const FILE_HEADER: usize = 100;
const LEAF: u8 = 0x0d;
const INTERIOR: u8 = 0x05;
const INDEX_LEAF: u8 = 0x0a;
/// The most bytes of a row within a page of its tree; the rest of a longer row is elsewhere.
const MOST_LOCAL: usize = PAGE - 35;
const LEAST_LOCAL: usize = (PAGE - 12) * 32 / 255 - 23;

/// A value of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cell<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Blob(&'a [u8]),
}

/// An index that a table's constraints demand: the places of its columns in the rows.
pub(super) type Index<'a> = &'a [usize];

/// The pages so far, and the rows of the table of all tables.
pub(super) struct Database {
    /// Without the first page, which comes last because it says where the others are.
    pages: Vec<[u8; PAGE]>,
    tables: Vec<(String, String, usize, Option<String>)>,
}

/// Rows of a tree on their way into pages.
struct Tree {
    /// The rows of the leaf that is being filled.
    leaf: Vec<Vec<u8>>,
    size: usize,
    /// The leaves: each with its last key.
    leaves: Vec<(usize, i64)>,
    last: i64,
}

impl Database {
    pub fn new() -> Database {
        Database { pages: Vec::new(), tables: Vec::new() }
    }

    /// Adds a table. Each row has its key, in ascending order. The column that is the key itself is `Null` in the row.
    ///
    /// # Errors
    /// If the entries of an index do not fit into a page, or there are too many pages.
    pub fn table<'a>(
        &mut self,
        name: &str,
        sql: String,
        rows: impl Iterator<Item = (i64, Vec<Cell<'a>>)>,
        indexes: &[Index<'_>],
    ) -> io::Result<()> {
        let mut tree = Tree { leaf: Vec::new(), size: 0, leaves: Vec::new(), last: 0 };
        let mut entries: Vec<Vec<Vec<Cell<'a>>>> = vec![Vec::new(); indexes.len()];
        for (key, row) in rows {
            for (index, entries) in indexes.iter().zip(&mut entries) {
                entries.push(index.iter().map(|&column| row[column]).chain([Cell::Integer(key)]).collect());
            }
            let cell = self.cell(key, &record(&row));
            self.add(&mut tree, key, cell);
        }
        let root = self.root(tree);
        self.tables.push((name.to_string(), name.to_string(), root, Some(sql)));
        for (number, mut entries) in entries.into_iter().enumerate() {
            entries.sort_by(|a, b| texts(a).cmp(&texts(b)));
            let root = self.index(&entries)?;
            self.tables.push((format!("sqlite_autoindex_{name}_{}", number + 1), name.to_string(), root, None));
        }
        u32::try_from(self.pages.len() + 1).map(drop).map_err(|_| io::Error::other("there are too many pages"))
    }

    /// Writes the file. `user_version` and `application` are two numbers by which programs know what it is.
    pub fn write(mut self, application: u32, user_version: u32, writer: &mut dyn Write) -> io::Result<()> {
        let first = self.first_page(application, user_version)?;
        writer.write_all(&first)?;
        self.pages.iter().try_for_each(|page| writer.write_all(page))
    }

    /// A row as it is in a leaf. What is too long for the leaf goes to pages of its own, each of which names the next.
    fn cell(&mut self, key: i64, record: &[u8]) -> Vec<u8> {
        let mut cell = Vec::with_capacity(record.len().min(MOST_LOCAL) + 22);
        varint(record.len() as u64, &mut cell);
        varint(key as u64, &mut cell);
        if record.len() <= MOST_LOCAL {
            cell.extend(record);
            return cell;
        }
        let fitting = LEAST_LOCAL + (record.len() - LEAST_LOCAL) % (PAGE - 4);
        let local = if fitting <= MOST_LOCAL { fitting } else { LEAST_LOCAL };
        cell.extend(&record[..local]);
        cell.extend((self.next_page() as u32).to_be_bytes());
        let rest: Vec<&[u8]> = record[local..].chunks(PAGE - 4).collect();
        for (place, part) in rest.iter().enumerate() {
            let mut page = [0; PAGE];
            let next = if place + 1 < rest.len() { self.next_page() as u32 + 1 } else { 0 };
            page[..4].copy_from_slice(&next.to_be_bytes());
            page[4..4 + part.len()].copy_from_slice(part);
            self.pages.push(page);
        }
        cell
    }

    /// The number that the next page gets.
    fn next_page(&self) -> usize {
        self.pages.len() + 2
    }

    fn add(&mut self, tree: &mut Tree, key: i64, cell: Vec<u8>) {
        if 8 + tree.size + cell.len() + 2 > PAGE {
            self.end_leaf(tree);
        }
        tree.size += cell.len() + 2;
        tree.leaf.push(cell);
        tree.last = key;
    }

    fn end_leaf(&mut self, tree: &mut Tree) {
        let mut page = [0; PAGE];
        fill(&mut page, 0, LEAF, None, &tree.leaf);
        tree.leaves.push((self.next_page(), tree.last));
        self.pages.push(page);
        tree.leaf.clear();
        tree.size = 0;
    }

    /// Ends a tree with pages that lead to its leaves, and returns the topmost.
    fn root(&mut self, mut tree: Tree) -> usize {
        if !tree.leaf.is_empty() || tree.leaves.is_empty() {
            self.end_leaf(&mut tree);
        }
        let mut level = tree.leaves;
        // The header, and at most 4 + 9 + 2 bytes for each page below. Each page has at least two below it.
        const MOST: usize = (PAGE - 12) / 15;
        while level.len() > 1 {
            let parents = level.len().div_ceil(MOST);
            let size = level.len().div_ceil(parents);
            let mut above = Vec::with_capacity(parents);
            for children in level.chunks(size) {
                let Some((&(right, last), others)) = children.split_last() else { continue };
                let cell = |&(page, key): &(usize, i64)| {
                    let mut cell = (page as u32).to_be_bytes().to_vec();
                    varint(key as u64, &mut cell);
                    cell
                };
                let mut page = [0; PAGE];
                fill(&mut page, 0, INTERIOR, Some(right as u32), &others.iter().map(cell).collect::<Vec<_>>());
                above.push((self.next_page(), last));
                self.pages.push(page);
            }
            level = above;
        }
        level[0].0
    }

    fn index(&mut self, entries: &[Vec<Cell<'_>>]) -> io::Result<usize> {
        let cell = |entry: &Vec<Cell<'_>>| {
            let record = record(entry);
            let mut cell = Vec::new();
            varint(record.len() as u64, &mut cell);
            cell.extend(record);
            cell
        };
        let cells: Vec<Vec<u8>> = entries.iter().map(cell).collect();
        if 8 + cells.iter().map(|cell| cell.len() + 2).sum::<usize>() > PAGE {
            return Err(io::Error::other("the entries of an index do not fit into a page"));
        }
        let mut page = [0; PAGE];
        fill(&mut page, 0, INDEX_LEAF, None, &cells);
        self.pages.push(page);
        Ok(self.next_page() - 1)
    }

    /// The page with the header of the file and the table of all tables.
    fn first_page(&mut self, application: u32, user_version: u32) -> io::Result<[u8; PAGE]> {
        let rows: Vec<Vec<u8>> = self
            .tables
            .iter()
            .enumerate()
            .map(|(place, (name, table, root, sql))| {
                let kind = if sql.is_some() { "table" } else { "index" };
                let sql = sql.as_deref().map_or(Cell::Null, Cell::Text);
                let row = [Cell::Text(kind), Cell::Text(name), Cell::Text(table), Cell::Integer(*root as i64), sql];
                let (record, mut cell) = (record(&row), Vec::new());
                varint(record.len() as u64, &mut cell);
                varint(place as u64 + 1, &mut cell);
                cell.extend(record);
                cell
            })
            .collect();
        if FILE_HEADER + 8 + rows.iter().map(|row| row.len() + 2).sum::<usize>() > PAGE {
            return Err(io::Error::other("there are too many columns for the first page of a GeoPackage: write .parquet"));
        }
        let mut page = [0; PAGE];
        fill(&mut page, FILE_HEADER, LEAF, None, &rows);
        page[..16].copy_from_slice(b"SQLite format 3\0");
        page[16..18].copy_from_slice(&(PAGE as u16).to_be_bytes());
        // Without a log, no reserved bytes, and the three fractions that the format prescribes.
        page[18..24].copy_from_slice(&[1, 1, 0, 64, 32, 32]);
        let mut put = |place: usize, value: u32| page[place..place + 4].copy_from_slice(&value.to_be_bytes());
        let n_pages = self.pages.len() as u32 + 1;
        // The number of changes, of pages, of changes of the tables, the version of the format, UTF-8.
        for (place, value) in [(24, 1), (28, n_pages), (40, 1), (44, 4), (56, 1), (60, user_version)] {
            put(place, value);
        }
        for (place, value) in [(68, application), (92, 1), (96, 3_037_000)] {
            put(place, value);
        }
        Ok(page)
    }
}

/// Fills a page of a tree: its header, the places of its cells, and the cells, from the end of the page.
fn fill(page: &mut [u8; PAGE], begin: usize, kind: u8, right: Option<u32>, cells: &[Vec<u8>]) {
    let mut end = PAGE;
    let pointers = begin + if right.is_some() { 12 } else { 8 };
    for (place, cell) in cells.iter().enumerate() {
        end -= cell.len();
        page[end..end + cell.len()].copy_from_slice(cell);
        page[pointers + 2 * place..pointers + 2 * place + 2].copy_from_slice(&(end as u16).to_be_bytes());
    }
    page[begin] = kind;
    page[begin + 3..begin + 5].copy_from_slice(&(cells.len() as u16).to_be_bytes());
    page[begin + 5..begin + 7].copy_from_slice(&(end as u16).to_be_bytes());
    if let Some(right) = right {
        page[begin + 8..begin + 12].copy_from_slice(&right.to_be_bytes());
    }
}

/// A row: the types of its values, and the values.
fn record(row: &[Cell<'_>]) -> Vec<u8> {
    let (mut kinds, mut values) = (Vec::new(), Vec::new());
    for cell in row {
        match *cell {
            Cell::Null => varint(0, &mut kinds),
            Cell::Integer(value) => {
                varint(6, &mut kinds);
                values.extend(value.to_be_bytes());
            }
            Cell::Real(value) => {
                varint(7, &mut kinds);
                values.extend(value.to_be_bytes());
            }
            Cell::Text(text) => {
                varint(2 * text.len() as u64 + 13, &mut kinds);
                values.extend(text.as_bytes());
            }
            Cell::Blob(bytes) => {
                varint(2 * bytes.len() as u64 + 12, &mut kinds);
                values.extend(bytes);
            }
        }
    }
    // The size of the first part counts its own bytes.
    let mut header = Vec::new();
    let own = if kinds.len() < 127 { 1 } else { 2 };
    varint((kinds.len() + own) as u64, &mut header);
    [header, kinds, values].concat()
}

/// The texts of an entry of an index, by which it is sorted.
fn texts<'a>(entry: &[Cell<'a>]) -> Vec<&'a str> {
    entry.iter().filter_map(|cell| if let Cell::Text(text) = cell { Some(*text) } else { None }).collect()
}

/// Seven bits in each byte, the highest first; the ninth byte has eight.
fn varint(value: u64, bytes: &mut Vec<u8>) {
    if value >> 56 != 0 {
        (0..8).rev().for_each(|place| bytes.push((value >> (8 + 7 * place)) as u8 | 0x80));
        bytes.push(value as u8);
        return;
    }
    let groups = (64 - value.leading_zeros()).max(1).div_ceil(7);
    for place in (0..groups).rev() {
        let more = if place > 0 { 0x80 } else { 0 };
        bytes.push((value >> (7 * place)) as u8 & 0x7f | more);
    }
}
