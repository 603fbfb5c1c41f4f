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
from deabench.models.options import build_options, option_fields, parse_options
from deabench.models.shared.scaled_data import pareto_efficient
from deabench.proofs.radial import prove_radial
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model, option
from deabench.results.proof import Proof
from deabench.solver.solve_all import solve_all
from deabench.solver.template import compile_template
from deabench.study import Study
from deabench.study.spec.settings import build_model
from deabench_models import FORMULATIONS
from deabench_models._types import firsts, seconds

LOUD = "EVERY OUTPUT COULD GROW BY 30.7 % TOGETHER"
"""What the score of RBF means, with the new option tone="loud"."""
COSTS_REFUSED = "model 'toy' takes outputs only and '{}' would not count"
STUDY = """
[data]
names = ["glass-0-4_vs_5"]
[classifiers]
SMC = {{}}
[dea]
{dea}
"""


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
        clause = f"every output could grow by {100 * (1 / score - 1):.1f} % together"
        return clause.upper() if self.tone == "loud" else clause


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


@pytest.fixture
def table_with_costs(table) -> pd.DataFrame:
    return table.assign(latency_ms=np.arange(1.0, 1.0 + len(table)))


def test_rank_and_certify(table) -> None:
    ranking = db.rank(table, model="toy")
    np.testing.assert_allclose(ranking.scores, db.rank(table).scores, atol=1e-9)
    assert ranking.model == "toy (toy), by a toy"
    assert db.certify(ranking)["gap"].max() <= 1e-9
    assert "every output could grow by 30.7 % together" in ranking.explain("RBF")


def test_a_new_option_is_read_and_explained(table) -> None:
    tone = next(field for field in option_fields("toy") if field.name == "tone")
    assert (tone.choices, tone.default) == (("plain", "loud"), "plain")
    ranking = db.rank(table, model=build_options("toy", parse_options("toy", ["tone=loud"])))
    assert ranking.options == Toy(tone="loud")
    assert LOUD in ranking.explain("RBF")
    assert LOUD not in db.rank(table, model="toy").explain("RBF")
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
        build_options("toy", parse_options("toy", texts))
    assert message in str(error.value)


@pytest.mark.parametrize("model", ["toy", Toy(tone="loud")], ids=["name", "option"])
def test_a_table_with_costs_is_refused_and_not_cut(model, table, table_with_costs, refused) -> None:
    with refused(
        f"{COSTS_REFUSED.format('latency_ms')}; name the metrics in outputs, or use model 'ccr'"
    ):
        db.rank(table_with_costs, model=model)
    ranking = db.rank(table_with_costs, outputs=["TPR", "TNR"], model=model)
    np.testing.assert_allclose(ranking.scores, db.rank(table).scores, atol=1e-9)
    assert db.certify(ranking)["gap"].max() <= 1e-9


def test_advice_knows_that_it_takes_no_costs(table, table_with_costs) -> None:
    assert db.advise(table).frame.loc["toy", "suits"]
    assert "toy" in db.advise(table).scores
    advice = db.advise(table_with_costs)
    assert not advice.frame.loc["toy", "suits"]
    assert "outputs only" in advice.frame.loc["toy", "why"]
    assert "toy" not in advice.scores


def test_a_forged_score_is_refused_by_its_own_proof(table, monkeypatch) -> None:
    monkeypatch.setitem(MODELS, "toy", ForgedToy)
    honest = Toy().solve
    ranking = db.rank(table, model="toy")
    # The forged row comes back without a score, and says why.
    (label,) = ranking.reasons
    assert "is not proved to 1e-09" in ranking.reasons[label]
    assert ranking.scores.isna().sum() == 1
    db.certify(ranking)
    monkeypatch.setattr(ForgedToy, "solve", lambda self, task, advance: honest(task, advance))
    forged = db.rank(table, model="toy")
    forged.scores.iloc[0] *= 1.01
    with pytest.raises(db.CertificateError):
        db.certify(forged)


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


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [("rank", ["--explain", "RBF"]), ("report", ["--format", "md"])],
    ids=["rank", "report"],
)
def test_the_commands_take_the_new_option_and_refuse_costs(
    verb, arguments, table, table_with_costs, tmp_path, capsys
) -> None:
    command = [verb, str(tmp_path / "table.csv"), "--model", "toy", "--option", "tone=loud"]
    table.to_csv(tmp_path / "table.csv")
    assert main([*command, *arguments]) == 0
    assert LOUD in capsys.readouterr().out
    table_with_costs.to_csv(tmp_path / "table.csv")
    assert main([*command, *arguments]) == 1
    assert COSTS_REFUSED.format("latency_ms") in capsys.readouterr().err
    assert main([*command, *arguments, "--outputs", "TPR,TNR"]) == 0
    assert LOUD in capsys.readouterr().out


def test_the_list_of_models_has_its_title_and_its_option(capsys) -> None:
    assert main(["models", "toy"]) == 0
    text = capsys.readouterr().out
    assert "toy: a toy; equation (toy)" in text
    assert "--option tone=plain | loud (default: plain)" in text


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_names_its_formulations(name) -> None:
    names = {formulation.__name__ for formulation in FORMULATIONS}
    assert MODELS[name].formulations
    assert set(MODELS[name].formulations) <= names


def test_the_report_takes_the_new_option_and_refuses_costs(table, table_with_costs) -> None:
    loud = Toy(tone="loud")
    assert LOUD in db.report(table, model=loud).to_html()
    with pytest.raises(db.DataError, match="takes outputs only"):
        db.report(table_with_costs, model=loud)
    page = db.report(table_with_costs, outputs=["TPR", "TNR"], model=loud)
    assert LOUD in page.to_html()


def test_the_report_of_a_ranking(table) -> None:
    page = db.report(db.rank(table, model="toy"))
    assert page.answer[2] == "1 of 7 systems is efficient: MLP."
    assert "toy (toy), by a toy" in page.to_html()


def test_a_study_reads_the_same_dictionary(tmp_path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(STUDY.format(dea='model = "toy"'))
    assert Study.from_toml(file).plan.dea["model"] == "toy"
    file.write_text(STUDY.format(dea='model = "toys"'))
    with pytest.raises(db.DataError, match="did you mean 'toy'"):
        Study.from_toml(file)


def test_a_study_takes_the_new_option_and_refuses_costs(tmp_path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(STUDY.format(dea='model = "toy"\ntone = "loud"'))
    assert build_model(Study.from_toml(file).plan.dea) == Toy(tone="loud")
    file.write_text(STUDY.format(dea='model = "toy"\ntone = "soft"'))
    with pytest.raises(db.DataError, match="no tone 'soft'"):
        Study.from_toml(file)
    columns = 'outputs = ["TPR"]\ninputs = ["FPR"]'
    file.write_text(STUDY.format(dea=f'model = "toy"\ntone = "loud"\n{columns}'))
    with pytest.raises(db.DataError, match=COSTS_REFUSED.format("FPR")):
        Study.from_toml(file)


def test_a_proof_holds_its_parts() -> None:
    frame = pd.DataFrame({"gap": [0.0]}, index=["a"])
    assert Proof(frame, {"gap": np.zeros(1)}).unclaimed == ()
