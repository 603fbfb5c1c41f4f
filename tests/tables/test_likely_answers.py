"""What is proposed first, and what decides: each table is asked about once, and then ranked."""

import shlex

import pytest

import deabench as db
from deabench.cli import main
from deabench.tables.cells import parse_numbers
from deabench.tables.naming.questions import UndecidedError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def read_text(tmp_path, text: str, name: str = "results.csv") -> db.Table:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return db.read(path)


def test_speech_data_sets_hold_error_rates(tmp_path) -> None:
    table = read_text(
        tmp_path,
        "model,LibriSpeech clean,WSJ eval92,Fleurs\nA,2.1,3.5,7.1\nB,2.5,3.1,7.9\nC,3.3,4,6.9\n",
    )
    assert table.question.default == "lower"


def test_unknown_columns_go_with_the_known_qualities(tmp_path) -> None:
    rows = "A,31.5,0.52,1.5\nB,29.1,0.61,2.5\nC,27.2,0.75,3.5\nD,25.3,0.83,1.5\nE,22.8,0.97,2.5\n"
    table = read_text(tmp_path, "model,PSNR,blurriness,latency\n" + rows)
    assert table.question.columns == ("blurriness",)
    assert table.question.default == "lower"
    table = read_text(tmp_path, "model,FID,blurriness,latency\n" + rows)
    assert table.question.default == "higher"


def test_whole_numbers_are_counts_before_they_are_rates(tmp_path) -> None:
    rows = "A,61.5,14\nB,58.1,3\nC,64.9,8\nD,59.3,11\n"
    table = read_text(tmp_path, "model,accuracy,user_asks\n" + rows)
    assert table.question.default == "ignore"


def test_beside_benchmarks_a_measurement_is_a_benchmark(tmp_path) -> None:
    rows = "A,61.5,612.5\nB,58.1,601.2\nC,64.9,598.3\n"
    table = read_text(tmp_path, "model,MMBench,TouchRock\n" + rows)
    assert table.question.default == "higher"


def test_programs_of_many_languages_are_timed(tmp_path) -> None:
    rows = "fib,C,2.1,0.5\nfib2,Rust,2.5,0.7\nfib3,Python,9.9,8.8\nfib4,Julia,3.3,1.1\n"
    table = read_text(tmp_path, "program,language,queens,sudoku\n" + rows)
    assert table.question.default == "lower"


def test_a_text_about_running_times_makes_lower_likely(tmp_path) -> None:
    table = "\n\n|solver|queens|knights|\n|---|---|---|\n|A|2.5|3.5|\n|B|1.5|4.5|\n|C|3.5|2.5|\n"
    assert read_text(tmp_path, "Results" + table, "a.md").question.default == "higher"
    long = "We stopped all programs after one hour, and looked at the elapsed time of each of them "
    long += "on a machine with eight cores, which other people used, too."
    assert read_text(tmp_path, long + table, "b.md").question.default == "lower"
    # A caption decides.
    assert read_text(tmp_path, "Elapsed time" + table, "b.md").inputs == ["queens", "knights"]


def test_columns_of_producers_are_asked_about_by_their_neighbours(tmp_path) -> None:
    rows = "u1,12,4.5,7,9\nu2,15,3.5,8,7\nu3,11,5.5,9,8\nu4,14,6.5,6,5\n"
    table = read_text(tmp_path, "university,staff,kudos,publications,patents\n" + rows)
    assert table.question.columns == ("kudos",)
    assert table.question.default == "lower"
    table = read_text(tmp_path, "university,staff,publications,kudos,patents\n" + rows)
    assert table.question.default == "higher"


def test_what_producers_use_takes_no_direction_from_what_they_make(tmp_path) -> None:
    rows = "".join(f"p{k},{100 + 7 * k},{50 + 4 * k},{20 + 3 * k}\n" for k in range(12))
    table = read_text(tmp_path, "firm,sales,flux,staff\n" + rows)
    assert "flux" not in table.outputs
    # The name "output" is no arrow for the other columns.
    table = read_text(tmp_path, "firm,output,flux,staff\n" + rows)
    assert "flux" not in table.outputs


