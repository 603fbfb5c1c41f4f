"""Results of JMH are times or throughputs by their unit, and their parameters name the rows."""

import json

import deabench as db


def jmh_result(size: int, score: float, unit: str, name: str = "maps.HashMap.get") -> dict:
    return {
        "jmhVersion": "1.37",
        "benchmark": name,
        "mode": "avgt" if unit.endswith("/op") else "thrpt",
        "warmupTime": "10 s",
        "measurementTime": "10 s",
        "params": {"size": str(size), "loadFactor": "0.75"},
        "primaryMetric": {
            "score": score,
            "scoreError": score / 50,
            "scoreUnit": unit,
            "scorePercentiles": {"0.0": score, "50.0": score},
            "rawData": [[score, score]],
        },
        "secondaryMetrics": {"gc.alloc.rate.norm": {"score": 16.0, "scoreUnit": "B/op"}},
    }


def test_a_time_per_operation_is_a_cost_and_operations_per_time_are_an_output(tmp_path) -> None:
    sizes = [(10, 2.0), (100, 3.0), (1000, 9.0)]
    for unit, role in [("ms/op", "cost"), ("ops/s", "output")]:
        file = tmp_path / "maps.json"
        file.write_text(json.dumps([jmh_result(size, score, unit) for size, score in sizes]))
        table = db.read(file)
        score = f"primaryMetric.score ({unit})"
        roles = {column.name: column.role for column in table.columns}
        assert roles[score] == role
        assert roles["secondaryMetrics.gc.alloc.rate.norm.score (B/op)"] == "cost"
        # What only tells how long a run took is not there, nor what repeats the score.
        assert not any("Time" in name or "Percentile" in name for name in roles)
        assert "percentiles and raw data of the scores are not read" in table.notes
        assert table.label == ("benchmark", "params.size")
        assert list(table.frame.index) == [f"maps.HashMap.get, {size}" for size, _ in sizes]


def test_benchmarks_of_one_setting_are_named_by_themselves(tmp_path) -> None:
    file = tmp_path / "maps.json"
    names = ["maps.HashMap.get", "maps.TreeMap.get"]
    file.write_text(json.dumps([jmh_result(10, 2.0, "ns/op", name) for name in names]))
    assert db.read(file).label == ("benchmark",)
