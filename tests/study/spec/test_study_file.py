"""A study file that is wrong is refused with file, key, value and the nearest valid name, before
anything runs.
"""

from __future__ import annotations

import pytest

from deabench.cli import main
from deabench.errors import DataError
from deabench.study import Study
from deabench.study.spec.study_file import preset_names, read_plan, write_preset

GOOD = """
[data]
names = ["ecoli4"]
[classifiers]
"C4.5" = {}
"""

WRONG = [
    ("sed = 1\n" + GOOD, "there is no key 'sed'; did you mean 'seed'?"),
    ("seed = -1\n" + GOOD, "seed is -1; give a whole number >= 0"),
    ("seed = true\n" + GOOD, "seed is true; give a whole number >= 0"),
    ("time_limit = 'long'\n" + GOOD, "time_limit is 'long'; give a number >= 0"),
    ("data = 1\n[classifiers]\nSVM = {}", "data is 1; give a table"),
    (GOOD + "[split]\nfold = 3", "[split] has no key 'fold'; did you mean 'folds'?"),
    (GOOD + "[split]\nfolds = 1", "[split] folds is 1; give a whole number >= 2"),
    (GOOD + "[split]\nkind = 'kfolds'", "[split] kind is 'kfolds'; did you mean 'kfold'?"),
    (GOOD + "[split]\ntest_size = 1.5", "[split] test_size is 1.5; give a number between 0 and 1"),
    (
        GOOD.replace("ecoli4", "ecoli44"),
        "[data] names: data set 'ecoli44' is not known; did you mean 'ecoli4'?",
    ),
    (GOOD.replace('["ecoli4"]', '"ecoli4"'), "[data] names is 'ecoli4'; give a list of texts"),
    (
        GOOD.replace('["ecoli4"]', '["ecoli4", "ecoli4"]'),
        "the data set 'ecoli4' is given twice; name it once",
    ),
    (
        "[classifiers]\nSVM = {}",
        "there are no data sets; name some in [data] names, or describe one in [[data.set]]",
    ),
    (
        '[data]\nnames = ["ecoli4"]',
        'there are no classifiers; name some in [classifiers], as "C4.5" = {}',
    ),
    (GOOD.replace('"C4.5"', '"C45"'), "[classifiers] 'C45' is not known; did you mean 'C4.5'?"),
    (GOOD + 'mine = {use = "svm"}', "[classifiers] 'svm' is not known; did you mean 'SVM'?"),
    (GOOD + "SVM = 3", "[classifiers] 'SVM' is 3; give a table of its parameters, {} for none"),
    (GOOD + "SVM = {cf = 1}", "[classifiers] 'SVM' has no parameter 'cf'; it has 'C', 'kernels'"),
    (GOOD + "stump = {cf = 1}", "[classifiers] 'stump' has no parameter 'cf'; it has none"),
    (
        GOOD + "SVM = {C = {a = 1}}",
        "[classifiers] 'SVM': C is a table; give a text, a number, true, false or a list of them",
    ),
    (
        GOOD + 'lr = {import = "sklearn.linear_model.LogisticRegression"}',
        "[classifiers] 'lr' is imported from 'sklearn.linear_model.LogisticRegression', which "
        "runs code of your choosing; "
        "if that is meant, set allow_imports = true at the top of the file",
    ),
    (
        GOOD + "[dea]\ntested = ['MLP']",
        "[dea] tested: classifier 'MLP' is not known; there are 'C4.5'",
    ),
    (GOOD + "[dea]\nnorm = 'l3'", "[dea] norm is 'l3'; there are 'l1', 'l2', 'linf'"),
    (
        GOOD + "[groups]\nimbalance_ratio = [30, 10]",
        "[groups] imbalance_ratio is [30, 10]; give rising numbers above 1, as [10, 30]",
    ),
    (
        GOOD + "[tests]\nkinds = ['friedmann']",
        "[tests] kinds: test 'friedmann' is not known; did you mean 'friedman'?",
    ),
    (
        GOOD + "[tests]\ncontrol = 'SVM'",
        "[tests] control: classifier 'SVM' is not known; there are 'C4.5'",
    ),
    (
        '[[data.set]]\nfile = "a.csv"\n[classifiers]\nSVM = {}',
        "[[data.set]] 1 has no name; give it one",
    ),
    (
        '[[data.set]]\nname = "a"\nfil = "a.csv"\n[classifiers]\nSVM = {}',
        "[[data.set]] 1 has no key 'fil'; did you mean 'file'?",
    ),
    (
        '[[data.set]]\nname = "a"\ngenerator = "subclass"\n[classifiers]\nSVM = {}',
        "[[data.set]] 1: generator 'subclass' is not known; did you mean 'subclus'?",
    ),
    (
        '[[data.set]]\nname = "a"\ngenerator = "subclus"\narea = 1\n[classifiers]\nSVM = {}',
        "[[data.set]] 1 has no key 'area'; there are 'name', 'generator', 'type', 'rows', "
        "'ratio', 'noise', 'seed'",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_refusals(study_file, text, message):
    with pytest.raises(DataError) as e:
        read_plan(study_file(text))
    assert str(e.value) == f"'study.toml': {message}"


def test_a_file_that_is_not_there_or_not_toml(tmp_path, study_file):
    missing = tmp_path / "none.toml"
    with pytest.raises(DataError) as e:
        read_plan(missing)
    assert str(e.value) == (
        f"cannot read '{missing}': No such file or directory; "
        f"'deabench study init {missing}' writes a study file"
    )
    path = study_file("seed = ")
    with pytest.raises(DataError) as e:
        read_plan(path)
    assert str(e.value).startswith(f"'{path}' is not TOML: ")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere.Learner", "cannot import 'nowhere.Learner': No module named 'nowhere'"),
        (
            "sklearn.svm.SVCC",
            "cannot import 'sklearn.svm.SVCC': module 'sklearn.svm' has no attribute 'SVCC'",
        ),
        (
            "math.sqrt",
            "'math.sqrt' is not a scikit-learn classifier; it needs fit, predict and get_params",
        ),
    ],
)
def test_imports_that_lead_nowhere(study_file, path, message):
    with pytest.raises(DataError) as e:
        read_plan(
            study_file(f'allow_imports = true\n{GOOD}mine = {{import = "{path}"}}'),
            allow_imports=True,
        )
    assert str(e.value) == f"classifier 'mine': {message}"


