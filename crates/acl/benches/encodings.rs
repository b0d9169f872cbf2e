//! The costs of writing and reading messages in each encoding.
//!
//! `cargo bench --profile wheel -p situated-acl --bench encodings`

mod messages;

use std::fmt::Debug;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use situated_acl::{Message, Unencodable, bit_efficient, string, xml};

fn encodings(criterion: &mut Criterion) {
    measure(criterion, "string", string::encode_into, string::decode);
    measure(criterion, "bit-efficient", bit_efficient::encode_into, bit_efficient::decode);
    measure(criterion, "xml", xml::encode_into, xml::decode);
}

/// Measures an encoding on all messages. The output always goes to the same memory.
fn measure<Error: Debug>(
    criterion: &mut Criterion,
    encoding: &str,
    encode_into: fn(&Message<'_>, &mut Vec<u8>) -> Result<(), Unencodable>,
    decode: fn(&[u8]) -> Result<Message<'_>, Error>,
) {
    for (name, message) in messages::all() {
        let mut data = Vec::new();
        encode_into(&message, &mut data).expect("it has a form");
        assert_eq!(decode(&data).expect("it is by the grammar"), message);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(data.len() as u64));
        group.bench_function(format!("{encoding} decode"), |bencher| {
            // The closure returns nothing, since copying the result would be measured.
            bencher.iter(|| {
                black_box(&decode(black_box(&data)));
            });
        });
        let mut written = Vec::new();
        group.bench_function(format!("{encoding} encode"), |bencher| {
            bencher.iter(|| {
                written.clear();
                encode_into(black_box(&message), &mut written)
            });
        });
    }
}

criterion_group!(benches, encodings);
criterion_main!(benches);