def test_a_score_by_which_models_are_sorted_upwards_goes_with_its_benchmarks(tmp_path) -> None:
    rows = "S,55.1,61.2,70.3\nM,60.2,65.5,72.1\nL,66.3,68.9,75.5\nXL,70.9,72.2,80.1\n"
    table = read_text(tmp_path, "model,Score,CoLA,RTE\n" + rows)
    assert table.outputs == ["Score", "CoLA", "RTE"]
    table = read_text(tmp_path, "model,Score,price\n" + rows.replace("72.1", "1"))
    assert "Score" not in table.outputs


def test_percent_signs_may_be_left_out_of_cells_above_one(tmp_path) -> None:
    header = "model,WER\n"
    table = read_text(tmp_path, header + "A,3.6\nB,1.77 %\nC,2.4\n")
    assert table.frame["WER"].tolist() == [3.6, 1.77, 2.4]
    assert table.percent == ["WER"]
    # 0.9 may be a share or 0.9 %.
    table = read_text(tmp_path, header + "A,0.9\nB,1.77 %\nC,2.4\n")
    assert table.frame["WER"].isna().tolist() == [False, True, False]


def test_rows_that_are_called_by_benchmarks_are_data_sets(tmp_path) -> None:
    rows = "ImageNet-1K,61.5,70.1\niNaturalist 2018,55.5,60.1\nPlaces365,50.2,55.5\n"
    table = read_text(tmp_path, ",tiny,large\n" + rows)
    assert table.kind in ("datasets", "metrics-in-rows")
    assert list(table.frame.index) == ["tiny", "large"]


def test_a_sentence_about_errors_leaves_other_metrics_open(tmp_path) -> None:
    rows = "".join(f"|m{k}|{0.1 + k / 100:.2f}|{5 + 1.1 * k:.1f}|{40 - 7 * k}|\n" for k in range(9))
    head = "|model|AbsRel|delta1|shift (%)|\n|---|---|---|---|\n"
    # The text speaks of errors, and the "accuracy" rises with them.
    table = read_text(tmp_path, "Lower error values are better.\n\n" + head + rows, "a.md")
    assert table.outputs == []
    assert {"delta1"} <= {*table.question.columns}
    assert table.lower_rates == ["AbsRel"]
    # Without the text the name decides.
    assert "delta1" in read_text(tmp_path, head + rows, "b.md").outputs


def test_rows_named_by_rising_quantities_are_data_sets(tmp_path, capsys) -> None:
    path = tmp_path / "processing_latency.csv"
    path.write_text(
        ",alpha,beta,gamma\n0 ms,4.5,4.7,3.9\n10 ms,14.6,14.2,14.8\n100 ms,101.5,99.2,98.7\n"
    )
    assert main(["rank", str(path)]) == 1
    message = capsys.readouterr().err
    command = shlex.split(next(x for x in message.splitlines() if x.startswith("  ")))[1:]
    assert main(command) == 0
    assert command[2:4] == ["--dataset", "Unnamed: 0"]


def test_sizes_are_parts_of_names(tmp_path) -> None:
    rows = "7B,int8,20.5,8.5\n7B,int4,25.5,6.5\n14B,int8,14.5,16.5\n14B,int4,18.5,11.5\n"
    table = read_text(tmp_path, "Model Size,Quantization,tokens/s,memory (GB)\n" + rows)
    assert table.question.answers["label"]["label"] == ("Model Size", "Quantization")


def test_systems_with_prices_are_no_data_sets(tmp_path) -> None:
    rows = "RTX X1,260,6037.5,18.2,14.6\nRTX X2,300,9937.5,22.9,18.9\nRTX X3,250,5000,15.5,12.5\n"
    table = read_text(tmp_path, "name_gpu,watt,price,flux,jolt\n" + rows, "throughput_fp16.csv")
    assert table.question is None
    assert table.outputs == ["flux", "jolt"]
    assert table.costs == ["watt", "price"]


