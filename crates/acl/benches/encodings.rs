//! What writing and reading messages costs in each encoding.
//!
//! `cargo bench -p situated-acl --bench encodings`

mod messages;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use situated_acl::string;

fn text(criterion: &mut Criterion) {
    for (name, message) in messages::all() {
        let text = string::encode(&message).expect("it has a form as text");
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("string decode", |bencher| bencher.iter(|| string::decode(black_box(&text))));
        group.bench_function("string encode", |bencher| bencher.iter(|| string::encode(black_box(&message))));
    }
}

criterion_group!(benches, text);
criterion_main!(benches);