def test_a_parameter_that_an_import_does_not_have(study_file):
    learner = '{import = "sklearn.linear_model.LogisticRegression", CC = 1}'
    text = f"allow_imports = true\n{GOOD}mine = {learner}"
    with pytest.raises(DataError) as e:
        read_plan(study_file(text), allow_imports=True)
    assert str(e.value).startswith("classifier 'mine' cannot be built: ")
    assert "unexpected keyword argument 'CC'" in str(e.value)


@pytest.mark.parametrize("name", preset_names())
def test_presets_are_good_study_files(tmp_path, name):
    path = tmp_path / f"{name}.toml"
    write_preset(path, name)
    assert read_plan(path).file == path


def test_the_2022_preset_has_the_67_sets_and_the_18_classifiers(tmp_path):
    path = tmp_path / "s.toml"
    write_preset(path, "chao2022")
    plan = read_plan(path)
    assert (len(plan.data), len(plan.learners), plan.split.folds) == (67, 18, 10)


def test_init_writes_once_and_names_the_presets(tmp_path, capsys):
    path = tmp_path / "s.toml"
    assert main(["study", "init", str(path), "--preset", "smoke"]) == 0
    assert main(["study", "init", str(path)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"deabench: '{path}' is there already; give another name, or --force to replace it"
    )
    assert main(["study", "init", str(path), "--force", "--preset", "chao"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "deabench: there is no preset 'chao'; did you mean 'chao2022'?"
    )


def test_a_changed_setting_touches_only_its_own_tasks(study_file):
    path = study_file(
        '[data]\nnames = ["ecoli4", "haberman"]\n[split]\nfolds = 3\n[classifiers]\n'
        '"C4.5" = {}\ntree = {use = "C4.5", cf = 0.1}\n'
    )
    keys = {job.key: job.learner.name for job in Study.from_toml(path).plan.tasks()}
    text = path.read_text()

    def changed(old: str, new: str) -> list[str]:
        path.write_text(text.replace(old, new))
        after = {job.key: job.learner.name for job in Study.from_toml(path).plan.tasks()}
        return sorted({after[key] for key in after.keys() - keys})

    assert changed("cf = 0.1", "cf = 0.2") == ["tree"]
    assert changed("folds = 3", "folds = 3\nrepeats = 1") == []
    assert changed("[data]", "time_limit = 5\nname = 'x'\n[data]") == []
    assert changed("folds = 3", "folds = 4") == ["C4.5", "tree"]
    assert changed("[data]", "seed = 9\n[data]") == ["C4.5", "tree"]
    assert changed('"ecoli4", ', "") == []
    path.write_text(text.replace("folds = 3", "folds = 3\nrepeats = 2"))
    assert (
        len({job.key for job in Study.from_toml(path).plan.tasks()} & keys.keys())
        == len(keys)
        == 12
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('store = "../../x.sqlite"\n', "store is '../../x.sqlite'"),
        ('store = "/tmp/x.sqlite"\n', "store is '/tmp/x.sqlite'"),
        ('keel_folder = "/etc"\n', "keel_folder is '/etc'"),
    ],
)
def test_paths_stay_in_the_folder_unless_allowed(study_file, refused, text, message):
    with refused(
        f"'study.toml': {message}, which lies outside the study file's folder; if that is meant, "
        "say allow_outside = true "
        "at the top of the file"
    ):
        read_plan(study_file(text + GOOD))
    # the file asks for it, and the user consents
    asking = study_file("allow_outside = true\n" + text + GOOD)
    assert read_plan(asking, allow_outside=True).seed == 0
    with refused(
        f"'study.toml': {message}, which lies outside the study file's folder; if that is meant, "
        "pass --allow-outside (from Python allow_outside=True)"
    ):
        read_plan(asking)


def test_a_link_out_of_the_folder_is_outside(study_file, refused, tmp_path):
    (tmp_path / "out").symlink_to("/etc")
    with refused(
        "'study.toml': [[data.set]] 1: file is 'out/passwd', which lies outside the study file's "
        "folder; if that is "
        "meant, say allow_outside = true at the top of the file"
    ):
        read_plan(
            study_file('[[data.set]]\nname = "a"\nfile = "out/passwd"\n[classifiers]\nstump = {}')
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[dea]\noutputs = ['TPR', 'roc_acu']",
            "[dea] outputs: there is no metric 'roc_acu'; did you mean 'roc_auc'?",
        ),
        (
            "[dea]\ninputs = ['total_costs']",
            "[dea] inputs: there is no metric 'total_costs'; did you mean 'total_cost'?",
        ),
        (
            "[dea]\noutputs = ['queue_rate']",
            "[dea] outputs: metric 'queue_rate' is neither better high nor low; it cannot rank a "
            "classifier",
        ),
        (
            "[dea]\noutputs = ['TPR']\ninputs = ['TPR']",
            "[dea] 'TPR' is an output and an input; it can be one of them",
        ),
        (
            "[dea]\ntarget_outputs = ['LR-']",
            "[dea] target_outputs: metric 'LR-' is better low and has no greatest value; name it "
            "among the inputs",
        ),
        (
            "[tests]\nmetric = 'AUC'",
            "[tests] metric: there is no metric 'AUC'; did you mean 'pr_auc'?",
        ),
        (
            "[split]\nkind = 'leave-one-out'\nrepeats = 2",
            "[split] repeats is 2; leave-one-out has no other folds to repeat",
        ),
    ],
)
def test_outputs_that_no_metric_can_give_are_refused_before_anything_runs(
    study_file, refused, text, message
):
    with refused(f"'study.toml': {message}"):
        read_plan(study_file(GOOD + text))