def test_cells_of_two_numbers_are_left_out_with_one_command(tmp_path, capsys) -> None:
    path = tmp_path / "glue.csv"
    path.write_text("model,CoLA,MRPC,QQP\nA,41.5,81.1/71.2,62.2/83.4\nB,38.2,80.1/69.9,61.1/82.2\n")
    assert main(["rank", str(path)]) == 1
    message = capsys.readouterr().err
    command = shlex.split(next(x for x in message.splitlines() if x.startswith("  ")))[1:]
    assert command[-2:] == ["--ignore", "MRPC,QQP"]
    assert main(command) == 0


def test_tables_of_r_have_quoted_cells(tmp_path) -> None:
    rows = '"New Zealand" 0.74 0.77 0.85\n"Austria" 0.24 0.32 0.18\n"Peru" 0.36 0.39 0.26\n'
    header = '"country" "output" "main lines" "employees"\n'
    table = read_text(tmp_path, header + rows, "telecom.txt")
    assert table.label == ("country",)
    assert list(table.frame.columns) == ["output", "main lines", "employees"]
    assert list(table.frame.index) == ["New Zealand", "Austria", "Peru"]


def test_a_metric_does_not_name_rows(tmp_path) -> None:
    scores = [20 + k // 2 for k in range(12)]
    rows = "".join(
        f"m{max(k, 1)},{60.5 + 1.3 * k:.1f},{50.5 + 1.7 * k:.1f},{s}\n"
        for k, s in enumerate(scores)
    )
    table = read_text(tmp_path, "model,mmlu,gsm8k,aaix\n" + rows)
    assert "aaix" in table.outputs
    assert table.question is None


@pytest.mark.parametrize("cells", [["90 %", "0.9"], ["2 %", "250"]])
def test_bare_numbers_beside_percent_are_percent_only_where_they_can_be(cells) -> None:
    import pandas as pd

    numbers = parse_numbers(pd.Series([*cells, "55 %"], name="rate"))
    assert numbers.unit == ""
    assert numbers.failed.tolist() == [True, False, True]


def test_an_answer_can_be_passed_in_python(tmp_path) -> None:
    path = tmp_path / "board.csv"
    path.write_text("model,accuracy,flux\nA,0.9,11.5\nB,0.8,12.5\nC,0.7,9.25\nD,0.85,\n")
    with pytest.raises(UndecidedError) as error:
        db.rank(path)
    answer = error.value.question.answers["ignore"]
    assert answer["ignore"] == ("flux",)
    assert "missing" not in answer
    assert error.value.question.answers["higher"]["missing"] == ("drop-systems",)


@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("We report top-1 error rates on the test sets.", "lower"),
        ("We report top-1 error rates; accuracy is 1 minus that.", None),
        ("Top-1 error rate on the two CIFAR benchmarks is reported.", "lower"),
        ("We report what came out.", None),
    ],
)
def test_a_text_of_error_rates_leaves_scores_of_data_sets_open(text, default, tmp_path) -> None:
    rows = "| A | 3.1 | 17.2 |\n| B | 4.5 | 19.9 |\n| C | 4.1 | 18.3 |\n"
    page = f"{text}\n\n| Model | CIFAR-10 (%) | CIFAR-100 (%) |\n|---|---|---|\n{rows}"
    table = read_text(tmp_path, page, "README.md")
    assert (table.question and table.question.default) == default


def test_numbers_that_the_text_calls_error_rates_are_better_low(tmp_path) -> None:
    file = tmp_path / "text.md"
    rows = "BERT | 4.51 | 29.32 | 0.64\nXLNet | 3.79 | 27.80 | 0.62\n"
    table = f"Model | IMDB | Yelp-5 | DBpedia\n--- | --- | --- | ---\n{rows}"
    file.write_text(
        f"### Results on Text Classification\n\n{table}\nThe above numbers are error rates.\n"
    )
    columns = db.read(file).columns
    assert [(c.role, c.high) for c in columns] == [("lower_rate", 100.0)] * 3
    assert db.rank(file).ranks.idxmin() == "XLNet"
    file.write_text(f"### Results on Text Classification\n\n{table}")
    assert "lower_rate" not in [column.role for column in db.read(file).columns]


