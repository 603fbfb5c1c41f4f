"""Lines that benchmark programs print are tables whose columns are called by the units.

Results of JMH are times or throughputs by their unit, and their parameters name the rows.
"""

import json
from pathlib import Path

import pytest

import deabench as db
from deabench.tables.readers.benchmark_logs import find_benchmark_logs
from deabench.tables.readers.limits import Limits


def read_text(folder: Path, text: str) -> db.Table:
    file = folder / "log.txt"
    file.write_text(text, encoding="utf-8")
    return db.read(file)


GO = """goos: linux
pkg: example.org/queues
BenchmarkRing-8        12999     376 ns/op      199 B/op      3 allocs/op
BenchmarkList-8         4355    1275.5 ns/op    337 B/op      8 allocs/op

BenchmarkHeap-8        11068     703 ns/op      328 B/op      2 allocs/op
PASS
ok      example.org/queues  25.2s
"""
CARGO = """running 3 tests
test parse_small ... bench:       1,234 ns/iter (+/- 56)
test parse_large ... bench:      91,234 ns/iter (+/- 1,056)
test parse_huge  ... bench:     811,234 ns/iter (+/- 9,056) = 120 MB/s
"""
KALDI = """# mono
%WER 31.42 [ 14223 / 38010, 1030 ins, 2613 del, 10580 sub ] exp/mono/decode_dev/wer_10
# tri
%WER 20.42 [ 7763 / 38010, 827 ins, 1905 del, 5031 sub ] exp/tri/decode_dev/wer_12
%WER 15.71 [ 5970 / 38010, 641 ins, 1403 del, 3926 sub ] exp/tri2/decode_dev/wer_13
"""
GOOGLE = """Run on (8 X 2300 MHz CPUs)
---------------------------------------------------
Benchmark            Time          CPU   Iterations
---------------------------------------------------
BM_Vector/64     27928 ns     27911 ns        24691
BM_List/64       55928 ns     55911 ns        12691 items=3
BM_Deque/64      31928 ns     31900 ns        20691
"""


JMH = """Benchmark              (size)   Mode  Cnt        Score       Error  Units
Maps.readTree            1000  thrpt   10   649967.336 ± 12828.283  ops/s
Maps.readHash            1000  thrpt   10  1050431.352 ± 16007.544  ops/s
Maps.readList            1000  thrpt        457469.129              ops/s
"""


@pytest.mark.parametrize("prefix", ["", "[info] ", "[INFO] "])
def test_lines_of_jmh_are_throughputs_with_intervals(prefix, tmp_path) -> None:
    text = "Higher is better:\n\n```\n" + "".join(f"{prefix}{line}\n" for line in JMH.splitlines())
    table = read_text(tmp_path, text + "```\n")
    assert list(table.outputs) == ["ops/s"]
    assert list(table.frame.index) == [
        f"Maps.{name} 1000" for name in ("readTree", "readHash", "readList")
    ]
    assert list(table.frame["ops/s"]) == [649967.336, 1050431.352, 457469.129]
    times = read_text(tmp_path, JMH.replace("thrpt", " avgt").replace("ops/s", "ns/op"))
    assert list(times.costs) == ["ns/op"]


@pytest.mark.parametrize(
    ("text", "costs", "lower_rates"),
    [
        (GO, ["ns/op", "B/op", "allocs/op"], []),
        (CARGO, ["ns/iter"], []),
        (KALDI, [], ["%WER"]),
        (GOOGLE, ["Time (ns)", "CPU (ns)"], []),
    ],
)
def test_units_and_names_in_the_lines_are_the_columns(tmp_path, text, costs, lower_rates) -> None:
    table = read_text(tmp_path, text)
    assert sorted(table.costs) == sorted(costs)
    assert table.lower_rates == lower_rates
    assert table.outputs == []
    assert len(table.frame) == 3
    # Names of benchmarks hold what was run as well as which system: that is asked.
    assert table.question is not None
    assert table.question.answers["label"] == {"label": ("benchmark",)}


def test_times_of_several_units_are_converted(tmp_path) -> None:
    text = "Ring-8    676ns ± 0%\nList-8   2.62µs ± 1%\nHeap-8   1.5ms ±10%\n"
    table = read_text(tmp_path, text)
    assert table.frame["ns"].tolist() == [676, 2620, 1_500_000]


def test_a_margin_of_error_is_an_interval(tmp_path) -> None:
    lines = [("fast", "80,639", "2"), ("middle", "10,719", "4.5"), ("slow", "2,639", "1")]
    text = "".join(
        f"  {name}    x {rate} ops/sec ±{error}% (78 runs sampled)\n" for name, rate, error in lines
    )
    table = read_text(tmp_path, text)
    assert table.outputs == ["ops/sec"]
    assert table.frame.loc["fast", "ops/sec"] == 80639


