//! The three streams: their rows, their files, a barrier of them.

use crate::Zset;
use anyhow::{Context, Result};
use dbsp::utils::{Tup2, Tup5, Tup6};
use dbsp::{RootCircuit, ZSetHandle};
use serde::de::DeserializeOwned;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// person, name, city, state, moment
pub type Person = Tup5<i64, String, String, String, i64>;
/// auction, itemName, seller, category, moment, expires
pub type Auction = Tup6<i64, String, i64, i64, i64, i64>;
/// auction, bidder, price, channel, url, moment
pub type Bid = Tup6<i64, i64, i64, String, String, i64>;

pub struct Streams {
    pub person: Zset<Person>,
    pub auction: Zset<Auction>,
    pub bid: Zset<Bid>,
}

pub struct Inputs {
    person: ZSetHandle<Person>,
    auction: ZSetHandle<Auction>,
    bid: ZSetHandle<Bid>,
}

#[derive(Default)]
pub struct Barrier {
    person: Vec<Tup2<Person, i64>>,
    auction: Vec<Tup2<Auction, i64>>,
    bid: Vec<Tup2<Bid, i64>>,
}

pub fn streams(circuit: &mut RootCircuit) -> (Streams, Inputs) {
    let (person, person_input) = circuit.add_input_zset::<Person>();
    let (auction, auction_input) = circuit.add_input_zset::<Auction>();
    let (bid, bid_input) = circuit.add_input_zset::<Bid>();
    (
        Streams { person, auction, bid },
        Inputs { person: person_input, auction: auction_input, bid: bid_input },
    )
}

impl Inputs {
    pub fn append(&self, mut barrier: Barrier) {
        self.person.append(&mut barrier.person);
        self.auction.append(&mut barrier.auction);
        self.bid.append(&mut barrier.bid);
    }
}

/// The files of each barrier, with the stream that each belongs to.
pub fn files(folder: &Path, sources: &[&str]) -> Result<Vec<Vec<(String, PathBuf)>>> {
    let mut barriers: Vec<Vec<(String, PathBuf)>> = Vec::new();
    for source in sources {
        let entries = std::fs::read_dir(folder.join(source))
            .with_context(|| format!("{}/{source}", folder.display()))?;
        let mut paths = entries
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<Vec<_>>>()?;
        paths.sort();
        for (number, path) in paths.into_iter().enumerate() {
            if barriers.len() <= number {
                barriers.push(Vec::new());
            }
            barriers[number].push((source.to_string(), path));
        }
    }
    Ok(barriers)
}

#[derive(Deserialize)]
struct PersonRow {
    person: i64,
    name: String,
    city: String,
    state: String,
    moment: i64,
}

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct AuctionRow {
    auction: i64,
    itemName: String,
    seller: i64,
    category: i64,
    moment: i64,
    expires: i64,
}

#[derive(Deserialize)]
struct BidRow {
    auction: i64,
    bidder: i64,
    price: i64,
    channel: String,
    url: String,
    moment: i64,
}

fn rows<R: DeserializeOwned, T>(path: &Path, row: fn(R) -> T) -> Result<Vec<Tup2<T, i64>>> {
    let bytes = std::fs::read(path)?;
    serde_json::Deserializer::from_slice(&bytes)
        .into_iter::<R>()
        .map(|read| Ok(Tup2(row(read?), 1)))
        .collect()
}

pub fn read(files: &[(String, PathBuf)]) -> Result<Barrier> {
    let mut barrier = Barrier::default();
    for (source, path) in files {
        match source.as_str() {
            "person" => {
                barrier.person = rows(path, |r: PersonRow| {
                    Tup5(r.person, r.name, r.city, r.state, r.moment)
                })?
            }
            "auction" => {
                barrier.auction = rows(path, |r: AuctionRow| {
                    Tup6(r.auction, r.itemName, r.seller, r.category, r.moment, r.expires)
                })?
            }
            _ => {
                barrier.bid = rows(path, |r: BidRow| {
                    Tup6(r.auction, r.bidder, r.price, r.channel, r.url, r.moment)
                })?
            }
        }
    }
    Ok(barrier)
}
