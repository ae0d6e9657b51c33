//! Nexmark's questions to Feldera's engine, the `dbsp` crate: in memory, two workers, one
//! transaction a barrier, the output's changes taken out. A thread reads ahead, as the engine's own
//! benchmark does. Arguments and what is told are those of the other engines; see `peers`.

mod input;
mod queries;

use anyhow::{bail, Context, Result};
use dbsp::typed_batch::IndexedZSetReader;
use dbsp::{DBData, OrdZSet, RootCircuit, Runtime, Stream};
use input::{Barrier, Streams};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc;
use std::time::Instant;

const WORKERS: usize = 2;

pub type Zset<T> = Stream<RootCircuit, OrdZSet<T>>;

/// Seconds, and the rows that are left when all changes have been applied, if they are asked for.
pub fn run<T: DBData>(
    sources: &[&str],
    folder: &Path,
    keep: bool,
    query: fn(&Streams) -> Zset<T>,
    show: fn(&T) -> Value,
) -> Result<(f64, Vec<Value>)> {
    let began = Instant::now();
    let (mut circuit, (inputs, output)) = Runtime::init_circuit(WORKERS, move |circuit| {
        let (streams, inputs) = input::streams(circuit);
        Ok((inputs, query(&streams).accumulate_output()))
    })?;
    let mut rows: BTreeMap<T, i64> = BTreeMap::new();
    let (send, receive) = mpsc::sync_channel::<Result<Barrier>>(1);
    let files = input::files(folder, sources)?;
    let reader = std::thread::spawn(move || {
        for barrier in files {
            if send.send(input::read(&barrier)).is_err() {
                break;
            }
        }
    });
    for barrier in receive {
        inputs.append(barrier?);
        circuit.transaction()?;
        let changes = output.concat().consolidate();
        if keep {
            for (row, (), weight) in changes.iter() {
                *rows.entry(row).or_default() += weight;
            }
        }
    }
    let took = began.elapsed().as_secs_f64();
    reader.join().expect("the reader ends");
    circuit.kill().ok();
    let mut answer = Vec::new();
    for (row, weight) in rows {
        for _ in 0..weight {
            answer.push(show(&row));
        }
    }
    Ok((took, answer))
}

/// Seconds to read the files alone, all columns of them.
pub fn read(sources: &[&str], folder: &Path) -> Result<f64> {
    let began = Instant::now();
    for barrier in input::files(folder, sources)? {
        input::read(&barrier)?;
    }
    Ok(began.elapsed().as_secs_f64())
}

fn peak_memory() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(1024 * kilobytes.context("no VmHWM")?.parse::<u64>()?)
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [query, large, small] = &arguments[..] else {
        bail!("arguments: query, large folder, small folder or nothing");
    };
    let large = Path::new(large);
    if small.is_empty() {
        println!("RESULT {}", json!({"cold": queries::ask(query, large, false)?.0}));
        return Ok(());
    }
    let (cold, answer) = queries::ask(query, Path::new(small), true)?;
    let (seconds, _) = queries::ask(query, large, false)?;
    let memory = peak_memory()?;
    let reading = read(queries::sources(query)?, large)?;
    let told = json!({
        "cold": cold, "seconds": seconds, "reading": reading, "memory": memory, "answer": answer
    });
    println!("RESULT {told}");
    Ok(())
}
