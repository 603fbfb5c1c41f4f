"""Builders of the registry's classifiers: unfitted pipelines from a context and parameters.

Scaling comes before sampling wherever neighbours or an SVM are used on it, trees see the data as
they are, and a learner that cannot take NaN gets an imputer inside its pipeline. Weka's defaults
stand behind the paper's names; where a library differs, the docstring says how.

scikit-learn, imbalanced-learn and c50py belong to the extra `deabench[study]`, so that this module
is imported with the first classifier that is built.
"""

from __future__ import annotations

from typing import Any

from imblearn.combine import SMOTEENN, SMOTETomek
from imblearn.pipeline import Pipeline
from imblearn.under_sampling import RandomUnderSampler
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline as PlainPipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier

from deabench.study.learners import BuildContext, Preprocessing
from deabench.study.learners.estimators import (
    TERM_SCORES,
    MixedNB,
    RBFFeatures,
    ShrinkingSMOTE,
    SteadyC45,
    SteadySVC,
    TermSelection,
)
from deabench.study.learners.weka import J48, RBF_NETWORK, SMO, WekaClassifier
from deabench.utils.checks import did_you_mean

COST_RATIOS = (1, 2, 10, 50, 100)
"""Candidates of the paper's cost-sensitive learners ("{1,2,10,50,100}", badly printed there)."""

Step = tuple[str, Any]


def make_pipeline(
    context: BuildContext, steps: list[Step], learner: Any, *, takes_nan: bool = False
) -> Any:
    """Return preprocessing, steps and learner as one pipeline.

    An imputer goes before the steps where cells are missing and the learner cannot take them.
    """
    # the study's own preprocessing may have imputed already
    preprocessing = context.preprocessing
    passes_missing = preprocessing.leaves_missing and preprocessing.transformer is None
    if context.missing and not takes_nan and passes_missing:
        steps = [("impute", _median_imputer()), *steps]
    return Pipeline([*preprocessing_steps(context), *steps, ("learn", learner)])


def preprocessing_steps(context: BuildContext) -> list[Step]:
    """Return the first step of a pipeline, unfitted; none where nothing is to be done."""
    preprocessing = context.preprocessing
    if preprocessing.transformer is not None:
        return [("prepare", clone(preprocessing.transformer))]
    if preprocessing.columns or not preprocessing.by_column:
        return []
    # numeric and nominal columns have steps of their own
    numeric = [feature.name for feature in context.features if feature.kind == "numeric"]
    nominal = [feature.name for feature in context.features if feature.kind == "nominal"]
    transformers = []
    if numeric:
        transformers.append(("numeric", _numeric_steps(preprocessing), numeric))
    if nominal:
        transformers.append(("nominal", _nominal_steps(preprocessing), nominal))
    return [("prepare", ColumnTransformer(transformers, sparse_threshold=0.0))]


def _numeric_steps(preprocessing: Preprocessing) -> Any:
    scalers = {"standardise": StandardScaler, "minmax": MinMaxScaler}
    scaler = scalers.get(preprocessing.numeric, FunctionTransformer)()
    # without a scaler the step does nothing
    steps: list[Step] = [("scale", scaler)]
    if preprocessing.missing != "as is":
        steps.insert(0, ("impute", _median_imputer()))
    return PlainPipeline(steps)


def _nominal_steps(preprocessing: Preprocessing) -> Any:
    steps: list[Step] = [("plain", FunctionTransformer(to_objects, feature_names_out="one-to-one"))]
    if preprocessing.missing != "as is":
        imputer = SimpleImputer(
            strategy="most_frequent", keep_empty_features=True, missing_values=None
        )
        steps.append(("impute", imputer))
    encoders: dict[str, Any] = {
        # a category that no training row has gets a code of its own
        "codes": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        "target": TargetEncoder(),
    }
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return PlainPipeline([*steps, ("encode", encoders.get(preprocessing.nominal, indicators))])


def to_objects(frame: Any) -> Any:
    """Return categories as Python texts and None where missing, for every encoder."""
    return frame.astype(object).where(frame.notna(), None)


def _median_imputer() -> Any:
    return SimpleImputer(strategy="median", keep_empty_features=True)


def _grid_search(estimator: Any, grid: dict[str, list[Any]], context: BuildContext) -> Any:
    """Return a search over a grid by balanced accuracy on 3 folds of the training rows."""
    # folds of its own: the test rows take no part in the choice
    folds = StratifiedKFold(3, shuffle=True, random_state=context.seed)
    return GridSearchCV(estimator, grid, scoring="balanced_accuracy", cv=folds)


def _cost_grid(costs: tuple[float, ...]) -> dict[str, list[Any]]:
    return {"class_weight": [{0: 1, 1: cost} for cost in costs]}


def build_c45(context: BuildContext, cf: float = 0.25, leaf: int = 2) -> Any:
    """Build C4.5 (c50py, J48 -C 0.25 -M 2); missing cells go down both branches in fractions."""
    return make_pipeline(context, [], SteadyC45(cf=cf, min_samples_leaf=leaf), takes_nan=True)