def test_values_stand_behind_their_names() -> None:
    text = "threads = 1\n" + "".join(
        f"   net{k}  min =  {k}.5  latency_ms = {k}.7\n" for k in range(1, 4)
    )
    (grid,) = find_benchmark_logs(text, Limits(), "log.txt")
    assert grid.rows[0] == ["benchmark", "min", "latency_ms"]
    assert grid.rows[1:] == [[f"net{k}", f"{k}.5", f"{k}.7"] for k in range(1, 4)]


def test_packages_and_blocks_are_tables_of_their_own() -> None:
    block = "BenchmarkA 5 2 ns/op\nBenchmarkB 5 3 ns/op\nBenchmarkC 5 3 ns/op\n"
    text = f"# Results\n## Reading\n```\n{block}```\n## Writing\n```\n{block}```\n"
    grids = find_benchmark_logs(text, Limits(), "log.txt")
    assert [grid.name for grid in grids] == ["Reading", "Writing"]


def test_units_of_google_benchmark_may_differ_from_line_to_line(tmp_path) -> None:
    lines = ("Parse/1    7.08 us    6.45 us    98267", "Parse/2    2.5 ms    2.25 ms    900")
    text = "Benchmark    Time    CPU   Iterations\n" + "\n".join(
        [*lines, lines[0].replace("/1", "/3")]
    )
    table = read_text(tmp_path, text + "\n")
    assert table.costs == ["Time", "CPU"]
    assert table.frame["Time"].tolist() == pytest.approx([7.08e-6, 2.5e-3, 7.08e-6])


JMH_WITH_COMMAS = """# Run complete. Total time: 00:00:22

Benchmark                 Mode  Cnt      Score      Error  Units
SimpleBenchmark.all      thrpt   10  32060,941 ± 3763,181  ops/s
SimpleBenchmark.half     thrpt   10  24675,357 ± 2694,577  ops/s
"""


def test_jmh_has_decimal_commas_in_some_locales(tmp_path) -> None:
    table = read_text(tmp_path, JMH_WITH_COMMAS)
    assert table.outputs == ["ops/s"]
    assert table.frame["ops/s"].tolist() == [32060.941, 24675.357]


def test_jmh_has_decimal_points_and_commas_between_thousands(tmp_path) -> None:
    text = JMH_WITH_COMMAS.replace("32060,941", "32,060.941").replace("24675,357", "24,675.357")
    assert read_text(tmp_path, text).frame["ops/s"].tolist() == [32060.941, 24675.357]


def test_criterion_writes_long_names_on_a_line_of_their_own(tmp_path) -> None:
    lines = [f"suite/p{k}\n      time:   [33{k}.10 µs 33{k}.50 µs 1.3395 ms]\n" for k in range(3)]
    table = read_text(tmp_path, "".join(lines))
    assert table.frame["time (ns)"].tolist() == [330500, 331500, 332500]
    assert table.frame.index.tolist() == ["suite/p0", "suite/p1", "suite/p2"]


def test_criterion_prints_the_ends_of_an_interval(tmp_path) -> None:
    lines = [f"suite/p{k}   time:   [33{k}.10 µs 33{k}.50 µs 1.3395 ms]\n" for k in range(3)]
    table = read_text(tmp_path, "Numbers:\n```\n" + "".join(lines) + "```\n")
    assert table.costs == ["time (ns)"]
    assert table.frame["time (ns)"].tolist() == [330500, 331500, 332500]
    assert table.error_bars["time (ns)"]["high"].tolist() == [1339500] * 3


MEASURED = {
    "counts of runs": (
        "Read\n",
        "sqlc:\t\t8448\t148618 ns/op\t904 B/op\n",
        {"ns/op": "148618", "B/op": "904"},
    ),
    "spaced thousands": ("", "√ ajv             14 032 040 ops/sec\n", {"ops/sec": "14032040"}),
    "hard blanks": ("", "√ ajv       14\u00a0032\u202f040 ops/sec\n", {"ops/sec": "14032040"}),
    "a blank before the unit": ("", "ajv   530\u00a0266 ops/sec\n", {"ops/sec": "530266"}),
    "commas between thousands": ("", "ajv   1,530,266 ops/sec\n", {"ops/sec": "1530266"}),
    "checks between": (
        "wait ...\n",
        "+8 bytes at once: CRC=17560371, 0.53s, 1937.2 MB/s\n",
        {"time": "0.53 s", "MB/s": "1937.2"},
    ),
    "words before": (
        "Run:\n",
        "json: len: 47 bytes,\t encode: 291.4µs,\tok\n",
        {"len": "47 bytes", "encode": "291.4 µs"},
    ),
}


