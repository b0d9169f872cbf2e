//! The cost of a step of Find the Goals with a recorder, beside the same without. `cargo bench --profile wheel -p
//! situated-recording`

#[path = "../../runtime/benches/driven/mod.rs"]
mod driven;

use std::fs::{self, File};
use std::io::BufWriter;
use std::time::Duration;
use std::{env, process};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use situated_recording::{McapRecorder, RecorderSettings};

use driven::{drive, owner};

fn recording(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a step of an owner that records");
    group.throughput(Throughput::Elements(1)).measurement_time(Duration::from_secs(3));
    group.bench_function("nothing", |bencher| {
        let mut driven = drive(owner());
        bencher.iter(|| driven.step());
    });
    for (what, percepts) in [("inputs", false), ("inputs and percepts", true)] {
        group.bench_function(BenchmarkId::from_parameter(what), |bencher| {
            let path = env::temp_dir().join(format!("situated-bench-{}.mcap", process::id()));
            let file = BufWriter::new(File::create(&path).expect("there is room"));
            let settings = RecorderSettings { percepts, ..RecorderSettings::default() };
            let mut driven =
                drive(owner().with_recorder(Box::new(McapRecorder::new(file, settings).expect("there is room"))));
            bencher.iter(|| driven.step());
            drop(driven);
            fs::remove_file(&path).expect("it is there");
        });
    }
    group.finish();
}

criterion_group!(benches, recording);
criterion_main!(benches);
