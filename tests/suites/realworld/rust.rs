// Words of a text that is made up, counted, sorted and searched: hash tables, strings, closures, threads, as Rust's programs have them.
use std::collections::HashMap;
use std::thread;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[inline(never)]
fn make_text(words: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let mut text = String::new();
    for _ in 0..words {
        let n = random.next() % 5000;
        text.push_str(&format!("w{:x}", n * n % 7919));
        text.push(' ');
    }
    text
}

#[inline(never)]
fn count_words(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

#[inline(never)]
fn rank<'a>(counts: &HashMap<&'a str, usize>) -> Vec<(&'a str, usize)> {
    let mut ranked: Vec<_> = counts.iter().map(|(word, n)| (*word, *n)).collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    ranked
}

#[inline(never)]
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut last = row[0];
        row[0] = i + 1;
        for k in 0..b.len() {
            let here = row[k + 1];
            row[k + 1] = if a[i] == b[k] { last } else { 1 + last.min(here).min(row[k]) };
            last = here;
        }
    }
    row[b.len()]
}

#[inline(never)]
fn nearest(words: &[(&str, usize)]) -> usize {
    words.iter().take(1200).flat_map(|a| words.iter().map(move |b| distance(a.0.as_bytes(), b.0.as_bytes()))).sum()
}

#[inline(never)]
fn work(seed: u64) -> (usize, usize, usize) {
    let text = make_text(400_000, seed);
    let counts = count_words(&text);
    let ranked = rank(&counts);
    (counts.len(), ranked[0].1, nearest(&ranked))
}

fn main() {
    let threads: Vec<_> = (1..=4).map(|seed| thread::spawn(move || work(seed * 77))).collect();
    for thread in threads {
        println!("{:?}", thread.join().unwrap());
    }
}
