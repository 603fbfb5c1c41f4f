"""A model with a new option, added through its class alone, works everywhere."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from pyomo.core.base import ConcreteModel, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

import deabench as db
from deabench.cli import main
from deabench.models import MODELS
from deabench.models.options import option_fields, parse_options
from deabench.models.shared.scaled_data import pareto_efficient
from deabench.proofs.radial import prove_radial
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model, option
from deabench.results.proof import Proof
from deabench.solver.solve_all import solve_all
from deabench.solver.template import compile_template
from deabench_models._types import firsts, seconds


def toy_form(Y, y_o):
    """The factor by which o could grow, of at most one DMU in all: the same optimum as (5)."""
    m = ConcreteModel()
    m.J, m.R = firsts(Y), seconds(Y)
    m.y_o = Param(m.R, mutable=True, initialize=dict(y_o))
    m.lam = Var(m.J, within=NonNegativeReals)
    m.phi = Var()

    @m.Objective(sense=maximize)
    def expansion(m):
        return m.phi

    @m.Constraint(m.R)
    def outputs(m, r):
        return sum(Y[j, r] * m.lam[j] for j in m.J) - m.y_o[r] * m.phi >= 0

    @m.Constraint()
    def at_most_one(m):
        return sum(m.lam[j] for j in m.J) <= 1

    return m


def solve_toy(task: Task, advance: Advance) -> Answer:
    Y, y = task.reference.outputs.to_numpy(), task.data.outputs.to_numpy()
    s = Y.shape[1]
    form = compile_template(toy_form, {"Y": range(s)}, {"y_o": dict.fromkeys(range(s), 1.0)})
    solved = solve_all(form, Y, y, advance=advance)
    labels, names = task.data.labels, task.data.outputs.columns
    scores = pd.Series(1 / solved.objective, index=labels, name="efficiency")
    lam = solved.shared["lam"]
    slacks = pd.DataFrame(
        np.maximum(lam.dot(Y) - y * solved.objective[:, None], 0), index=labels, columns=names
    )
    weights = (
        -np.column_stack([solved.duals[f"outputs[{r}]"] for r in range(s)])
        / solved.objective[:, None]
    )
    return Answer(
        scores=scores,
        slacks=slacks,
        weights=pd.DataFrame(weights, index=labels, columns=names),
        intensities=lam,
        efficient=pareto_efficient(scores, slacks, task.data),
        data=task.data,
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=np.arange(len(Y)),
        reasons={},
        path="by a toy",
    )


@dataclass(frozen=True, kw_only=True)
class Toy(Model):
    """A toy."""

    name = "toy"
    title = "a toy"
    equation = "(toy)"
    inputs = "none"

    returns: Literal["vrs"] = "vrs"
    orientation: Literal["output"] = "output"
    tone: Literal["plain", "loud"] = option("plain", "How the score is put into words.")

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve_toy(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove_radial(answer)

    def meaning(self, score: float) -> str:
        said = f"every output could grow by {100 * (1 / score - 1):.1f} % together"
        return said.upper() if self.tone == "loud" else said


class ForgedToy(Toy):
    def solve(self, task: Task, advance: Advance) -> Answer:
        answer = solve_toy(task, advance)
        answer.scores.iloc[0] *= 1.01
        return answer


class UnprovedToy(Toy):
    prove = Model.prove


pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    monkeypatch.setitem(MODELS, "toy", Toy)


@pytest.fixture
def table() -> pd.DataFrame:
    return db.datasets.load("chao2022-wine1")[["TPR", "TNR"]]


def test_rank_and_certify(table) -> None:
    ranking = db.rank(table, model="toy")
    np.testing.assert_allclose(ranking.scores, db.rank(table).scores, atol=1e-9)
    assert ranking.model == "toy (toy), by a toy"
    assert db.certify(ranking)["gap"].max() <= 1e-9
    assert "every output could grow by 30.7 % together" in ranking.explain("RBF")


def test_a_new_option_is_read_and_explained(table) -> None:
    tone = next(each for each in option_fields("toy") if each.name == "tone")
    assert (tone.choices, tone.default) == (("plain", "loud"), "plain")
    ranking = db.rank(table, model=parse_options("toy", ["tone=loud"]))
    assert ranking.options == Toy(tone="loud")
    assert "EVERY OUTPUT COULD GROW BY 30.7 % TOGETHER" in ranking.explain("RBF")
    db.certify(ranking)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["tone=soft"], "model 'toy' has no tone 'soft'; write 'plain' or 'loud'"),
        (["tune=loud"], "model 'toy' has no option 'tune'; did you mean 'tone'?"),
        (["goal=sum"], "its options are 'returns', 'orientation', 'tone'; use model 'cross'"),
        (["loud"], "option 'loud' has no value; write NAME=VALUE with a name of 'returns'"),
    ],
)
def test_wrong_options_name_the_options_of_the_model(texts, message) -> None:
    with pytest.raises(db.DataError) as error:
        parse_options("toy", texts)
    assert message in str(error.value)


def test_a_table_with_costs_is_refused_and_not_cut(table, refused) -> None:
    costs = table.assign(latency_ms=np.arange(1.0, 1.0 + len(table)))
    with refused(
        "model 'toy' takes outputs only and 'latency_ms' would not count; "
        "name the metrics in outputs, or use model 'ccr'"
    ):
        db.rank(costs, model="toy")
    ranking = db.rank(costs, outputs=["TPR", "TNR"], model="toy")
    np.testing.assert_allclose(ranking.scores, db.rank(table).scores, atol=1e-9)


def test_advice_knows_that_it_takes_no_costs(table) -> None:
    costs = table.assign(latency_ms=np.arange(1.0, 1.0 + len(table)))
    assert db.advise(table).frame.loc["toy", "suits"]
    advice = db.advise(costs)
    assert not advice.frame.loc["toy", "suits"]
    assert "outputs only" in advice.frame.loc["toy", "why"]
    assert "toy" not in advice.scores


def test_a_forged_score_is_refused_by_its_own_proof(table, monkeypatch) -> None:
    monkeypatch.setitem(MODELS, "toy", ForgedToy)
    with pytest.raises(db.CertificateError):
        db.certify(db.rank(table, model="toy"))


def test_without_a_proof_it_says_so(table, monkeypatch, refused) -> None:
    monkeypatch.setitem(MODELS, "toy", UnprovedToy)
    ranking = db.rank(table, model="toy")
    assert "model 'toy' has no certificate: its scores are not proved" in ranking.notes
    with refused("model 'toy' has no certificate; its scores are not proved"):
        db.certify(ranking)
    assert db.report(ranking).to_html()


def test_the_commands(table, tmp_path, capsys) -> None:
    source = tmp_path / "table.csv"
    table.to_csv(source)
    assert main(["rank", str(source), "--model", "toy", "--format", "json"]) == 0
    captured = capsys.readouterr()
    assert {row["classifier"]: row["efficiency"] for row in json.loads(captured.out)}[
        "RBF"
    ] == pytest.approx(0.765010, abs=1e-6)
    assert "toy (toy), by a toy; 7 scores proved" in captured.err
    assert main(["rank", str(source), "--model", "toys"]) == 2
    assert capsys.readouterr().err.startswith(
        "deabench: model 'toys' is not known; it is one of 'wei', "
    )
    assert main(["rank", str(source), "--model", "toy", "--orientation", "input"]) == 1
    assert (
        "model 'toy' has no orientation 'input'; write 'output', or use model 'ccr'"
        in capsys.readouterr().err
    )
    assert main(["report", str(source), "--model", "toy", "--format", "md"]) == 0
    assert "data envelopment analysis, model toy" in capsys.readouterr().out


def test_the_report_of_a_ranking(table) -> None:
    page = db.report(db.rank(table, model="toy"))
    assert page.answer[0] == "1 of 7 classifiers is efficient: MLP."
    assert "toy (toy), by a toy" in page.to_html()


def test_a_study_reads_the_same_dictionary(tmp_path, refused) -> None:
    from deabench.study import Study

    text = '[data]\nnames = ["glass-0-4_vs_5"]\n[classifiers]\nSMC = {}\n[dea]\nmodel = "%s"\n'
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text(text % "toy")
    bad.write_text(text % "toys")
    assert Study.from_toml(good).plan.dea["model"] == "toy"
    with pytest.raises(db.DataError, match="did you mean 'toy'"):
        Study.from_toml(bad)


def test_a_proof_holds_its_parts() -> None:
    frame = pd.DataFrame({"gap": [0.0]}, index=["a"])
    assert Proof(frame, {"gap": np.zeros(1)}).unclaimed == ()
