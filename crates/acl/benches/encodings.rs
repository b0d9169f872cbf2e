//! The costs of writing and reading messages in each encoding.
//!
//! `cargo bench --profile wheel -p situated-acl --bench encodings`

mod messages;

use std::fmt::Debug;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use situated_acl::{Message, Unencodable, bit_efficient, string, xml};

fn encodings(criterion: &mut Criterion) {
    measure(criterion, "string", string::encode, string::decode);
    measure(criterion, "bit-efficient", bit_efficient::encode, bit_efficient::decode);
    measure(criterion, "xml", xml::encode, xml::decode);
}

/// Measures an encoding on all messages.
fn measure<Error: Debug>(
    criterion: &mut Criterion,
    encoding: &str,
    encode: fn(&Message<'_>) -> Result<Vec<u8>, Unencodable>,
    decode: fn(&[u8]) -> Result<Message<'_>, Error>,
) {
    for (name, message) in messages::all() {
        let data = encode(&message).expect("it has a form");
        assert_eq!(decode(&data).expect("it is by the grammar"), message);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(data.len() as u64));
        group.bench_function(format!("{encoding} decode"), |bencher| {
            // The closure returns nothing, since copying the result would be measured.
            bencher.iter(|| {
                black_box(&decode(black_box(&data)));
            });
        });
        group.bench_function(format!("{encoding} encode"), |bencher| bencher.iter(|| encode(black_box(&message))));
    }
}

criterion_group!(benches, encodings);
criterion_main!(benches);