def build_c45_costs(
    context: BuildContext, cf: float = 0.25, leaf: int = 2, costs: tuple[float, ...] = COST_RATIOS
) -> Any:
    """Build C4.5 whose weight of the positive class is chosen inside the training rows."""
    tree = SteadyC45(cf=cf, min_samples_leaf=leaf)
    return make_pipeline(
        context, [], _grid_search(tree, _cost_grid(costs), context), takes_nan=True
    )


def build_c45_smote(context: BuildContext, cf: float = 0.25, leaf: int = 2, k: int = 5) -> Any:
    """Build C4.5 after SMOTE."""
    tree = SteadyC45(cf=cf, min_samples_leaf=leaf)
    # SMOTE computes distances, so missing cells are imputed before it
    return make_pipeline(context, [("sample", ShrinkingSMOTE(k_neighbors=k))], tree)


def build_c45_under(context: BuildContext, cf: float = 0.25, leaf: int = 2) -> Any:
    """Build C4.5 after random undersampling."""
    tree = SteadyC45(cf=cf, min_samples_leaf=leaf)
    return make_pipeline(context, [("sample", RandomUnderSampler())], tree, takes_nan=True)


def build_c45_smote_enn(context: BuildContext, cf: float = 0.25, leaf: int = 2, k: int = 5) -> Any:
    """Build C4.5 after SMOTE and edited nearest neighbours."""
    sampler = SMOTEENN(smote=ShrinkingSMOTE(k_neighbors=k))
    return make_pipeline(context, [("sample", sampler)], SteadyC45(cf=cf, min_samples_leaf=leaf))


def build_c45_smote_tomek(
    context: BuildContext, cf: float = 0.25, leaf: int = 2, k: int = 5
) -> Any:
    """Build C4.5 after SMOTE without Tomek links."""
    sampler = SMOTETomek(smote=ShrinkingSMOTE(k_neighbors=k))
    return make_pipeline(context, [("sample", sampler)], SteadyC45(cf=cf, min_samples_leaf=leaf))


def build_c45_adaboost(
    context: BuildContext, cf: float = 0.25, leaf: int = 2, rounds: int = 10
) -> Any:
    """Build AdaBoost.M1 (SAMME, the same for two classes) over C4.5, weights of mean 1."""
    tree = SteadyC45(cf=cf, min_samples_leaf=leaf)
    return make_pipeline(context, [], AdaBoostClassifier(tree, n_estimators=rounds))


def build_c45_bagging(
    context: BuildContext, cf: float = 0.25, leaf: int = 2, bags: int = 10
) -> Any:
    """Build bagged C4.5 trees."""
    tree = SteadyC45(cf=cf, min_samples_leaf=leaf)
    return make_pipeline(context, [], BaggingClassifier(tree, n_estimators=bags), takes_nan=True)


def build_svm(
    context: BuildContext, C: float = 1.0, kernels: tuple[str, ...] = ("rbf", "poly")
) -> Any:
    """Build an SVM on features scaled to 0..1, its kernel chosen inside the training rows."""
    learner = _grid_search(SteadySVC(C=C, kernel="rbf"), {"kernel": list(kernels)}, context)
    return make_pipeline(context, [("scale", MinMaxScaler())], learner)


def build_svm_costs(
    context: BuildContext,
    C: float = 1.0,
    kernel: str = "rbf",
    costs: tuple[float, ...] = COST_RATIOS,
) -> Any:
    """Build an SVM whose weight of the positive class is chosen inside the training rows."""
    learner = _grid_search(SteadySVC(C=C, kernel=kernel), _cost_grid(costs), context)
    return make_pipeline(context, [("scale", MinMaxScaler())], learner)


def _svm_after(context: BuildContext, sampler: Any, C: float, kernel: str) -> Any:
    """Return a pipeline that scales features to 0..1, samples, and learns an SVM."""
    steps = [("scale", MinMaxScaler()), ("sample", sampler)]
    return make_pipeline(context, steps, SteadySVC(C=C, kernel=kernel))


def build_svm_smote(context: BuildContext, C: float = 1.0, kernel: str = "rbf", k: int = 5) -> Any:
    """Build an SVM after SMOTE."""
    return _svm_after(context, ShrinkingSMOTE(k_neighbors=k), C, kernel)


def build_svm_under(context: BuildContext, C: float = 1.0, kernel: str = "rbf") -> Any:
    """Build an SVM after random undersampling."""
    return _svm_after(context, RandomUnderSampler(), C, kernel)


def build_svm_smote_enn(
    context: BuildContext, C: float = 1.0, kernel: str = "rbf", k: int = 5
) -> Any:
    """Build an SVM after SMOTE and edited nearest neighbours."""
    return _svm_after(context, SMOTEENN(smote=ShrinkingSMOTE(k_neighbors=k)), C, kernel)


