//! Tests of the pictures: what is on them, and that nothing leaves the sheet.

mod ascii;
mod layers;
mod road_maps;
mod sheet;
mod towns;
