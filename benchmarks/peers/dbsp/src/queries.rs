//! The questions, as the engine's own benchmark asks those that it has.

use crate::input::Streams;
use crate::{run, Zset};
use anyhow::{bail, Result};
use dbsp::operator::Max;
use dbsp::utils::{Tup2, Tup3, Tup4, Tup5, Tup7};
use serde_json::{json, Value};
use std::path::Path;

pub fn ask(query: &str, folder: &Path, keep: bool) -> Result<(f64, Vec<Value>)> {
    let from = sources(query)?;
    match query {
        "totals" => run(from, folder, keep, totals, |t| json!([t.0, t.1, t.2, t.3])),
        "q3" => run(from, folder, keep, q3, |t| json!([t.0, t.1, t.2, t.3])),
        "q4" => run(from, folder, keep, q4, |t| json!([t.0, t.2 as f64 / t.1 as f64])),
        "q18" => run(from, folder, keep, q18, |t| json!([t.0, t.1, t.2, t.3, t.4])),
        "q20" => run(from, folder, keep, q20, |t| {
            json!([t.0, t.1, t.2, t.3, t.4, t.5, t.6])
        }),
        "distinct" => run(from, folder, keep, distinct, |t| json!([t.0, t.1])),
        _ => bail!("{query} is not written for dbsp"),
    }
}

/// The streams that a query reads.
pub fn sources(query: &str) -> Result<&'static [&'static str]> {
    Ok(match query {
        "totals" | "q18" | "distinct" => &["bid"],
        "q3" => &["person", "auction"],
        "q4" => &["auction", "bid"],
        "q20" => &["bid", "auction"],
        _ => bail!("{query} is not written for dbsp"),
    })
}

/// auction, bids, total, most
fn totals(streams: &Streams) -> Zset<Tup4<i64, i64, i64, i64>> {
    let prices = streams.bid.map_index(|bid| (bid.0, bid.2));
    let sums = prices.aggregate_linear(|price| Tup2(1i64, *price));
    let most = prices.aggregate(Max);
    sums.join(&most, |auction, sum, most| Tup4(*auction, sum.0, sum.1, *most))
}

/// name, city, state, auction
fn q3(streams: &Streams) -> Zset<Tup4<String, String, String, i64>> {
    let offers = streams
        .auction
        .flat_map_index(|auction| (auction.3 == 10).then_some((auction.2, auction.0)));
    let people = streams.person.flat_map_index(|person| {
        ["or", "id", "ca"].contains(&person.3.as_str()).then(|| {
            (person.0, Tup3(person.1.clone(), person.2.clone(), person.3.clone()))
        })
    });
    offers.join(&people, |_, auction, person| {
        Tup4(person.0.clone(), person.1.clone(), person.2.clone(), *auction)
    })
}

/// category, auctions won, sum of their final prices
fn q4(streams: &Streams) -> Zset<Tup3<i64, i64, i64>> {
    let auctions = streams
        .auction
        .map_index(|auction| (auction.0, Tup3(auction.3, auction.4, auction.5)));
    let bids = streams.bid.map_index(|bid| (bid.0, Tup2(bid.2, bid.5)));
    let valid = auctions.join_index(&bids, |auction, of, bid| {
        (bid.1 >= of.1 && bid.1 <= of.2).then_some((Tup2(*auction, of.0), bid.0))
    });
    valid
        .aggregate(Max)
        .map_index(|(key, price)| (key.1, *price))
        .aggregate_linear(|price| Tup2(1i64, *price))
        .map(|(category, sum)| Tup3(*category, sum.0, sum.1))
}

/// auction, bidder, price, channel, moment
fn q18(streams: &Streams) -> Zset<Tup5<i64, i64, i64, String, i64>> {
    streams
        .bid
        .map_index(|bid| (Tup2(bid.0, bid.1), Tup3(bid.5, bid.2, bid.3.clone())))
        .aggregate(Max)
        .map(|(key, last)| Tup5(key.0, key.1, last.1, last.2.clone(), last.0))
}

/// auction, bidder, price, channel, moment, itemName, seller
fn q20(streams: &Streams) -> Zset<Tup7<i64, i64, i64, String, i64, String, i64>> {
    let bids = streams
        .bid
        .map_index(|bid| (bid.0, Tup4(bid.1, bid.2, bid.3.clone(), bid.5)));
    let auctions = streams.auction.flat_map_index(|auction| {
        (auction.3 == 10).then(|| (auction.0, Tup2(auction.1.clone(), auction.2)))
    });
    bids.join(&auctions, |auction, bid, of| {
        Tup7(*auction, bid.0, bid.1, bid.2.clone(), bid.3, of.0.clone(), of.1)
    })
}

/// channel, bidders
fn distinct(streams: &Streams) -> Zset<Tup2<String, i64>> {
    streams
        .bid
        .map(|bid| Tup2(bid.3.clone(), bid.1))
        .distinct()
        .map_index(|pair| (pair.0.clone(), pair.1))
        .weighted_count()
        .map(|(channel, bidders)| Tup2(channel.clone(), *bidders))
}