@pytest.mark.parametrize("case", MEASURED)
def test_lines_of_numbers_with_units(case) -> None:
    before, line, values = MEASURED[case]
    names = ("", "b", "c")
    text = before + "".join(line.replace(":", f"{n}:", 1).replace("ajv", f"ajv{n}") for n in names)
    (grid,) = find_benchmark_logs(text, Limits(), "log.txt")
    assert grid.rows[0] == ["benchmark", *values]
    assert len(grid.rows) == 4
    assert grid.rows[1][1:] == [*values.values()]


LIBRARIES = [f"lib{k}   1{k} ms   3{k} MB\n" for k in range(3)]


@pytest.mark.parametrize(
    "text",
    [
        # A header names the columns, also above a rule, and so may words and metrics.
        "Library   Reading   Writing\n" + "".join(LIBRARIES),
        "Library   Reading   Writing\n=====================\n" + "".join(LIBRARIES),
        "host free\n" + "".join(LIBRARIES),
        "Uptime\n" + "".join(LIBRARIES),
        # Names repeat; there are two lines only; sentences; commas may be decimal signs.
        "ant  12 ms\n" * 3,
        "ant  12 ms\nbee  13 ms\n",
        "It took 12 ms.\nIt took 13 ms.\nAnd then 14 ms.\n",
        "ant:  9,10 s\nbee:  9,5 s\ncow:  1,20 s\ndog:  12,4 s\n",
        "ant:  1,204 s\nbee:  1,315 s\ncow:  1,420 s\ndog:  12,4 s\n",
        "dog:  12,4 s\nant:  1,204 s\nbee:  1,315 s\ncow:  1,420 s\n",
        "ant: 120 min\nbee: 90 min\ncow: 70 min\n",
    ],
)
def test_other_lines_with_units_are_no_log(text) -> None:
    assert find_benchmark_logs(text, Limits(), "log.txt") == []


def test_units_may_differ_and_lines_without_numbers_are_noted(tmp_path) -> None:
    lines = ("gzip:  910 ms", "xz:  12.4 s", "lzma:  failed", "zstd:  90 µs", "lz4:  120 ms")
    table = read_text(tmp_path, "\n".join(lines) + "\n")
    assert table.frame["time"].tolist() == pytest.approx([0.91, 12.4, 9e-5, 0.12])
    note = "lines without numbers of this kind are left out: 'lzma:  failed'"
    assert note in table.notes


def test_runs_of_lines_are_tables_of_their_own() -> None:
    text = "".join(
        f"{title}\n" + "".join(f"lib{k}:  1{k} ms\n" for k in range(3))
        for title in ("Read", "Write")
    )
    grids = find_benchmark_logs(text, Limits(), "log.txt")
    assert [grid.name for grid in grids] == ["Read", "Write"]


def test_records_hold_values_behind_their_names(tmp_path) -> None:
    lines = [f"RESULT algo=lz{k} file=cc time={30 + k} mem_peak=62{k}\n" for k in range(4)]
    table = read_text(tmp_path, "# topk\n" + "".join(lines))
    assert table.costs == ["time", "mem_peak"]
    assert table.frame.index.tolist() == ["lz0", "lz1", "lz2", "lz3"]
    failed = "# topk\n" + "".join(lines) + "algo=lz5 failed\n"
    note = "lines without numbers of this kind are left out: 'algo=lz5 failed'"
    assert note in read_text(tmp_path, failed).notes
    # A configuration file has other lines, too.
    prose = "The program is started by name.\n" * 3
    assert find_benchmark_logs("".join(lines) + prose, Limits(), "log.txt") == []


def test_a_line_or_two_are_no_log() -> None:
    text = "BenchmarkA 5 2 ns/op\nBenchmarkB 5 3 ns/op\nname,value\n"
    assert find_benchmark_logs(text, Limits(), "log.txt") == []


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


@pytest.mark.parametrize(
    "text",
    [
        # A header, and lines in another form: these are rows of a table.
        "system\tlatency\nA-1\t12ms ± 3%\nB-1\t15ms ± 2%\nC-1\t9ms ± 4%\n",
        "A-1 12ms ± 3%\nB-1 15ms ± 2%\nC-1 9ms ± 4%\nD-1 3ms\n",
        # Names without the number of processors are no benchmarks of Go.
        "A 12ms ± 3%\nB 15ms ± 2%\nC 9ms ± 4%\n",
        "model min max\na min = 1 max = 2\nb min = 2 max = 3\nc min = 3 max = 4\n",
    ],
)
def test_lines_beside_other_rows_are_no_log(text) -> None:
    assert find_benchmark_logs(text, Limits(), "log.txt") == []
