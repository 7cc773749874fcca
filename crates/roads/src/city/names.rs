//! The names of streets.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

const WORDS: [&str; 48] = [
    "Abbey",
    "Alder",
    "Anchor",
    "Ash",
    "Baker & Miller",
    "Beech",
    "Bell",
    "Birch",
    "Café",
    "Canal",
    "Castle",
    "Cedar",
    "Chapel",
    "Cherry",
    "Church",
    "Copper",
    "Crescent",
    "Elm",
    "Ferry",
    "Fig",
    "Forge",
    "Fountain",
    "Garden",
    "Granary",
    "Grove",
    "Harbour",
    "Hazel",
    "Hill",
    "King's",
    "Lark",
    "Lime",
    "Market",
    "Mill",
    "Mint",
    "North",
    "Oak",
    "Orchard",
    "Park",
    "Pear",
    "Plum",
    "Quarry",
    "Queen's",
    "Rose",
    "School",
    "Station",
    "Tanner's",
    "Willow",
    "Windmill",
];

/// Shuffled words. Each is used before any is used again.
pub(super) struct Names {
    words: Vec<&'static str>,
    used: usize,
}

impl Names {
    pub fn new(rng: &mut Pcg64Mcg) -> Names {
        let mut words = WORDS.to_vec();
        for last in (1..words.len()).rev() {
            words.swap(last, rng.random_range(0..=last));
        }
        Names { words, used: 0 }
    }

    /// The next name for a road of this kind; ramps have none.
    pub fn street(&mut self, highway: &str) -> String {
        let kind = match highway {
            "motorway" => return "Ring".to_string(),
            "motorway_link" | "road" => return String::new(),
            "primary" => "Boulevard",
            "secondary" => "Avenue",
            "tertiary" => "Road",
            "living_street" => "Yard",
            _ => ["Street", "Lane", "Row"][self.used / self.words.len() % 3],
        };
        let word = self.words[self.used % self.words.len()];
        self.used += 1;
        format!("{word} {kind}")
    }
}
