"""How each classifier of the registry is built: a function of what it must know of the data and of
its parameters.

Scaling comes before sampling wherever neighbours or an SVM are used on it, trees see the data as
they are, and a learner that cannot take NaN gets an imputer inside its pipeline. Weka's defaults
stand behind the paper's names; where a library differs, the docstring says how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deabench.study.data.encode import Column
from deabench.study.learners.prepare import NOTHING, Prepare, steps_of
from deabench.utils.checks import did_you_mean

COSTS = (1, 2, 10, 50, 100)
"""The cost ratios that the paper's cost-sensitive learners choose from (its text:
"{1,2,10,50,100}", badly printed).
"""


@dataclass(frozen=True)
class Context:
    """What a builder must know: the columns of X, whether any cell is missing, the seed of the
    task, what is asked to be done to the columns (`features`) first.
    """

    columns: int
    missing: bool
    seed: int
    prepare: Prepare = NOTHING
    features: tuple[Column, ...] = ()


def pipeline(
    context: Context, steps: list[tuple[str, Any]], last: Any, *, takes_nan: bool = False
) -> Any:
    """The steps before the learner; an imputer goes first where cells are missing and the learner
    cannot take them.
    """
    from imblearn.pipeline import Pipeline
    from sklearn.impute import SimpleImputer

    before = steps_of(context.prepare, context.features)
    if (
        context.missing
        and not takes_nan
        and context.prepare.leaves_missing
        and context.prepare.transformer is None
    ):
        steps = [("impute", SimpleImputer(strategy="median", keep_empty_features=True)), *steps]
    return Pipeline([*before, *steps, ("learn", last)])


def _tree(cf: float = 0.25, leaf: int = 2, **more: Any) -> Any:
    from deabench.study.learners.estimators import SteadyC45

    return SteadyC45(cf=cf, min_samples_leaf=leaf, **more)


def _svc(C: float = 1.0, kernel: str = "rbf", **more: Any) -> Any:
    from deabench.study.learners.estimators import SteadySVC

    return SteadySVC(C=C, kernel=kernel, **more)


def _scale() -> tuple[str, Any]:
    from sklearn.preprocessing import MinMaxScaler

    return ("scale", MinMaxScaler())


def _smote(k: int = 5) -> Any:
    from deabench.study.learners.estimators import ShrinkingSMOTE

    return ShrinkingSMOTE(k_neighbors=k)


def _smote_enn(k: int) -> Any:
    from imblearn.combine import SMOTEENN

    return SMOTEENN(smote=_smote(k))


def _smote_tomek(k: int) -> Any:
    from imblearn.combine import SMOTETomek

    return SMOTETomek(smote=_smote(k))


def _under() -> Any:
    from imblearn.under_sampling import RandomUnderSampler

    return RandomUnderSampler()


def _best(estimator: Any, grid: dict[str, list[Any]], context: Context) -> Any:
    """The best of a grid by balanced accuracy over 3 folds of the training rows: chosen where no
    test row is seen.
    """
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    folds = StratifiedKFold(3, shuffle=True, random_state=context.seed)
    return GridSearchCV(estimator, grid, scoring="balanced_accuracy", cv=folds)


def c45(context: Context, cf: float = 0.25, leaf: int = 2) -> Any:
    """C4.5 (c50py, J48 -C 0.25 -M 2); missing cells go down both branches in fractions."""
    return pipeline(context, [], _tree(cf, leaf), takes_nan=True)


def c45_costs(
    context: Context, cf: float = 0.25, leaf: int = 2, costs: tuple[float, ...] = COSTS
) -> Any:
    """C4.5 with the positive class weighted by a cost chosen from `costs` inside the training rows."""
    grid = {"class_weight": [{0: 1, 1: cost} for cost in costs]}
    return pipeline(context, [], _best(_tree(cf, leaf), grid, context), takes_nan=True)


def c45_smote(context: Context, cf: float = 0.25, leaf: int = 2, k: int = 5) -> Any:
    return pipeline(context, [("sample", _smote(k))], _tree(cf, leaf))


def c45_under(context: Context, cf: float = 0.25, leaf: int = 2) -> Any:
    return pipeline(context, [("sample", _under())], _tree(cf, leaf), takes_nan=True)


def c45_smote_enn(context: Context, cf: float = 0.25, leaf: int = 2, k: int = 5) -> Any:
    return pipeline(context, [("sample", _smote_enn(k))], _tree(cf, leaf))


def c45_smote_tomek(context: Context, cf: float = 0.25, leaf: int = 2, k: int = 5) -> Any:
    return pipeline(context, [("sample", _smote_tomek(k))], _tree(cf, leaf))


def c45_adaboost(context: Context, cf: float = 0.25, leaf: int = 2, rounds: int = 10) -> Any:
    """AdaBoost.M1 (SAMME, the same for two classes) over C4.5, weights rescaled to mean 1."""
    from sklearn.ensemble import AdaBoostClassifier

    return pipeline(context, [], AdaBoostClassifier(_tree(cf, leaf), n_estimators=rounds))


def c45_bagging(context: Context, cf: float = 0.25, leaf: int = 2, bags: int = 10) -> Any:
    from sklearn.ensemble import BaggingClassifier

    return pipeline(
        context, [], BaggingClassifier(_tree(cf, leaf), n_estimators=bags), takes_nan=True
    )


def svm(context: Context, C: float = 1.0, kernels: tuple[str, ...] = ("rbf", "poly")) -> Any:
    """SVM on features scaled to 0..1; the better of the kernels is chosen inside the training rows."""
    return pipeline(context, [_scale()], _best(_svc(C), {"kernel": list(kernels)}, context))


def svm_costs(
    context: Context, C: float = 1.0, kernel: str = "rbf", costs: tuple[float, ...] = COSTS
) -> Any:
    grid = {"class_weight": [{0: 1, 1: cost} for cost in costs]}
    return pipeline(context, [_scale()], _best(_svc(C, kernel), grid, context))


def svm_smote(context: Context, C: float = 1.0, kernel: str = "rbf", k: int = 5) -> Any:
    return pipeline(context, [_scale(), ("sample", _smote(k))], _svc(C, kernel))


def svm_under(context: Context, C: float = 1.0, kernel: str = "rbf") -> Any:
    return pipeline(context, [_scale(), ("sample", _under())], _svc(C, kernel))


def svm_smote_enn(context: Context, C: float = 1.0, kernel: str = "rbf", k: int = 5) -> Any:
    return pipeline(context, [_scale(), ("sample", _smote_enn(k))], _svc(C, kernel))


def svm_smote_tomek(context: Context, C: float = 1.0, kernel: str = "rbf", k: int = 5) -> Any:
    return pipeline(context, [_scale(), ("sample", _smote_tomek(k))], _svc(C, kernel))


def svm_adaboost(context: Context, C: float = 1.0, kernel: str = "rbf", rounds: int = 10) -> Any:
    from sklearn.ensemble import AdaBoostClassifier

    return pipeline(context, [_scale()], AdaBoostClassifier(_svc(C, kernel), n_estimators=rounds))


def svm_bagging(context: Context, C: float = 1.0, kernel: str = "rbf", bags: int = 10) -> Any:
    from sklearn.ensemble import BaggingClassifier

    return pipeline(context, [_scale()], BaggingClassifier(_svc(C, kernel), n_estimators=bags))


def rbf(context: Context, clusters: int = 2, ridge: float = 1e-8) -> Any:
    """Weka's RBFNetwork: two k-means clusters per class, normalised Gaussians, logistic regression,
    tiny ridge.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    from deabench.study.learners.estimators import RBFFeatures

    steps = [("scale", StandardScaler()), ("bumps", RBFFeatures(clusters))]
    return pipeline(context, steps, LogisticRegression(C=0.5 / ridge, max_iter=1000))