def test_error_rates_are_in_percent_beside_a_column_of_large_numbers(tmp_path) -> None:
    rows = "BERT | 12000 | 4.51 | 0.64\nXLNet | 15000 | 3.79 | 0.62\n"
    table = f"Model | foo | IMDB | DBpedia\n--- | --- | --- | ---\n{rows}"
    columns = read_text(tmp_path, f"{table}\nThe numbers above are error rates.\n", "t.md").columns
    highs = {column.name: column.high for column in columns}
    assert (highs["IMDB"], highs["DBpedia"]) == (100.0, 100.0)


def first_answer(tmp_path, text: str) -> dict:
    """Return the likeliest answer of a table's question, by option."""
    question = read_text(tmp_path, text).question
    return {option: list(names) for option, names in question.answers[question.default].items()}


def test_the_directions_of_a_question_may_differ(tmp_path) -> None:
    rows = "A,91.5,31.5,0.52\nB,88.2,29.1,0.61\nC,85.4,27.2,0.75\nD,81.1,25.3,0.83\n"
    text = "model,accuracy,zest,blurriness\n" + rows + "E,77.7,22.8,0.97\n"
    assert read_text(tmp_path, text).question.default == "mixed"
    assert first_answer(tmp_path, text) == {
        "outputs": ["accuracy", "zest"],
        "inputs": [],
        "lower_is_better": ["blurriness"],
        "ignore": [],
    }
    # One direction for all columns needs no answer of its own.
    question = read_text(
        tmp_path, "model,accuracy,zest\nA,91,3.5\nB,88,3.1\nC,85,2.7\nD,81,2.5\nE,77,2.2\n"
    ).question
    assert question.default == "higher"
    assert "mixed" not in question.answers


def test_a_proposal_of_several_directions_is_ranked(tmp_path, capsys) -> None:
    rows = (
        "A,91.5,31.5,0.52\nB,88.2,29.1,0.61\nC,85.4,27.2,0.75\nD,81.1,25.3,0.83\nE,77.7,22.8,0.97\n"
    )
    path = tmp_path / "board.csv"
    path.write_text("model,accuracy,zest,blurriness\n" + rows)
    assert main(["rank", str(path)]) == 1
    message = capsys.readouterr().err
    assert "If their directions differ as follows, type\n  deabench rank" in message
    command = shlex.split(next(x for x in message.splitlines() if x.startswith("  ")))[1:]
    assert main(command) == 0
    with pytest.raises(UndecidedError, match="If their directions differ as follows, pass outputs"):
        db.rank(db.read(path))


def test_what_is_0_or_1_alone_is_likely_no_metric(tmp_path) -> None:
    rows = "p,9,7.5,1,0\nq,8,8.5,0,1\nr,7,6.5,1,1\ns,6,9.5,0,0\nt,8.5,5.5,1,0\n"
    answer = first_answer(tmp_path, "airport,passengers,staff,reef,dune\n" + rows)
    assert answer == {"ignore": ["reef", "dune"]}


def test_a_name_that_differs_in_its_last_word_measures_the_same(tmp_path) -> None:
    header = "engine,scan_p50,scan_p95,scan_zork,jobs_qps\n"
    rows = "A,12.5,20.5,{}4.5,100.5\nB,15.5,25.5,{}0.5,120.5\nC,11.5,22.5,{}9.5,90.5\n"
    answer = first_answer(tmp_path, header + rows.replace("{}", "1"))
    assert answer["lower_is_better"] == ["scan_zork"]
    # Of another size it is another measurement.
    answer = first_answer(tmp_path, header + rows.replace("{}", "9000"))
    assert answer == {"ignore": ["scan_zork"]}


def test_what_rises_with_a_known_cost_is_likely_one(tmp_path) -> None:
    rows = "".join(f"e{k},{0.9 - k % 3 / 10:.1f},{10 + 3 * k},{40.5 + 9 * k}\n" for k in range(7))
    table = read_text(tmp_path, "engine,accuracy,seconds,zork\n" + rows)
    assert table.question.columns == ("zork",)
    assert table.question.default == "lower"


