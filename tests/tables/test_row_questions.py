"""Questions about rows: what may be no systems is asked about before it is ranked."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import deabench as db
from deabench.cli import main
from deabench.errors import DataError
from deabench.tables.naming.questions import UndecidedError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def write(folder: Path, text: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        # The log of a training, and a load test, whose rows have no name.
        (
            "epoch,val_loss,accuracy\n1,2.1,0.5\n2,1.4,0.6\n3,1.1,0.7\n",
            {"label": {"label": ("epoch",)}},
        ),
        (
            "input length,concurrency,throughput,latency_ms\n5,50,204,245\n5,100,225,452\n"
            "8,50,180,260\n8,100,190,500\n",
            {"label": {"label": ("input length", "concurrency")}},
        ),
        # Single results of one system, and statistics of them.
        (
            "image_id,dice,iou\n0,0.98,0.96\n1,0.95,0.91\n2,0.96,0.92\n",
            {"label": {"label": ("image_id",)}},
        ),
        (
            "what,dice,iou\nmean,0.86,0.79\nstd,0.17,0.19\n",
            {"label": {"label": ("what",)}},
        ),
        ("class,precision,recall\ncat,0.9,0.8\ndog,0.7,0.9\n", {"label": {"label": ("class",)}}),
        # Kinds of cases, and the routes of one service.
        (
            "attack_type,recall,fpr\ndos,0.9,0.1\nprobe,0.7,0.2\n",
            {"label": {"label": ("attack_type",)}},
        ),
        ("Route,p50,p99\n/a,20 ms,95 ms\n/b,30 ms,99 ms\n", {"label": {"label": ("Route",)}}),
        # Programs side by side, by benchmark: only the cells say that these are times.
        (
            "Benchmark,abc -O0,xyz -O2\nfib,416 ms,80 ms\nsort,59 ms,27 ms\n",
            {"dataset": {"dataset": ("Benchmark",)}, "label": {"label": ("Benchmark",)}},
        ),
        # Systems side by side, by a setting.
        (
            "Input Resolution,tool one,tool two\n1920,3.4 fps,10.0 fps\n640,24.4 fps,65.9 fps\n",
            {
                "dataset": {"dataset": ("Input Resolution",)},
                "label": {"label": ("Input Resolution",)},
            },
        ),
        # Tasks of one system, and the same with a word that names their kind.
        ("task_family,accuracy\nlogic,0.9\nmath,0.8\n", {"label": {"label": ("task_family",)}}),
        # Systems on several species, under several features of a model.
        (
            "species,feature,model,mae\nx,f,a,1\nx,g,a,2\nx,f,b,3\ny,f,a,4\ny,g,b,5\n",
            {"label": {"label": ("model", "species", "feature")}},
        ),
        # Pairs of a processor and a workload, with a name of their own and without.
        (
            "case,workload,cpu,ipc\nm_o3,m,o3,2\nm_io,m,io,1\np_o3,p,o3,3\np_io,p,io,2\n",
            {
                "dataset": {"label": ("cpu",), "dataset": ("workload",)},
                "label": {"label": ("case",)},
            },
        ),
        (
            "Workload,CPU,ipc\nm,o3,2\nm,io,1\np,o3,3\np,io,2\n",
            {
                "dataset": {"label": ("CPU",), "dataset": ("Workload",)},
                "label": {"label": ("CPU", "Workload")},
            },
        ),
        # Sizes of problems, and workloads that not every system was run on.
        (
            "algorithm,input_size,time_ms\na,100,1\na,200,4\nb,100,2\n",
            {
                "dataset": {"dataset": ("input_size",)},
                "label": {"label": ("algorithm", "input_size")},
            },
        ),
        (
            "Workload,Strategy,recall,p95_ms\nx,ivf,1,2\nx,aware,0.9,1\ny,ivf,0.8,3\n",
            {
                "dataset": {"dataset": ("Workload",)},
                "label": {"label": ("Strategy", "Workload")},
            },
        ),
        # Programs that differ in a number alone.
        (
            "binary,P_mpi,seconds\na,1,25.1\na,2,20.3\nb,1,33.6\nb,2,14.7\n",
            {"label": {"label": ("binary", "P_mpi")}},
        ),
        # A name that tells nothing, and dates.
        ("flavour,accuracy,latency_ms\nx,0.9,9\ny,0.8,5\n", {"label": {"label": ("flavour",)}}),
        ("Date,accuracy\n2024-01-02,0.9\n2024-01-03,0.8\n", {"label": {"label": ("Date",)}}),
        # A team in several seasons.
        (
            "team,season,wins,points\nx,1,3,40\nx,2,5,41\ny,1,4,50\ny,2,6,39\n",
            {"label": {"label": ("team", "season")}},
        ),
        # Trials that are called by what was set, under the name of a metric.
        (
            "snr,delay_ms,ignited\nlow,199,yes\nlow,215,yes\nhigh,150,no\nhigh,151,yes\n",
            {"label": {"label": ("snr",)}},
        ),
        ("computation,speedup\nmul,20\nadd,15\n", {"label": {"label": ("computation",)}}),
        # Each model was trained and tested on data of its own.
        (
            "name,Dataset,PSNR\na1,GoPro,32.9\na2,GoPro,33.7\nb1,SIDD,39.9\nb2,SIDD,40.3\n",
            {"label": {"label": ("name",)}},
        ),
        # A table of pairs.
        ("seen,cat,dog\ncat,40,10\ndog,5,45\n", {"label": {"label": ("seen",)}}),
        # Learning curves of two systems.
        (
            "method,seed,round,test_accuracy\na,0,0,0.1\na,0,1,0.5\na,1,0,0.1\na,1,1,0.6\n"
            "b,0,0,0.1\nb,0,1,0.4\nb,1,0,0.1\nb,1,1,0.5\n",
            {"label": {"label": ("method", "round")}},
        ),
        # A name that repeats over another column of text.
        (
            "algorithm,level_file,mean_time_sec\nBFS,l1,1.5\nBFS,l2,2.5\nDFS,l1,1.1\nDFS,l2,3.5\n",
            {
                "dataset": {"dataset": ("level_file",)},
                "label": {"label": ("algorithm", "level_file")},
            },
        ),
        (
            "pretext,size,accuracy\nx,1,0.5\nx,2,0.6\ny,1,0.7\n",
            {"label": {"label": ("pretext", "size")}},
        ),
        # The winners of data sets under different metrics.
        (
            "Dataset,Best Model,Winning Score,Metric\nd1,GBM,0.97,Accuracy\nd2,Forest,0.9,MSE\n"
            "d3,GBM,0.8,MSE\n",
            {"label": {"label": ("Best Model",)}},
        ),
        # Rows with a name of their own, each a prompt on a data set.
        (
            "experiment,dataset,prompt,accuracy\nx1,d,p,0.9\nx2,d,q,0.8\ny1,e,p,0.7\ny2,e,q,0.6\n",
            {
                "dataset": {"label": ("prompt",), "dataset": ("dataset",)},
                "label": {"label": ("experiment",)},
            },
        ),
        # Names that anything may have, whose cells are no names of systems either.
        ("id,accuracy,latency_ms\nA,0.9,20\nB,0.8,5\n", {"label": {"label": ("id",)}}),
        ("name,accuracy\nadult,0.9\niris,0.8\n", {"label": {"label": ("name",)}}),
        ("component,accuracy\nfront,0.9\nback,0.8\n", {"label": {"label": ("component",)}}),
        ("Best Model,accuracy\nx,0.9\ny,0.8\n", {"label": {"label": ("Best Model",)}}),
        # A model on problems of several sizes, and under a setting that nobody knows.
        (
            "model,n_rows,accuracy\na,100,0.9\na,200,0.8\nb,100,0.7\nb,300,0.6\n",
            {
                "dataset": {"dataset": ("n_rows",)},
                "label": {"label": ("model", "n_rows")},
            },
        ),
        (
            "model,mood,accuracy\na,x,0.9\na,y,0.8\nb,x,0.7\nb,z,0.6\n",
            {
                "dataset": {"label": ("model",), "dataset": ("mood",)},
                "label": {"label": ("model", "mood")},
            },
        ),
        # Repeated runs of a method in several experiments.
        (
            "method,experiment_id,repeat,accuracy\na,x,1,0.9\na,x,2,0.8\na,y,1,0.7\na,y,2,0.6\n"
            "b,x,1,0.5\nb,x,2,0.4\nb,y,1,0.6\nb,y,2,0.5\n",
            {
                "dataset": {"label": ("method",), "dataset": ("experiment_id",)},
                "label": {"label": ("method", "experiment_id")},
            },
        ),
        # Runs that nothing tells apart.
        ("model,accuracy\na,0.9\na,0.8\nb,0.7\nb,0.6\n", {"label": {"label": ("model",)}}),
    ],
)
def test_rows_that_may_be_no_systems_are_asked_about(text, answers, tmp_path) -> None:
    table = db.read(write(tmp_path, text))
    assert table.question is not None
    if set(table.question.answers) <= {"label", "dataset"}:
        assert dict(table.question.answers) == answers
    else:
        # A question about columns stands in the same answers.
        label = answers["label"]["label"]
        assert all(answer["label"] == label for answer in table.question.answers.values())
    with pytest.raises(UndecidedError):
        db.rank(table)


@pytest.mark.parametrize(
    "text",
    [
        "accuracy,latency_ms\n0.9,20\n0.8,5\n0.7,9\n",
        "model,accuracy,epochs\na,0.9,10\nb,0.8,20\n",
        "backend,latency_ms,fps\ncpu,20,50\ngpu,5,200\n",
        "model,with registers,accuracy\na,yes,0.9\na,no,0.8\nb,yes,0.7\nb,no,0.6\n",
        "model,dataset,accuracy\na,d,0.9\na,e,0.8\nb,d,0.7\nb,e,0.6\n",
        "model,timestamp,accuracy\na,10:01 x,0.9\na,10:02 x,0.8\nb,10:03 x,0.7\n",
        "Country,accuracy,latency_ms\nA,0.9,20\nB,0.8,5\n",
        "variety,accuracy,latency_ms\nsvm,0.9,20\nrf,0.8,5\nours,0.7,1\n",
        "name,accuracy\nTinyDecisionTree (d=3),0.9\nLight Random-Forest,0.8\n",
        "what,accuracy\nqwen3vl-8b,0.9\nE5-large,0.8\n",
        "model,img_size,accuracy\na,224,0.9\na,384,0.8\nb,224,0.7\nb,384,0.6\n",
        "id,staff,patients\n1,20,300\n2,5,100\n",
    ],
)
def test_rows_that_are_systems_are_ranked_at_once(text, tmp_path) -> None:
    table = db.read(write(tmp_path, text))
    assert table.question is None
    assert len(db.rank(table).to_frame()) == len(table.frame)


def test_the_proposed_commands_run(tmp_path, capsys, monkeypatch) -> None:
    text = "algorithm,level_file,mean_time_sec\nBFS,l1,1.5\nBFS,l2,2.5\nDFS,l1,1.1\nDFS,l2,3.5\n"
    write(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    assert main(["rank", "t.csv"]) == 1
    asked = capsys.readouterr().err
    assert "every 'algorithm' of 't' has a row for each 'level_file'" in asked
    commands = [line.split() for line in asked.splitlines() if line.startswith("  deabench ")]
    assert commands == [
        ["deabench", "rank", "t.csv", "--dataset", "level_file"],
        ["deabench", "rank", "t.csv", "--label", "algorithm,level_file"],
    ]
    counts = []
    for command in commands:
        assert main([*command[1:], "--format", "csv"]) == 0
        counts.append(len(capsys.readouterr().out.splitlines()) - 1)
    assert counts == [2, 4]


def test_the_message_states_the_arguments_of_python(tmp_path) -> None:
    text = "algorithm,level_file,mean_time_sec\nBFS,l1,1.5\nBFS,l2,2.5\nDFS,l1,1.1\nDFS,l2,3.5\n"
    path = write(tmp_path, text)
    with pytest.raises(UndecidedError, match=r"pass roles=\{'level_file': 'dataset'\}"):
        db.rank(path)
    table = db.read(path, roles={"level_file": "dataset"})
    assert list(table.frame["mean_time_sec"]) == [2.0, 2.3]


def test_a_question_about_rows_and_columns_is_one(tmp_path) -> None:
    path = write(tmp_path, "fold,accuracy,zork\n1,0.9,1.5\n2,0.8,2.5\n3,0.7,3.25\n")
    question = db.read(path).question
    assert question.answers["ignore"] == {"ignore": ("zork",), "label": ("fold",)}
    assert "no column names the systems" in question.text
    assert "nothing tells whether higher or lower is better in 'zork'" in question.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,accuracy\na,0.9\n", "holds one system, 'a'.*give several files"),
        (
            "y_true,y_pred\n1,1\n0,1\n1,0\n0,0\n",
            "holds one system, 't'.*type `deabench metrics FILE`",
        ),
    ],
)
def test_one_system_is_not_ranked(text, message, tmp_path) -> None:
    with pytest.raises(DataError, match=message):
        db.rank(write(tmp_path, text))


def test_a_row_that_is_a_benchmark_is_no_metric(tmp_path) -> None:
    rows = "| MSMARCO | 6980 | 1.1 |\n| TREC-COVID | 50 | 493.5 |\n| FiQA | 648 | 2.6 |\n"
    path = write(tmp_path, "| Dataset | Queries | Rel D/Q |\n|---|---|---|\n" + rows, "t.md")
    table = db.read(path)
    assert table.kind != "metrics-in-rows"
    assert table.question is not None


def test_a_heading_tells_the_direction_of_like_columns(tmp_path) -> None:
    rows = "|---|---|---|\n| a | 2.5 | 1.5 |\n| b | 3.5 | 1.25 |\n"
    text = "## Timing on a laptop\n\n| label | nqueen | sudoku |\n" + rows
    table = db.read(write(tmp_path, text.replace("label", "compiler"), "t.md"))
    assert table.costs == ["nqueen", "sudoku"]
    text = "## Mean score by split\n\n| method | species | genus |\n" + rows
    table = db.read(write(tmp_path, text, "u.md"))
    assert table.outputs == ["species", "genus"]


def test_names_of_other_scripts_are_read(tmp_path) -> None:
    text = "模型名称,Cityscapes精度mIoU(%),推理延时(ms),参数量\nA,78.9,24.4,3.5\nB,80.7,10.1,5.5\n"
    table = db.read(write(tmp_path, text))
    assert (table.label, table.outputs) == (("模型名称",), ["Cityscapes精度mIoU(%)"])
    assert table.costs == ["推理延时(ms)", "参数量"]
    text = "modèle,précision,coût\nA,0.9,20\nB,0.8,5\n"
    table = db.read(write(tmp_path, text, "f.csv"))
    assert (table.label, table.outputs, table.costs) == (("modèle",), ["précision"], ["coût"])


def test_strict_takes_directions_from_names_alone(tmp_path) -> None:
    text = "model,mmlu,zork,flux\na,70.5,60.1,50\nb,60.5,50.2,45\nc,50.5,40.3,30\n"
    path = write(tmp_path, text)
    assert list(db.rank(path).data.outputs) == ["mmlu", "zork", "flux"]
    with pytest.raises(DataError, match="the names of 'zork', 'flux' do not tell which way"):
        db.rank(path, strict=True)
    assert len(db.rank(path, outputs=["mmlu", "zork"], strict=True).scores) == 3
    assert main(["rank", str(path), "--strict"]) == 1


def test_a_ranking_is_headed_by_the_word_of_the_table(tmp_path, capsys) -> None:
    path = str(write(tmp_path, "plant,accuracy,latency_ms\na,0.9,20\nb,0.8,5\nc,0.7,9\n"))
    assert main(["rank", path, "-q"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split()[0] == "plant"
    assert main(["rank", path, "-q", "--format", "md"]) == 0
    assert capsys.readouterr().out.startswith("| plant |")
    # Programs read one name whatever the table is called.
    assert main(["rank", path, "-q", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("classifier,")
    nameless = str(write(tmp_path, "accuracy,latency_ms\n0.9,20\n0.8,5\n0.7,9\n", "u.csv"))
    assert main(["rank", nameless, "-q"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split()[0] == "system"


def test_the_rule_of_a_markdown_table_is_no_row(tmp_path) -> None:
    rows = "| a | 0.9 | 20 |\n| b | 0.8 | 5 |\n"
    for rule in ("|---|---|---|", "| --- | :---: | ---: |", "|:--|--|--:|"):
        for name in ("t.md", "t.csv", "t.txt"):
            text = f"| model | accuracy | latency_ms |\n{rule}\n{rows}"
            table = db.read(write(tmp_path, text, name))
            assert list(table.frame.index) == ["a", "b"]


def test_losses_in_files_name_the_way_out(tmp_path) -> None:
    frame = pd.DataFrame({"model": ["a", "b"], "mae": [1.0, 2.0], "seconds": [3.0, 1.0]})
    for k in (1, 2):
        frame.assign(model=frame["model"] + str(k)).to_parquet(tmp_path / f"part{k}.parquet")
    files = sorted(map(str, tmp_path.glob("part*.parquet")))
    message = "rank losses and costs alone in memory: deabench.rank\\(pandas.concat"
    with pytest.raises(DataError, match=message):
        db.rank_files(files, tmp_path / "scores.parquet")
    joined = pd.concat(map(pd.read_parquet, files), ignore_index=True)
    assert len(db.rank(joined).scores) == 4


def test_sentences_are_no_names_of_systems(tmp_path) -> None:
    answers = "It was built by the old king, who lived here."
    text = f"№,Question,Base model,Score (base)\n1,Who?,{answers!r},0.7\n2,When?,{answers!r},0.8\n"
    table = db.read(write(tmp_path, text.replace("'", '"')))
    assert table.label == ("Question",)
    with pytest.raises(UndecidedError, match="called by 'Question', which names no systems"):
        db.rank(table)


def test_equal_folds_of_a_model_are_those_of_several_systems(tmp_path) -> None:
    rows = [
        f"{script},{model},{fold},0.{fold}{k}"
        for k, script in enumerate(("plain", "distilled"))
        for model in ("small", "large")
        for fold in (1, 2, 3)
    ]
    table = db.read(write(tmp_path, "script,model,fold,accuracy\n" + "\n".join(rows) + "\n"))
    assert table.label == ("model", "script")
    assert len(table.frame) == 4
    # A remark that does not tell the folds apart is no part of the names.
    rows = [row.replace("distilled", "plain") for row in rows]
    table = db.read(write(tmp_path, "script,model,fold,accuracy\n" + "\n".join(rows) + "\n"))
    assert table.label == ("model",)


def test_trials_are_named_by_their_number_and_not_by_a_setting(tmp_path) -> None:
    text = "number,value,params_kind,params_lr,state\n0,0.57,L2,0.19,COMPLETE\n"
    table = db.read(write(tmp_path, text + "1,0.58,Cos,0.16,COMPLETE\n2,0.5,L2,0.1,COMPLETE\n"))
    assert table.label == ("number",)
    with pytest.raises(UndecidedError, match="in 'value'"):
        db.rank(table)
    # A tolerance is a setting, though it speaks of errors.
    text = "Trial Number,Value,ErrorTolerance\n0,89.2,0.1\n1,89.1,0.2\n2,90.1,0.3\n"
    with pytest.raises(UndecidedError, match="in 'Value'"):
        db.rank(db.read(write(tmp_path, text)))


def test_sizes_of_models_alone_are_asked_about(tmp_path) -> None:
    text = "component,params\nhead,10240\nscales,9216\n"
    with pytest.raises(UndecidedError, match="in 'params'"):
        db.rank(db.read(write(tmp_path, text)))
    # A size of what is compressed is a result.
    files = "Method,Compressed size (bytes)\nxz,2056645240\nbzip3,1001957587\n"
    assert db.rank(db.read(write(tmp_path, files))).scores.idxmax() == "bzip3"


def test_several_numbers_in_the_cells_of_a_metric_are_refused(tmp_path, refused) -> None:
    text = "Model,Train time (h),AP\na,109,40.3 / 42.2 / 45.1\nb,57,36.3 / 38.2 / 40.7\n"
    with refused(
        "'AP' of 'a' is '40.3 / 42.2 / 45.1', which is no number; write one number in each cell, "
        "or pass ignore=['AP'] to leave it out"
    ):
        db.rank(db.read(write(tmp_path, text)))


def test_resources_are_not_ranked_without_what_cells_of_several_numbers_hold(
    tmp_path, refused
) -> None:
    text = "Model,Train time (h),mIoU/pAcc(ss)\na,109,0.42/0.52/0.61.\nb,57,0.44/0.53/0.62.\n"
    with refused(
        "'mIoU/pAcc(ss)' of 'a' is '0.42/0.52/0.61.', which is no number; write one number in each "
        "cell, or pass ignore=['mIoU/pAcc(ss)'] to leave it out"
    ):
        db.rank(db.read(write(tmp_path, text)))
    # Beside a quality an unknown column of texts is left out.
    beside = text.replace("Train time (h)", "accuracy").replace("109", "0.9").replace("57", "0.8")
    table = db.read(write(tmp_path, beside.replace("mIoU/pAcc(ss)", "zeal")))
    assert list(db.rank(table).data.outputs) == ["accuracy"]


SYSTEMS_IN_COLUMNS = (
    "Query,Neo4j (sec),Kuzu+idx (sec),Speedup factor\n1,1.7,0.2,8.5\n2,0.6,0.3,2\n3,0.1,0.2,0.5\n"
)


def test_columns_that_differ_in_their_units_alone_may_be_systems(tmp_path) -> None:
    path = write(tmp_path, SYSTEMS_IN_COLUMNS)
    with pytest.raises(UndecidedError, match=r"its columns 'Neo4j .sec.', 'Kuzu"):
        db.rank(path)
    table = db.read(path, roles={"Query": "dataset"})
    assert table.kind == "datasets"
    assert table.costs == ["seconds"]
    # The means of three queries, 0.8 and 0.2333 seconds; the quotient is no system.
    ranking = db.rank(table)
    assert ranking.scores.to_dict() == pytest.approx(
        {"Neo4j (sec)": 0.7 / 2.4, "Kuzu+idx (sec)": 1.0}
    )


@pytest.mark.parametrize(
    ("text", "dataset", "metric", "best"),
    [
        # Unknown names above rates, beside what may be anything.
        ("Class,off,folded,dense\nx,0.7,0.9,0.95\ny,0.8,0.85,0.9\n", "Class", "score", "dense"),
        # A setting without a label, and a difference that is no system.
        (
            "workers,Bo,Re,Δ (Bo vs Re)\n1,5.7,1.1,+400%\n2,10.8,3.6,+199%\n",
            "workers",
            "score",
            "Bo",
        ),
        # One metric by name, several times.
        ("QP,A (x) PSNR,B (y) PSNR\n22,41.0,40.3\n27,38.1,37.4\n", "QP", "PSNR", "A (x) PSNR"),
        # Units of cells alone.
        (
            "Part,Pure,Mixed\nkey,1184 bytes,1216 bytes\ntext,1088 bytes,1120 bytes\n",
            "Part",
            "bytes",
            "Pure",
        ),
    ],
)
def test_the_first_command_ranks_columns_on_the_data_sets_in_rows(
    text, dataset, metric, best, tmp_path
) -> None:
    path = write(tmp_path, text)
    question = db.read(path).question
    assert question is not None
    answer = question.answers[question.default]
    assert answer["dataset"] == (dataset,)
    table = db.read(path, roles={dataset: "dataset"})
    assert list(table.frame.columns) == [metric]
    ranking = db.rank(table, outputs=answer.get("outputs"))
    assert ranking.scores.idxmax() == best
    # The rows may be what is compared nevertheless.
    assert question.answers["label"]["label"] == (dataset,)


@pytest.mark.parametrize(
    "text",
    [
        # Metrics by name, numbers of other sizes, and a metric beside unknown names.
        "Prompt,CoT Acc,Direct Acc\nx,0.7,0.9\ny,0.8,0.85\n",
        "Component,flux,drift\nx,0.7,900\ny,0.8,850\n",
        "Component,flux,drift,accuracy\nx,3,4,0.9\ny,5,6,0.8\n",
        # Parts of data sets.
        ",dev-a,test-a\nx,3,4\ny,5,6\n",
    ],
)
def test_columns_of_several_measures_are_no_systems(text, tmp_path) -> None:
    question = db.read(write(tmp_path, text)).question
    assert question is not None
    assert all("dataset" not in answer for answer in question.answers.values())


def test_rows_of_one_name_are_no_table_of_pairs(tmp_path) -> None:
    text = "ckpt,Input Size,accuracy\nckpt,224,0.9\nckpt,192,0.8\nckpt,160,0.7\n"
    question = db.read(write(tmp_path, text)).question
    assert question is None or "pairs" not in question.text


def test_a_first_column_of_rising_numbers_is_no_system(tmp_path) -> None:
    text = "cost_bps,GPT-4,Random Forest,SVM\n10,1.27,1.24,1.32\n25,1.21,1.22,1.28\n"
    table = db.read(write(tmp_path, text))
    assert list(table.frame.index) == ["GPT-4", "Random Forest", "SVM"]


def test_text_that_states_measurements_names_no_rows(tmp_path) -> None:
    text = "Size,A (ms),B (ms),Advantage\n10K,3,5,2.2x slower\n1M,7,9,~4-5x\n5M,8,9,3x faster\n"
    table = db.read(write(tmp_path, text))
    assert table.label == ()
    assert table.question is not None
    assert table.question.answers["dataset"] == {"dataset": ("Size",)}


@pytest.mark.parametrize("name", ["Total", "**Average**"])
def test_rows_that_sum_up_the_others_are_left_out(name, tmp_path) -> None:
    last = "4.2,60" if name == "Total" else "1.4,20"
    text = f"model,speed_fps,memory\na,1,10\nb,2,30\nc,1.2,20\n{name},{last}\n"
    table = db.read(write(tmp_path, text))
    assert list(table.frame.index) == ["a", "b", "c"]
    plain = name.strip("*")
    assert (
        f"'{plain}' of 'model' sums up the other rows, is no system and is left out" in table.notes
    )
    assert "Average" not in db.rank(table).scores


def test_a_system_that_is_called_mean_stays(tmp_path) -> None:
    text = "imputer,accuracy,seconds\nmean,0.9,10\nmedian,0.8,5\nknn,0.85,20\n"
    assert list(db.read(write(tmp_path, text)).frame.index) == ["mean", "median", "knn"]


@pytest.mark.parametrize("word", ["item", "question_id", "sample_id", "doc_id"])
def test_instances_are_averaged_under_their_own_word(word, tmp_path) -> None:
    text = f"model,{word},correct,latency_ms\na,1,1,9\na,2,0,8\nb,1,1,3\nb,2,1,4\n"
    table = db.read(write(tmp_path, text))
    assert table.kind == "long"
    assert table.frame.loc["a"].dropna().to_dict()["correct"] == 0.5
    assert "repeated rows of a system (instances) are averaged" in table.notes


def test_percent_of_unknown_name_are_asked_about_though_they_repeat(tmp_path) -> None:
    text = "model,proxy,recall\na,75%,0.5\nb,75%,0.6\nc,77%,0.7\nd,77%,0.8\ne,75%,0.55\n"
    with pytest.raises(UndecidedError, match="in 'proxy'"):
        db.rank(db.read(write(tmp_path, text)))


def test_many_iterations_are_steps_and_few_are_runs(tmp_path) -> None:
    rows = [f"{name},{k},{k / 100}" for name in "ab" for k in range(40)]
    steps = db.read(write(tmp_path, "\n".join(["model,iteration,loss", *rows, ""])))
    assert steps.question is not None
    assert steps.question.answers == {"label": {"label": ("model", "iteration")}}
    rows = [f"{name},{k},{k / 100}" for name in "ab" for k in range(3)]
    runs = db.read(write(tmp_path, "\n".join(["model,iteration,loss", *rows, ""])))
    assert runs.question is None
    assert runs.frame["loss"].tolist() == pytest.approx([0.01, 0.01])


def test_columns_beside_names_of_metrics_are_systems_where_somebody_says_so(tmp_path) -> None:
    path = write(tmp_path, "what,front,back\naccuracy,0.9,0.8\nlatency_ms,20,5\n")
    question = db.read(path).question
    assert question is not None
    assert question.text.startswith("nothing tells whether 'front', 'back' of 't' are systems")
    assert dict(question.answers) == {"label": {"label": ("system",)}}
    ranking = db.rank(db.read(path, label="system"))
    assert list(ranking.to_frame().index) == ["front", "back"]
    # Known systems, and columns beside one that is called so, need no question.
    for text in (
        "what,svm,forest\naccuracy,0.9,0.8\nlatency_ms,20,5\n",
        "metric,front,back\naccuracy,0.9,0.8\nlatency_ms,20,5\n",
    ):
        assert db.read(write(tmp_path, text)).question is None


def test_keys_of_objects_are_systems_where_somebody_says_so(tmp_path) -> None:
    text = '{"front": {"accuracy": 0.9, "f1": 0.8}, "back": {"accuracy": 0.7, "f1": 0.9}}'
    path = write(tmp_path, text, "t.json")
    question = db.read(path).question
    assert question is not None
    assert dict(question.answers) == {"label": {"label": ("system",)}}
    assert len(db.rank(db.read(path, label="system")).to_frame()) == 2
    # Who makes a frame or a mapping knows what its keys are.
    assert db.read({"front": {"accuracy": 0.9}, "back": {"accuracy": 0.7}}).question is None


def test_rows_of_one_name_are_called_by_the_variant_before_other_texts(tmp_path) -> None:
    text = "Role,Method,Variant,f1\np,a,tuned,0.9\nq,a,plain,0.8\np,b,tuned,0.7\n"
    table = db.read(write(tmp_path, text))
    assert table.label == ("Method", "Variant")
    assert table.question is None


def test_a_question_about_a_frame_names_no_file_and_begins_with_its_likeliest_answer():
    repeated = pd.DataFrame({"model": ["a", "a", "b"], "acc": [0.9, 0.6, 0.7]})
    with pytest.raises(UndecidedError, match=r"of 'the table'. If the rows are to be compared, "):
        db.rank(repeated)
    banks = {"Bank": ["A", "B"], "Deposits": [100, 120], "Employees": [9, 8], "Loans": [80, 90]}
    with pytest.raises(UndecidedError, match=r"in 'Deposits'\. To leave them out, pass ignore"):
        db.rank(pd.DataFrame(banks))


def test_sizes_that_every_algorithm_has_a_row_for_may_be_data_sets(tmp_path) -> None:
    rows = [(name, size) for name in ("greedy", "genetic", "tabu") for size in (20, 50, 100)]
    frame = pd.DataFrame(rows, columns=["algorithm", "size"])
    frame["time_ms"] = [0.1, 0.7, 2.8, 255.4, 559.2, 1204.3, 12.2, 44.8, 99.1]
    frame["waste"] = [13.2, 9.2, 7.1, 13.1, 9.1, 7.3, 12.9, 9.9, 7.2]
    frame.to_csv(tmp_path / "a.csv", index=False)
    question = db.read(tmp_path / "a.csv").question
    assert question is not None
    assert next(iter(question.answers.values())) == {"dataset": ("size",)}
    # Sizes of models differ from family to family.
    models = pd.DataFrame({"model": ["L", "L", "L", "Q", "Q"], "size": [7, 13, 70, 7, 72]}).assign(
        mmlu=[45.1, 54.2, 68.9, 56.7, 77.4]
    )
    models.to_csv(tmp_path / "b.csv", index=False)
    question = db.read(tmp_path / "b.csv").question
    assert question is None or "dataset" not in question.answers


def test_data_sets_of_one_system_are_not_proposed(tmp_path) -> None:
    path = tmp_path / "losses.md"
    path.write_text(
        "| Architecture | Loss/Sampling | Recall@1 |\n|---|---|---|\n"
        "| ResNet50 | Triplet | 65.1 |\n| ResNet50 | Margin | 63.6 |\n"
    )
    question = db.read(path).question
    assert question is not None
    assert [*question.answers.values()] == [{"label": ("Architecture", "Loss/Sampling")}]


@pytest.mark.parametrize(
    "names",
    ["DGEMM TFLOPS,SGEMM TFLOPS", "achieved TFLOPS,sustained bandwidth", "core score,HPL GFLOPS"],
)
def test_what_was_measured_on_machines_is_no_catalogue(names, tmp_path) -> None:
    file = tmp_path / "gpus.csv"
    file.write_text(f"GPU,{names}\nV100,7,14\nA100,18,19\nH100,60,58\n")
    assert db.read(file).question is None


def test_a_catalogue_of_machines_is_asked_about(tmp_path) -> None:
    rows = "Red 10,3584,10.2\nRed 12,2560,8.9\nBlue 3,3072,10.6\nBlue 5,1024,6.1\n"
    file = tmp_path / "machines.csv"
    file.write_text("GPU,CUDA Cores,FP32 TFLOPS\n" + rows)
    assert db.read(file).question is not None
    # What was measured on machines compares them.
    file.write_text("GPU,CUDA Cores,images per second\n" + rows)
    assert db.read(file).question is None
