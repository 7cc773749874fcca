//! Tests of the pictures: what is on them, and that nothing leaves the sheet.

mod ascii;
mod road_maps;
mod sheet;
mod towns;
