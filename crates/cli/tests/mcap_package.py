"""Reads a recording with the package `mcap`, and holds every message against the schema of its channel.

python mcap_package.py FILE STEPS
"""

import json
import sys
from collections import Counter

import jsonschema
from mcap.reader import make_reader

file, steps = sys.argv[1], int(sys.argv[2])
counts = Counter()
validators = {}
with open(file, "rb") as stream:
    reader = make_reader(stream, validate_crcs=True)
    assert reader.get_header().profile == "situated"
    last = 0
    for schema, channel, message in reader.iter_messages():
        assert (schema.encoding, channel.message_encoding) == ("jsonschema", "json")
        assert message.log_time >= last, "time goes back"
        last = message.log_time
        if channel.topic not in validators:
            validators[channel.topic] = jsonschema.Draft202012Validator(json.loads(schema.data))
        validators[channel.topic].validate(json.loads(message.data))
        counts[channel.topic] += 1
    assert reader.get_summary().statistics.message_count == sum(counts.values())

made = sum(
    json.loads(message.data)["input"] == "step"
    for _, _, message in make_reader(open(file, "rb")).iter_messages(topics="/inputs")
)
assert made == steps, f"{made} steps"
assert counts["/episode"] == counts["/outcome"] == 1, counts
assert counts["/percepts"] > 0 and counts["/checkpoints"] > 1, counts
print("valid:", ", ".join(f"{count} on {topic}" for topic, count in sorted(counts.items())))
