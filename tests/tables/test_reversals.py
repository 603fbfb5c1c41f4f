"""Words of a name that turn the direction of its metric: nouns of loss, negations, reciprocals."""

import pandas as pd
import pytest

from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.read import read

LOWER = """
accuracy (drop), accuracy (loss %), accuracy complement, complement of accuracy, inverse accuracy
false acceptance rate, false match rate, wrong answer rate, missed detection rate, accuracy drop
accuracy degradation, accuracy decline, accuracy penalty, drop in accuracy, F1 degradation
F1 reduction, score decrease, precision lost, throughput loss, points against, points allowed
goals conceded, vulnerability score, harm score, BLEU drop, performance degradation, speed loss
performance drop, loss in throughput, decrease in accuracy, loss of accuracy, lost points
lost sales, points lost, fps drop, throughput degradation (%), throughput overhead
latency penalty, latency degradation, accuracy drop (pp), accuracy drop on ImageNet
accuracy drop after pruning, mean drop in accuracy, average accuracy drop, relative F1 drop
accuracy regression, yield loss, revenue decline, AUC deterioration, MRR deficit
accuracy shortfall, accuracy decay, precision damage, non-compliance rate, non-response rate
not solved, not found, failed success rate, 1 - accuracy, 1 − F1, 100% - accuracy, inefficiency
disagreement rate, dissimilarity, unavailability, infidelity, dissatisfaction, foo_lower_is_better
foo (lower = better), foo - smaller is better, foo (minimize), errors per second, failures/day
dropped frames per second, page faults/s, complaints per day, ms/image, cost per correct
watts per score, slowdown, SLO violations, deadline miss rate, linear regression error, dice loss
loan losses, non-performing loans, MTTR (h), time to recovery
"""
HIGHER = """
true rejection rate, collision avoidance rate, cost effectiveness, score/$, latency (inverse)
inverse of error, reciprocal of latency, 1/(latency), minus error, loss-free rate
latency (reduction), hallucination resistance
1 - WER, 1-error, 1 - loss, one minus error, 100 - WER, 1/latency, 1 / RMSE, inverse latency
reciprocal latency, inverse perplexity, negative latency, -MAE, tokens/ms, images/ms, queries/ms
GFLOPs/W, tokens/J, items/us, frames per millisecond, accuracy per ms, error-free rate
crash-free sessions, collision-free rate, violation-free rate, progression-free survival
non-toxic rate, non-hallucination rate, on-time rate, latency SLO attainment, SLA met, attainment
time to first failure, mean time between failures (h), MTBF (h), MTTF (hours), uptime (h)
battery life (h), days since last incident, miles per disengagement, price discount
cost-adjusted score, risk-adjusted return, memory saved (MB), energy saved (kWh)
latency reduction, latency reduction (ms), error reduction, reduction in latency, WER reduction
CO2 avoided (kg), emissions reduction (kg), improvement in error, gain in accuracy
perplexity improvement, time saved (s), saved cost, cost savings, defects avoided
incidents prevented, latency reduction on MMLU, 1-NN accuracy, 1-shot accuracy
mean reciprocal rank, drop_f1, logistic regression accuracy, non-interest income
true positive rate, gap closed, time/fps, foo (higher better), deadline hit rate
"""
OPEN = """
latency drop, WER drop, reduced latency, reduced accuracy, accuracy/cost, latency / accuracy
errors found, attack accuracy, accuracy gap
"""


def split_names(text):
    return [name.strip() for name in text.replace("\n", ",").split(",") if name.strip()]


@pytest.mark.parametrize("name", split_names(LOWER))
def test_a_loss_of_quality_is_better_low(name) -> None:
    assert look_up_metric(name).better == "lower"


@pytest.mark.parametrize("name", split_names(HIGHER))
def test_less_of_a_cost_and_the_opposite_of_a_loss_are_better_high(name) -> None:
    assert look_up_metric(name).better == "higher"


@pytest.mark.parametrize("name", split_names(OPEN))
def test_a_change_that_may_be_good_or_bad_is_open(name) -> None:
    assert look_up_metric(name).role == "conditional"


@pytest.mark.parametrize("name", ["weight decay", "accuracy drop std", "errors", "time-limited"])
def test_settings_and_spreads_stay_no_metrics(name) -> None:
    meaning = look_up_metric(name)
    assert meaning.role != "output"
    assert meaning.role != "lower_rate"


def test_the_words_that_turn_a_metric_decide_the_ranking() -> None:
    values = {"accuracy": [0.9, 0.88, 0.85, 0.86], "accuracy drop": [0.01, 0.2, 0.02, 0.3]}
    table = read(pd.DataFrame({"model": list("ABCD")} | values))
    assert table.outputs == ["accuracy"]
    assert "accuracy drop" in table.inputs + table.lower_rates