def test_metrics_that_are_low_are_complemented_and_costs_are_inputs(study_file):
    plan = read_plan(study_file("metrics = ['TPR', 'FPR', 'fit_seconds']\n" + GOOD))
    assert (plan.dea["outputs"], plan.dea["inputs"]) == (["TPR", "FPR"], ["fit_seconds"])
    from deabench.study.results.metrics import StudyMetrics

    assert StudyMetrics().complemented_outputs(["TPR", "FPR"]) == {"FPR": 1.0}


def test_data_of_all_classes_by_name_and_from_files(study_file, tmp_path):
    (tmp_path / "m.csv").write_text("x,c\n1,a\n2,b\n")
    path = study_file(
        'classes = "all"\n[data]\nnames = ["iris"]\n[[data.set]]\nname = "wine"\n'
        '[[data.set]]\nname = "m"\nfile = "m.csv"\nnominal = ["x"]\n'
        '[classifiers]\n"C4.5" = {}\n'
    )
    named, known, own = read_plan(path).data
    assert (named.name, named.source, named.options) == ("iris", "sklearn", (("classes", "all"),))
    assert (known.name, known.source, known.options) == ("wine", "sklearn", (("classes", "all"),))
    assert (own.source, own.get("nominal"), own.get("classes")) == ("file", ("x",), "all")
    assert own.get("file") == str(tmp_path / "m.csv")