def mlp(
    context: Context, rate: float = 0.3, momentum: float = 0.2, epochs: int = 500, batch: int = 0
) -> Any:
    """Weka's MultilayerPerceptron -L 0.3 -M 0.2 -N 500 -H a: (features + 2) / 2 sigmoid units; here
    in mini-batches.

    Weka learns after every row: batch = 1 does, at many times the cost (docs/study.md has the
    figures); 0 is scikit-learn's own, 200 rows."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import MinMaxScaler

    learner = MLPClassifier(
        hidden_layer_sizes=(max(1, (context.columns + 2) // 2),),
        activation="logistic",
        solver="sgd",
        learning_rate_init=rate,
        momentum=momentum,
        max_iter=epochs,
        batch_size=batch or "auto",
    )
    return pipeline(context, [("scale", MinMaxScaler((-1, 1)))], learner)


def stump(context: Context) -> Any:
    """One split by information gain."""
    from sklearn.tree import DecisionTreeClassifier

    return pipeline(
        context, [], DecisionTreeClassifier(max_depth=1, criterion="entropy"), takes_nan=True
    )


def forest(context: Context, trees: int = 100, depth: int = 0) -> Any:
    """A random forest; `depth` 0 lets its trees grow until their leaves are pure."""
    from sklearn.ensemble import RandomForestClassifier

    return pipeline(
        context, [], RandomForestClassifier(trees, max_depth=depth or None), takes_nan=True
    )


def naive_bayes(context: Context) -> Any:
    """Weka's NaiveBayes: Gaussian numbers, 0/1 columns by their frequency, missing cells left out
    of the product.
    """
    from deabench.study.learners.estimators import MixedNB

    return pipeline(context, [], MixedNB(), takes_nan=True)


def knn(context: Context, neighbours: int = 5, select: str = "", features: int = 200) -> Any:
    """k nearest neighbours; `select` = ig, ce, mi, we or chi2 first keeps so many words (then the
    metric is cosine).
    """
    from sklearn.neighbors import KNeighborsClassifier

    from deabench.study.learners.estimators import TERM_SCORES, TermSelection

    if select and select not in TERM_SCORES:
        raise ValueError(
            f"there is no selection '{select}'; {did_you_mean(select, list(TERM_SCORES))}"
        )
    steps = [("select", TermSelection(select, features))] if select else []
    return pipeline(
        context, steps, KNeighborsClassifier(neighbours, metric="cosine" if select else "minkowski")
    )


def majority(context: Context) -> Any:
    """The class that is more frequent, always: the floor that every table should show."""
    from sklearn.dummy import DummyClassifier

    return pipeline(context, [], DummyClassifier(strategy="most_frequent"), takes_nan=True)


def j48(context: Context, options: tuple[str, ...] = ("-C", "0.25", "-M", "2")) -> Any:
    """Weka's own C4.5; needs the extra `weka` and Java, as the next two do."""
    from deabench.study.learners.weka import J48, WekaClassifier

    return pipeline(context, [], WekaClassifier(J48, tuple(options)), takes_nan=True)


def smo(context: Context, options: tuple[str, ...] = ("-C", "1.0", "-N", "0")) -> Any:
    """Weka's own SVM, polynomial kernel of degree 1, features normalised."""
    from deabench.study.learners.weka import SMO, WekaClassifier

    return pipeline(context, [], WekaClassifier(SMO, tuple(options)), takes_nan=True)


def rbf_network(
    context: Context, options: tuple[str, ...] = ("-B", "2", "-R", "1.0E-8", "-W", "0.1")
) -> Any:
    """Weka's own RBF network, a Weka package of its own since 3.7."""
    from deabench.study.learners.weka import RBF_NETWORK, WekaClassifier

    return pipeline(context, [], WekaClassifier(RBF_NETWORK, tuple(options)), takes_nan=True)