def test_what_a_question_takes_for_no_metric_is_ignored_by_name(tmp_path) -> None:
    rows = "A,91.5,0,0.52\nB,88.2,1,0.61\nC,85.4,1,0.75\nD,81.1,0,0.83\nE,77.7,1,0.97\n"
    answer = first_answer(tmp_path, "model,accuracy,zest,blurriness\n" + rows)
    assert answer["ignore"] == ["zest"]
    assert answer["lower_is_better"] == ["blurriness"]


def test_what_is_counted_as_spent_is_likely_better_low(tmp_path) -> None:
    rows = "A,61.5,54.1\nB,58.1,30.9\nC,64.9,49.8\nD,59.3,41.7\n"
    assert read_text(tmp_path, "team,accuracy,Turns\n" + rows).question.default == "lower"
    assert read_text(tmp_path, "team,accuracy,Lens\n" + rows).question.default != "lower"


def test_sides_of_a_production_table_may_be_logarithms(tmp_path) -> None:
    rows = "2.4,4.9,3.5,0.97\n4.5,0.7,3.6,0.99\n0.2,4.6,2.1,0.92\n"
    question = read_text(tmp_path, "log_x1,log_x2,log_y,true_te\n" + rows).question
    assert question.default == "production"
    answer = question.answers["production"]
    assert answer["outputs"] == ("log_y",)
    assert answer["inputs"] == ("log_x1:log_x2",) or answer["inputs"] == ("log_x1", "log_x2")
    assert answer["ignore"] == ("true_te",)


def test_columns_that_another_one_compares_are_likely_systems(tmp_path) -> None:
    rows = "permute,0.076,0.0836,+10.0%\nqueens,0.0715,0.0724,+1.26%\njson,0.4016,0.4149,+3.31%\n"
    text = f"name,base,eager,\n{rows}nbody,20.3051,20.2915,-0.07%\n"
    question = read_text(tmp_path, text).question
    assert question.answers[question.default]["dataset"] == ("name",)
    # Without the comparison the rows may as well be systems.
    plain = "\n".join(",".join(line.split(",")[:3]) for line in text.splitlines())
    question = read_text(tmp_path, plain, "plain.csv").question
    assert question is None or "dataset" not in question.answers[question.default]
    # Models stay in rows.
    question = read_text(tmp_path, text.replace("name", "model"), "models.csv").question
    assert question is None or "dataset" not in question.answers[question.default]


def test_the_difference_of_two_systems_is_no_system(tmp_path) -> None:
    text = (
        "Task,E5,Ours,Difference\nrecall@5,0.71,0.75,0.04\nnDCG,0.62,0.61,-0.01\nMRR,0.5,0.6,0.1\n"
    )
    table = read_text(tmp_path, text)
    assert list(table.frame.index) == ["E5", "Ours"]


def test_columns_that_grow_with_the_size_they_are_called_by_are_likely_times(tmp_path) -> None:
    rows = "quick,0.4,5.1,61.5\nbubble,1.9,40.2,480.3\nmerge,0.6,7.2,85.9\n"
    question = read_text(tmp_path, f"Algorithm,n=1000,n=10000,n=100000\n{rows}").question
    assert "lower_is_better" in question.answers[question.default]
    assert question.answers[question.default]["outputs"] == ()
    # So do speed-ups with the number of threads.
    threads = f"Program,np2,np4,np8\n{rows.replace('61.5', '21.5')}"
    question = read_text(tmp_path, threads, "threads.csv").question
    assert question is None or question.answers[question.default]["outputs"]
    # Accuracies fall with the length of the text.
    rows = "A,81.4,71.1,61.5\nB,79.9,60.2,48.3\nC,80.6,73.2,55.9\n"
    question = read_text(tmp_path, f"Algorithm,1024,2048,4096\n{rows}", "b.csv").question
    assert question is None or question.answers[question.default]["outputs"]
