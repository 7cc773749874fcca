//! Tests of the pictures: what is on them, and that nothing leaves the sheet.

mod answers;
mod ascii;
mod layers;
mod road_maps;
mod sheet;
mod towns;
