//! An undirected graph in compressed rows, with weights of vertices and edges, and its coarser versions.

/// A graph without loops. Each edge is listed at both of its ends.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    /// The edges of vertex v are `first[v]..first[v + 1]`.
    pub first: Vec<u32>,
    pub to: Vec<u32>,
    /// How many edges of the original graph each edge stands for.
    pub edge: Vec<u32>,
    /// How many vertices of the original graph each vertex stands for.
    pub weight: Vec<u32>,
}

impl Graph {
    pub fn n(&self) -> usize {
        self.weight.len()
    }

    pub fn around(&self, v: u32) -> &[u32] {
        &self.to[self.first[v as usize] as usize..self.first[v as usize + 1] as usize]
    }

    fn edges(&self, v: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let edges = self.first[v] as usize..self.first[v + 1] as usize;
        self.to[edges.clone()].iter().copied().zip(self.edge[edges].iter().copied())
    }

    pub fn total(&self) -> u64 {
        self.weight.iter().map(|&weight| u64::from(weight)).sum()
    }

    /// The part on these vertices. `new_number` has room for all vertices, and only `u32::MAX` before and after.
    pub fn part(&self, vertices: &[u32], new_number: &mut [u32]) -> Graph {
        vertices.iter().zip(0..).for_each(|(&v, number)| new_number[v as usize] = number);
        let mut part = Graph { first: vec![0], to: Vec::new(), edge: Vec::new(), weight: Vec::with_capacity(vertices.len()) };
        for &v in vertices {
            for (to, edge) in self.edges(v as usize).filter(|(to, _)| new_number[*to as usize] != u32::MAX) {
                part.to.push(new_number[to as usize]);
                part.edge.push(edge);
            }
            part.first.push(part.to.len() as u32);
            part.weight.push(self.weight[v as usize]);
        }
        vertices.iter().for_each(|&v| new_number[v as usize] = u32::MAX);
        part
    }

    /// A graph of about half the size, in which pairs of neighbours are one vertex, and the new vertex of each old one.
    /// Neighbours with heavy edges are joined first: few of these edges are then left to cut.
    pub fn coarser(&self) -> (Graph, Vec<u32>) {
        let mut new_of = vec![u32::MAX; self.n()];
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(self.n() / 2 + 1);
        for v in scattered(self.n()) {
            if new_of[v as usize] != u32::MAX {
                continue;
            }
            let free = self.edges(v as usize).filter(|(to, _)| new_of[*to as usize] == u32::MAX);
            let best = free.max_by_key(|&(to, edge)| (edge, std::cmp::Reverse(self.weight[to as usize]), to));
            let other = best.map_or(v, |(to, _)| to);
            new_of[v as usize] = pairs.len() as u32;
            new_of[other as usize] = pairs.len() as u32;
            pairs.push([v, other]);
        }
        let n = pairs.len();
        let mut coarse =
            Graph { first: Vec::with_capacity(n + 1), to: Vec::new(), edge: Vec::new(), weight: Vec::with_capacity(n) };
        coarse.first.push(0);
        // Where the edge to each new vertex stands, if it is one of this row.
        let mut place = vec![u32::MAX; n];
        for (pair, number) in pairs.iter().zip(0..) {
            let row = coarse.to.len();
            let members = &pair[..if pair[0] == pair[1] { 1 } else { 2 }];
            for (to, edge) in members.iter().flat_map(|&v| self.edges(v as usize)) {
                let to = new_of[to as usize];
                if to == number {
                    continue;
                }
                match place[to as usize] as usize {
                    known if known >= row && known < coarse.to.len() => coarse.edge[known] += edge,
                    _ => {
                        place[to as usize] = coarse.to.len() as u32;
                        coarse.to.push(to);
                        coarse.edge.push(edge);
                    }
                }
            }
            coarse.first.push(coarse.to.len() as u32);
            coarse.weight.push(members.iter().map(|&v| self.weight[v as usize]).sum());
        }
        (coarse, new_of)
    }
}

/// The numbers below n, far from their order: a step that has no common factor with n.
fn scattered(n: usize) -> impl Iterator<Item = u32> {
    let common = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = (n as f64 * 0.618_033_988_749_894_9) as usize;
    let step = (golden.max(1)..).find(|&step| common(step, n) <= 1).unwrap_or(1);
    (0..n).scan(0, move |at, _| {
        let here = *at;
        *at = (here + step) % n;
        Some(here as u32)
    })
}
