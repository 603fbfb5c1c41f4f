"""Rules of names are compiled only for names that begin with their words; none is lost."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deabench.tables.naming import vocabulary
from deabench.tables.naming.meaning import MEANING_KINDS
from deabench.tables.naming.rules import RuleBook
from deabench.tables.naming.vocabulary import RULES, WEAK_RULES, look_up_beside, look_up_metric
from deabench.tables.read import read

ALL_RULES = (*RULES, *WEAK_RULES)


@given(
    st.sampled_from(ALL_RULES).flatmap(
        lambda rule: st.tuples(st.just(rule), st.from_regex(rule.pattern))
    )
)
def test_what_a_rule_matches_begins_as_one_of_its_words(pair):
    rule, name = pair
    assert any(start in name for start in rule.starts)


def test_most_rules_are_not_compiled_until_a_name_needs_them():
    waiting = [
        rule for rule in ALL_RULES if not any(start in "_classifier_" for start in rule.starts)
    ]
    assert len(waiting) > len(ALL_RULES) / 2
    assert not any(re.search(rule.pattern, "_classifier_") for rule in waiting)


@given(
    st.sampled_from([RULES, WEAK_RULES]),
    st.sampled_from(["", "_$"]),
    st.lists(
        st.sampled_from([word for rule in ALL_RULES for word in rule.words]).flatmap(
            lambda word: st.from_regex(f"^(?:{re.sub('[(][?]<?[=!][^)]*[)]', '', word)})$")
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_words_match_where_the_joined_patterns_match(rules, following, words):
    name = f"_{'_'.join(words)}_"
    expected = [
        (*match.span(), rule.meaning)
        for rule in rules
        for match in re.finditer(rule.pattern + following, name)
    ]
    assert list(rules.find_matches(name, following)) == expected


def test_sat_beside_solved_counts_instances() -> None:
    names = ["Total Sat", "Total Unsat", "Total Solved"]
    for name in names[:2]:
        meaning = look_up_beside(name, names)
        assert meaning is not None
        assert meaning.role == "output"
    assert look_up_beside("Sat", ["Sat", "Time"]) is None


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Staff hours per day", "cost"),
        ("Supplies per day", "cost"),
        ("Patients per day", "output"),
        ("Images per hour", "output"),
        ("Price per token", "cost"),
        ("Units per staff hour", None),
        ("km per liter of fuel", None),
    ],
)
def test_what_stands_before_per_decides(name, role) -> None:
    """Hours per day are spent; of units per hour nothing tells whether they are wanted."""
    meaning = look_up_metric(name)
    assert (meaning and meaning.role) == role


@pytest.mark.parametrize(("name", "other"), [("slackX_1", "Theta"), ("Theta", "slackY")])
def test_results_of_dea_are_no_metrics(name, other) -> None:
    assert look_up_beside("slack messages", ["slack messages", "slack users"]) is None
    meaning = look_up_beside(name, [name, other])
    assert meaning is not None
    assert meaning.role == "left_out"
    assert look_up_beside(name, [name, "accuracy"]) is None


@pytest.mark.parametrize("name", ["input_throughput", "input_tokens_per_second"])
def test_throughputs_of_inputs_are_no_inputs(name) -> None:
    meaning = look_up_metric(name)
    assert meaning is not None
    assert meaning.role == "output"


@pytest.mark.parametrize(
    ("role", "names"),
    [
        # Capitals inside the names of benchmarks are no borders between words.
        (
            "output",
            "OpenBookQA BoolQ WinoGrande RealWorldQA MuSR SimpleQA SuperGLUE CoLA WiC MMStar",
        ),
        ("output", "NaturalQuestions maj@8 cons@64 AR@100 APs APm lDDT AssA GenEval OSWorld GAIA"),
        ("output", "N50 NGA50 BUSCO δ1 R^2 test_coverage"),
        ("output", "F@1 H@10 Urban100 Distinct-1 frame_rate task_completion L1_mAPH"),
        ("lower_rate", "DreamSim MdAE minADE6 WikiText2 collision nfev"),
        ("cost", "s/epoch gpu_days js_size LCP gc_pause dependencies"),
        ("cost", "L50 misassemblies NFE PAR10 TDP min+gzip MTTR crashes"),
        ("left_out", "forks d_model warmup_steps"),
        ("conditional", "docking_score"),
    ],
)
def test_names_of_many_fields_are_known(role, names) -> None:
    assert {name: look_up_metric(name).role for name in names.split()} == dict.fromkeys(
        names.split(), role
    )


@pytest.mark.parametrize(
    ("name", "other", "role"),
    [
        ("SQ", "PQ", "output"),
        ("AMI", "ARI", "output"),
        ("a1", "AbsRel", "output"),
        ("IS", "FID", "output"),
        ("CD", "EMD", "lower_rate"),
        ("ATE", "RPE", "lower_rate"),
        ("# contigs", "N50", "cost"),
        ("Input", "Output", "cost"),
        ("L2 (m)", "Collision (%)", "lower_rate"),
        ("P", "GP", "output"),
        ("TBP", "TF", "output"),
        ("TA", "TF", "lower_rate"),
        ("A", "TF", "lower_rate"),
        ("L", "TBP", "lower_rate"),
        ("PD", "TF", "output"),
        ("D", "TF", "left_out"),
        ("HND", "FND", "output"),
        ("ops", "rme", "output"),
        ("rme", "ops", "left_out"),
        ("avg_decomp_mps", "comp_size", "output"),
        ("JS", "Dice", "output"),
    ],
)
def test_abbreviations_are_known_beside_those_they_are_reported_with(name, other, role) -> None:
    assert look_up_metric(name) is None or look_up_metric(name).role == "left_out"
    assert look_up_beside(name, [name, other]).role == role
    assert look_up_beside(name, [name, "accuracy"]) is None


def test_every_rule_has_a_kind_that_code_can_decide_by() -> None:
    for rule in ALL_RULES:
        assert rule.meaning.kind
        assert rule.meaning.kind in MEANING_KINDS


@pytest.mark.parametrize(
    "text",
    [
        "model,ARC,HellaSwag,our_task,Average,seed\nA,61.2,80.1,44.0,61.8,1\nB,58.3,77.0,41.5,58.9,1\n",
        "model,batch_size,accuracy,params\nA,8,0.91,0\nB,16,0.93,0\nA,16,0.92,12\n",
        "bank,deposits,branches,loans\nA,70,12,55\nB,64,11,43\nC,81,15,60\n",
    ],
)
def test_the_wording_of_reasons_decides_nothing(text, tmp_path, monkeypatch) -> None:
    path = tmp_path / "results.csv"
    path.write_text(text)
    table = read(path)

    def reword(meaning):
        return replace(meaning, reason="in other words")

    for rules in ("RULES", "WEAK_RULES"):
        reworded = RuleBook(
            replace(rule, meaning=reword(rule.meaning)) for rule in getattr(vocabulary, rules)
        )
        monkeypatch.setattr(vocabulary, rules, reworded)
    first_rules = tuple((words, reword(meaning)) for words, meaning in vocabulary.FIRST_RULES)
    monkeypatch.setattr(vocabulary, "FIRST_RULES", first_rules)
    vocabulary._look_up.cache_clear()
    try:
        reworded_table = read(path)
    finally:
        vocabulary._look_up.cache_clear()
    assert [(c.name, c.role, c.unit, c.range) for c in reworded_table.columns] == [
        (c.name, c.role, c.unit, c.range) for c in table.columns
    ]
    assert reworded_table.label == table.label
    assert reworded_table.dataset == table.dataset
    assert reworded_table.question == table.question


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("output", "HMMT Feb 2025,GSM-Plus,StrategyQA,CharXiv (RQ),Codeforces Rating,McEval,IN-1K"),
        ("output", "APbox,APmask,mIoU (ms+flip),mIoU(ms),acc1,AUPRO,PQ_st,avg@16,# Solved,QV"),
        ("output", "Solved instances,GFLOPS/W,FPS/W,SPECint2017,CoreMark,scTM,% valid,HNS"),
        ("output", "Research output,Ship calls,Passenger kilometers,Room nights,Vessels handled"),
        ("lower_rate", "EPE3D,CMMD,Unsolved,Shifted geometric mean,Clash score,Self-BLEU,cpWER"),
        ("lower_rate", "bits per pixel,Edit dist,Interval width,rel l2,Collision rate,SGM10"),
        ("cost", "Number of beds,Number of employees,Runway length,Fleet size,Net assets,Hectares"),
        (
            "cost",
            "MMac,Lines of code,Code size,p75,99th percentile,Install size,# Trainable",
        ),
        ("output", "reward_low_FN_rate,Reward Low FP,devscore,correct_count,Avg. perf on 38 sets"),
        ("lower_rate", "syntax_errors,num_with_malformed_responses,CD-l1,N-MPJPE"),
        ("cost", "watt,参数,Par. M,storage_size,PAR10"),
        ("label", "farm_no,dmu_nr,bank code"),
        ("left_out", "repetition_index,few_shot,horizon_hours,forecast horizon (days)"),
        ("left_out", "input_dropout"),
        ("left_out", "No.,Training data,Shots,Kernel size,number of samples,n_patients,lora_rank"),
        ("output", "MRCR v2 (8-needle),BRIGHT,ViDoRe v2,VisuLogic,PISA,TouchStone,fast_1,Aff-F1"),
        ("output", "PDMS,Infraction score,XPSNR,HPSv3,N-MOS,xRT,#opt,Win rate vs baseline,GTEPS"),
        ("output", "Yield (kg),Sales (EUR),Milk (kg),Ore mined,Books issued,MMA@3,dino-i,Gbps"),
        ("lower_rate", "A.Rel,t_rel,Infractions,PVE,ΔPPL,OCR Edit,attack success,lost sales"),
        ("cost", "µs/op,cyc/map,Fixed assets,PK size,C.Size,GPU-h,MSRP,Avg. Steps,Sign (cycles)"),
        ("cost", "#FLOPs,#MACs,t_infer,startup,gzipped,Comp. size,Stripped size KiB,Rent"),
        ("output", "TFLOPS/GPU,QWK,Helpful,Passenger,graduate"),
        (
            "output",
            "Labour productivity,Employment rate,Fuel economy (mpg),Energy density (Wh/kg),Won",
        ),
        ("output", "Battery life (h),QALY,FG%,Clean sheets,Forest cover,On-time deliveries"),
        (
            "lower_rate",
            "Jailbreak success,Late deliveries,Overdue deliveries,Debt to GDP,Inflation",
        ),
        ("lower_rate", "Air quality index,Homicides per 100k,Lost,Yellow cards,Stockouts"),
        ("cost", "Tuition,0-100 km/h (s)"),
        ("conditional", "Gini,Bitrate,Disk capacity,Doctors"),
        ("output", "instruction_followed,Pacientes_Atendidos,Transacciones_Miles,Cirugias"),
        ("left_out", "Date 时间,发布日期,total_samples,Dataset_Size_MB"),
        ("output", "BTCV,KiTS19,ScreenSpot-v2"),
        ("left_out", "Claimed Length,Released,Cohen's d,Block size,k-shot,Trained on,Contributors"),
    ],
)
def test_what_people_call_their_columns_is_known(role, names) -> None:
    meanings = {name: look_up_metric(name) for name in names.split(",")}
    roles = {name: meaning and meaning.role for name, meaning in meanings.items()}
    assert {name: other for name, other in roles.items() if other != role} == {}


@pytest.mark.parametrize(
    ("name", "other", "role"),
    [
        ("DROP", "MMLU", "output"),
        ("DROP", "latency", None),
        ("F1-all", "EPE (train)", "lower_rate"),
        ("SIR", "SDR", "output"),
        ("RTE", "RRE", "lower_rate"),
        ("RTE", "MNLI", None),
        ("ASR", "Clean Acc", "lower_rate"),
        ("Sub", "WER", "lower_rate"),
        ("FP16 TFLOPS", "Memory bandwidth", "output"),
        ("FP16 TFLOPS", "top-1", None),
        ("Workers", "Sales", "cost"),
        ("Workers", "accuracy", None),
        ("Number of patients", "Nurses", "output"),
        ("stats.mean", "stats.ops", "cost"),
        ("ops", "rounds", "output"),
        ("Q1", "Q7", "conditional"),
        ("Obj.", "Gap (%)", "lower_rate"),
        ("log10", "AbsRel", "lower_rate"),
        ("Area.I1", "Lent.O1", "cost"),
        ("Lent.O1", "Area.I1", "output"),
        ("Financial investments", "Loans", "output"),
        ("PROD", "LABOR", "output"),
        ("z1", "labor", "left_out"),
        ("Matl", "Fuel", "cost"),
        ("Size", "Serialize", "cost"),
        ("k-nn", "params", "output"),
        ("Number of patients", "AUC", None),
        ("xinput", "yprod", "cost"),
        ("yprod", "xinput", "output"),
        ("IP1", "OP1", "cost"),
        ("y", "labor", "output"),
        ("k", "labor", "cost"),
        ("k", "accuracy", None),
        ("NC", "PDMS", "output"),
        ("NC", "Chamfer", "output"),
        ("SECS", "WER", "output"),
        ("P", "F1", "output"),
        ("SAT", "UNSAT", "output"),
        ("Temporal flickering", "Dynamic degree", "output"),
        ("Movements", "Runways", "output"),
        ("CSI", "POD", "output"),
        ("Clean", "PGD-20", "output"),
        ("Clean", "latency", None),
        ("Gini", "ROC AUC", "output"),
        ("Gini", "Life expectancy", "lower_rate"),
        ("Gini", "Price", None),
        ("Bitrate", "PSNR", "cost"),
        ("Bitrate", "Bandwidth", None),
        ("Doctors", "Beds", "cost"),
        ("Doctors", "Rent", None),
        ("Livestock", "Crops", "output"),
        ("Output", "Reduction", "cost"),
        ("Input", "Reduction", "left_out"),
    ],
)
def test_names_that_mean_something_beside_others_only(name, other, role) -> None:
    meaning = look_up_beside(name, [name, other])
    assert (meaning and meaning.role) == role


def test_a_triangle_marks_how_rows_are_sorted_and_states_no_direction() -> None:
    assert look_up_metric("Time (μs) ▲").role == "cost"
    assert look_up_metric("Accuracy ▼").role == "output"
    assert look_up_metric("flux ▲") is None
    assert look_up_metric("flux ↑").role == "output"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        # A time in brackets beats a quality, but "ms" beside these is "at many scales".
        ("Hit (ms)", "cost"),
        ("hit rate (ms)", "cost"),
        ("mIoU (ms)", "output"),
        ("APbox (ms)", "output"),
        ("C2ST", "lower_rate"),
        ("KSD", "lower_rate"),
        ("Pass^2", "output"),
        ("incidents_85_99", "lower_rate"),
        ("fatalities", "lower_rate"),
        ("CTB8", "output"),
        ("命名实体", "output"),
    ],
)
def test_words_of_fields_have_their_direction(name, role):
    assert look_up_metric(name).role == role


def test_a_number_of_collisions_is_no_percentage():
    assert look_up_metric("Collisions").high == float("inf")
    assert look_up_metric("Collision (%)").high == 1.0


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (
            "output",
            "CoNLL-2003, OntoNotes, AgeDB-30, CFP-FP, IIIT5K, SVTP, CUTE80, nDTW, nSDR, F1-max, "
            "TEDS, mutation score, 5-year survival, Capacity factor, benefit-cost ratio, "
            "Energy output, Final balance, Revenue growth, Starting salary, Goal difference, "
            "Random read, HalfCheetah-v3, hopper-medium-v2, LunarLander-v2, Qbert, "
            "HPL (GFLOPS), CPU Mark, top speed",
        ),
        (
            "lower_rate",
            "ETTh1 96, Kappa SRME, κSRME, Cost-to-income, Non-revenue water, SAIDI, "
            "Position error, Student-faculty ratio, case fatality rate, edge cut, "
            "energy above hull, cost return, xGA",
        ),
        (
            "cost",
            "Write amplification, KV cache size, think tokens, Speed Index, 0-100 km/h, "
            "0-60 mph (s), NLOC, Gas used, First Contentful Paint, CPU max, Avg RAM, days at sea, "
            "推理时延, Bytes Allocated, stack usage, mean time to repair",
        ),
        (
            "lower_rate",
            "n_errors, num_failures, error_count, crash_count, refusal_pct, dead nodes, mean wait",
        ),
        ("output", "valid_json_rate, format compliance, alive nodes, SINR (dB), residual energy"),
        ("cost", "cpu_pct, tokens_total"),
        ("left_out", "errors, sample_count, n_tests, row count"),
        ("left_out", "input shape, 学习率, Receptive field, lr scheduler, embedding dimension"),
        ("conditional", "SA score, Network length, WinoBias, vs Best RPS, Relative"),
    ],
)
def test_words_of_single_fields(role, names) -> None:
    for name in names.split(", "):
        meaning = look_up_metric(name)
        assert meaning is not None, name
        assert meaning.role == role, name


@pytest.mark.parametrize(
    ("role", "name", "others"),
    [
        ("output", "R-L", "R-1 R-2"),
        ("output", "Reasoning", "Coding Math"),
        ("output", "vocals", "drums bass"),
        ("output", "Pong", "Breakout Seaquest"),
        ("left_out", "lat", "lon population"),
        (None, "lat", "throughput"),
        ("output", "CB513", "CASP12 TS115"),
        ("output", "GF", "W L GA"),
        ("output", "Gold", "Silver Bronze"),
        ("output", "Aorta", "DSC Spleen"),
        ("output", "download", "ping upload"),
        ("cost", "ping", "download upload"),
        ("output", "Selectivity (%)", "Conversion"),
        ("lower_rate", "GA", "GF W"),
        ("lower_rate", "PLR", "PDR delay"),
        ("lower_rate", "C4", "WikiText2 PTB"),
        ("lower_rate", "Weather", "ETTh1 ETTm2"),
        ("lower_rate", "Miss", "DER FA"),
        ("cost", "Signature", "Public_key cycles"),
        ("cost", "nodes", "solved time"),
        # The same names alone, or beside other ones.
        (None, "R-L", "speed price"),
        (None, "vocals", "guests producers"),
        (None, "GA", "PSO GD"),
        (None, "Weather", "Traffic Noise"),
        (None, "Gold", "Oil"),
        (None, "Aorta", "HD95 Spleen"),
        (None, "nodes", "edges accuracy"),
        (None, "filter_selectivity", "recall"),
        (None, "Ping", "Query Body"),
    ],
)
def test_abbreviations_mean_something_beside_others_of_their_field(role, name, others) -> None:
    meaning = look_up_beside(name, [name, *others.split()])
    assert (meaning.role if meaning else None) == role


@pytest.mark.parametrize(
    ("name", "other"),
    [
        # Points or played games, lengths, tracking accuracy, profit margins, divergences.
        ("P", "PD"),
        ("L", "PD"),
        ("TA", "PD"),
        ("Margin", "Ops"),
        ("JS", "KL"),
        ("Proximity", "Validity"),
        ("Compactness", "Validity"),
    ],
)
def test_abbreviations_of_several_fields_are_not_told_by_one_other(name, other) -> None:
    assert look_up_beside(name, [name, other]) is None


def test_an_arrow_says_more_than_the_names_beside_it(tmp_path) -> None:
    path = tmp_path / "board.csv"
    path.write_text("Model,Dice ↑,JS ↓\nA,0.8,0.3\nB,0.7,0.4\n")
    table = read(path)
    assert (table.outputs, table.lower_rates) == (["Dice ↑"], ["JS ↓"])


def test_what_is_to_be_forgotten_is_better_unknown() -> None:
    names = ["retain_acc", "forget_acc", "mia_acc"]
    roles = {name: look_up_beside(name, names) for name in names[1:]}
    assert roles["forget_acc"].role == "lower_rate"
    assert roles["mia_acc"].role == "conditional"
    assert look_up_beside("forget_acc", ["forget_acc", "time"]) is None


def test_names_that_hold_words_of_metrics_and_mean_something_else() -> None:
    for name in ("archive.tar.gz", "strong scaling", "BERTimbau-Large", "Time-CNN", "TimeMixer"):
        meaning = look_up_metric(name)
        assert meaning is None or meaning.role not in ("output", "lower_rate", "cost"), name
    assert look_up_metric("no_hallucinations").role == "output"
    assert look_up_metric("BER").role == look_up_metric("hallucinations").role == "lower_rate"
    assert look_up_metric("train_emissions_kg").role == "cost"
    assert look_up_metric("cv_f1_per_kg_train").role != "cost"