def build_svm_smote_tomek(
    context: BuildContext, C: float = 1.0, kernel: str = "rbf", k: int = 5
) -> Any:
    """Build an SVM after SMOTE without Tomek links."""
    return _svm_after(context, SMOTETomek(smote=ShrinkingSMOTE(k_neighbors=k)), C, kernel)


def build_svm_adaboost(
    context: BuildContext, C: float = 1.0, kernel: str = "rbf", rounds: int = 10
) -> Any:
    """Build AdaBoost over an SVM."""
    learner = AdaBoostClassifier(SteadySVC(C=C, kernel=kernel), n_estimators=rounds)
    return make_pipeline(context, [("scale", MinMaxScaler())], learner)


def build_svm_bagging(
    context: BuildContext, C: float = 1.0, kernel: str = "rbf", bags: int = 10
) -> Any:
    """Build bagged SVMs."""
    learner = BaggingClassifier(SteadySVC(C=C, kernel=kernel), n_estimators=bags)
    return make_pipeline(context, [("scale", MinMaxScaler())], learner)


def build_rbf(context: BuildContext, clusters: int = 2, ridge: float = 1e-8) -> Any:
    """Build Weka's RBFNetwork: k-means clusters per class, normalized Gaussians, logistic."""
    steps = [("scale", StandardScaler()), ("bumps", RBFFeatures(clusters))]
    return make_pipeline(context, steps, LogisticRegression(C=0.5 / ridge, max_iter=1000))


def build_mlp(
    context: BuildContext,
    rate: float = 0.3,
    momentum: float = 0.2,
    epochs: int = 500,
    batch: int = 0,
) -> Any:
    """Build Weka's MultilayerPerceptron -L 0.3 -M 0.2 -N 500 -H a.

    There are (features + 2) / 2 sigmoid units. Weka learns after every row, as batch = 1 does, at
    many times the cost (docs/study.md has the figures); 0 is scikit-learn's own, 200 rows.
    """
    learner = MLPClassifier(
        hidden_layer_sizes=(max(1, (context.columns + 2) // 2),),
        activation="logistic",
        solver="sgd",
        learning_rate_init=rate,
        momentum=momentum,
        max_iter=epochs,
        batch_size=batch or "auto",
    )
    return make_pipeline(context, [("scale", MinMaxScaler((-1, 1)))], learner)


def build_stump(context: BuildContext) -> Any:
    """Build one split by information gain."""
    learner = DecisionTreeClassifier(max_depth=1, criterion="entropy")
    return make_pipeline(context, [], learner, takes_nan=True)


def build_forest(context: BuildContext, trees: int = 100, depth: int = 0) -> Any:
    """Build a random forest; `depth` 0 lets its trees grow until their leaves are pure."""
    learner = RandomForestClassifier(trees, max_depth=depth or None)
    return make_pipeline(context, [], learner, takes_nan=True)


def build_naive_bayes(context: BuildContext) -> Any:
    """Build Weka's NaiveBayes: Gaussian and 0/1 columns, missing cells left out of the product."""
    return make_pipeline(context, [], MixedNB(), takes_nan=True)


def build_knn(
    context: BuildContext, neighbours: int = 5, select: str = "", features: int = 200
) -> Any:
    """Build k nearest neighbours.

    `select` = ig, ce, mi, we or chi2 first keeps so many words; then the metric is cosine.
    """
    if not select:
        return make_pipeline(context, [], KNeighborsClassifier(neighbours, metric="minkowski"))
    if select not in TERM_SCORES:
        raise ValueError(
            f"there is no selection '{select}'; {did_you_mean(select, list(TERM_SCORES))}"
        )
    steps = [("select", TermSelection(select, features))]
    # documents of different lengths are compared by their words' shares
    return make_pipeline(context, steps, KNeighborsClassifier(neighbours, metric="cosine"))


def build_majority(context: BuildContext) -> Any:
    """Build the classifier that always predicts the more frequent class, the floor of any table."""
    return make_pipeline(context, [], DummyClassifier(strategy="most_frequent"), takes_nan=True)


def build_j48(context: BuildContext, options: tuple[str, ...] = ("-C", "0.25", "-M", "2")) -> Any:
    """Build Weka's own C4.5; needs the extra `weka` and Java, as the next two do."""
    return make_pipeline(context, [], WekaClassifier(J48, tuple(options)), takes_nan=True)


def build_smo(context: BuildContext, options: tuple[str, ...] = ("-C", "1.0", "-N", "0")) -> Any:
    """Build Weka's own SVM: polynomial kernel of degree 1, features normalized."""
    return make_pipeline(context, [], WekaClassifier(SMO, tuple(options)), takes_nan=True)


def build_rbf_network(
    context: BuildContext,
    options: tuple[str, ...] = ("-B", "2", "-R", "1.0E-8", "-W", "0.1"),
) -> Any:
    """Build Weka's own RBF network, a separate Weka package since 3.7."""
    return make_pipeline(context, [], WekaClassifier(RBF_NETWORK, tuple(options)), takes_nan=True)
