"""Words of single fields: each with its direction, alone and beside its like."""

from __future__ import annotations

import pytest

from deabench.tables.naming.vocabulary import look_up_beside, look_up_metric

HIGHER = """
ENOB|SNDR (dB)|phase margin|EQE|Battery capacity (mAh)|power output (kW)|UCIQE|sum rate|RSSI (dBm)
residual energy (J)|Tobin's Q|current ratio|home runs|runs scored|KDA ratio|self-sufficiency rate
immunization coverage
objective response rate|export value|tourist receipts|boardings|download speed|bps/Hz
clDice|AJI|efficacy|brake thermal efficiency|诊疗人次数(万人次)|营业收入
concluintes|akurasi|doğruluk|up time (%)|reads mapped (%)|within 10%
phi coefficient|diagnostic odds ratio|Harrell's C|SROCC|Nash-Sutcliffe|D2 pinball score|R@P90
word recognition rate|probability of detection|QNR|Qabf|enantiomeric excess|COV-R|IntDiv1|DBCV|RRA@5
Sync-C|AR_VSD|Beat Align|MModality|mean accepted tokens|edge coverage|paths covered|APFD|QPM
PSRR (dB)|quantum volume|coherence time (us)|PLQY|ionic conductivity|on/off ratio|Wh/kg
suction power
functional plausibility|realism|empathy|politeness|active listening|SLO (%)|served UE ratio
resilience|text alignment|subject const.|injection resistance|motion retained|route progress
attribute preservation
min TTC|terminal clearance|RSRQ|arithmetic intensity|correct tool selection rate|GuacaMol FCD|CiDEr
draft acceptance|mean accepted length|wet-day CSI|Tanimoto|ViCLIP|colorfulness|count acc|TP_mean
policy value|meets standard rate|no hallucinations|Acc@±10%
accepted tokens per step|build rate|battery (h)|compile@1|PSP@3|RSRP (dBm)|draft acceptance
corsi for %|refresh rate (Hz)|forward transfer|NPCR|median OS (months)|information transfer rate
"""
LOWER = """
FPPI|RMSEP|CV(RMSE)|MMRE|QLIKE|BLER|outage probability|packet drops|PAPR
noise figure (dB)|THD|LPSP|absenteeism|pressure ulcers|double faults|MPKI|FP/h
false alerts per day|Accuracy (mm)|Completeness (mm)|Overall (mm)
CIEDE2000|hop count|BSFC|payback period
LCOH|receivable days|ping|flow completion time|cold run|start-up time
start-up time (s)|warm-up time|set-up time (min)|fixed capital|R&D personnel|床位数(万个)
废水排放量|gasto|BSFC (g/kWh)|Debt/GDP 2036|Deficit %GDP|Age of information
nRMSE|nMAE|RRMSE|AICc|WAIC|min Cllr|QL50|RMSPE|target registration error|FP/scan|SDlogJ|L-RMSD|EMAE
R-free|MolProbity score|MAT-R|variation of information|Xie-Beni|Robinson-Foulds|RPE trans|MM Dist
foot skating|Sync-D|exploitability|NashConv|defect density|change failure rate|ΔE00
power-delay product
critical path (ns)|CNOT count|circuit depth|bits per value|capacity fade|subthreshold swing
function evals|rounds to accuracy|DefRtg|opp PPG|economy rate|curb weight
#LUT|#DSP|quantile score|ignorance score|MAAPE|VSWR|pJ/bit|omissions
hacking rate|re-eviction rate|over-review rate|false fires|dead codes|PII leak|SLA viol.|leak rate
max penetration (mm)|NMAD (m)|IBS|PEHE|eps ATE|FAD_clap|Kruskal stress|weak coverage rate
mental demand|lane invasions|near conflicts|verbosity|fragmentation|a11y serious issues
flow warp|safety ASR
colorfulness diff|AllocCount|Delta E|fidelity_minus|PIT KS|FN_mean|FP mean|alarms/1000h|tune_s
build (ms)|Cputime median
demographic parity difference|MOSES FCD
NASA-TLX|control effort|HbA1c|hospitalization rate|ICER|pain score|bid-ask spread
"""


def split_names(names: str) -> list[str]:
    return names.strip().replace("\n", "|").split("|")


@pytest.mark.parametrize("name", split_names(HIGHER))
def test_more_is_better(name) -> None:
    meaning = look_up_metric(name)
    assert meaning is not None
    assert meaning.better == "higher"


@pytest.mark.parametrize("name", split_names(LOWER))
def test_less_is_better(name) -> None:
    meaning = look_up_metric(name)
    assert meaning is not None
    assert meaning.better == "lower"


@pytest.mark.parametrize(
    ("name", "other", "better"),
    [
        ("DA 1d", "RMSE 1d", "higher"),
        ("SID", "SHD", "lower"),
        ("WSS", "PESQ", "lower"),
        ("AL", "BLEU", "lower"),
        ("MSD", "HD95", "lower"),
        ("OIS", "ODS", "higher"),
        ("MT", "MOTA", "higher"),
        ("ML", "MOTA", "lower"),
        ("ER", "NMED", "lower"),
        ("Instructions", "IPC", "lower"),
        ("#Vias", "HPWL", "lower"),
        ("EER", "SEER", "higher"),
        ("T-count", "CNOT count", "lower"),
        ("Bowling average", "Wickets", "lower"),
        ("ERR@1", "ERR@10", "higher"),
        ("EOD", "DPD", "lower"),
        ("Contamination (%)", "Completeness (%)", "lower"),
        ("Defensive rating", "Offensive rating", "lower"),
        ("SAM", "ERGAS", "lower"),
        ("POD", "CSI", "higher"),
        ("TTC", "PDMS", "higher"),
        ("DS", "RC", "higher"),
        ("SC", "DD", "higher"),
        ("CE", "CU", "higher"),
        ("SAP", "MIG", "higher"),
        ("Uniq.", "Valid", "higher"),
        ("Sim", "WER", "higher"),
        ("AF", "BWT", "lower"),
        ("GD", "PTS", "higher"),
        ("Cases", "Beds", "higher"),
        ("PTS", "GD", "higher"),
        ("L", "GD", "lower"),
        ("AA", "BWT", "higher"),
        ("DSR", "Sharpe ratio", "higher"),
        ("TUM ATE", "TUM RPEt", "lower"),
        ("1px", "EPE", "lower"),
        ("Target acc", "Source acc", "higher"),
        ("Target RMSE", "Source RMSE", "lower"),
        ("Clean", "PGD-20", "higher"),
        ("distinct", "utility", "higher"),
        ("KS statistic", "Gini", "higher"),
        ("D_lambda", "QNR", "lower"),
        ("d2", "AbsRel", "higher"),
        ("DINO", "CLIP-I", "higher"),
        ("COV-CD", "MMD-CD", "higher"),
        ("BWT", "FWT", "higher"),
        ("LMD", "LSE-D", "lower"),
        ("P", "mAP50", "higher"),
        ("IS", "FAD", "higher"),
        ("IR", "MDD", "higher"),
        ("Played", "GF", "neither"),
        ("1/8", "1/4", "higher"),
        ("#FF", "#LUT", "lower"),
        ("CPM", "1/8", "higher"),
        ("COP", "Cooling capacity", "higher"),
        ("HC (ppm)", "BSFC (g/kWh)", "lower"),
        ("COD", "SO2", "lower"),
        ("FF (%)", "PCE (%)", "higher"),
        ("LOS", "Mortality", "lower"),
        ("IMR", "Life expectancy", "lower"),
        ("Faculty", "Graduates", "lower"),
        ("Classrooms", "Teachers", "lower"),
        ("Papers", "Faculty", "higher"),
        ("math10", "gradrate", "higher"),
        ("No of vehicles", "Bus kms", "lower"),
        ("Customers", "Floor_Space", "higher"),
        ("Financing", "Deposits", "higher"),
        ("100s", "Strike rate", "higher"),
        ("Econ", "Wkts", "lower"),
        ("Wkts", "Econ", "higher"),
        ("TD", "QBR", "higher"),
        ("substitution rate", "WER", "lower"),
        ("VOT18 A", "VOT18 EAO", "higher"),
        ("VOT18 R", "VOT18 EAO", "lower"),
        ("VOT2020 R", "VOT2020 EAO", "higher"),
        ("MdR", "R@1", "lower"),
        ("Mean Rank", "Hits@10", "lower"),
        ("SHD", "F1", "lower"),
        ("WIS", "MAE", "lower"),
        ("Speed index", "FPS", "higher"),
        ("tokens_generated", "ttft_ms", "neither"),
    ],
)
def test_a_name_beside_its_like(name, other, better) -> None:
    meaning = look_up_beside(name, [name, other])
    assert meaning is not None
    assert meaning.better == better
    # Without the other it tells something else, or nothing.
    alone = look_up_metric(name)
    assert alone is None or alone.better != better


@pytest.mark.parametrize(
    "name",
    [
        "ILD",
        "SEP",
        "weight (g)",
        "battery (kWh)",
        "IC50",
        "WNS",
        "MATH500 Length",
        "tax revenue (% of GDP)",
        "err@1",
        "thermal resistance",
        "GWP",
        "LTV",
        "AOV",
        "WPM",
        "ITR",
        "JEDI",
        "folding ratio",
        "turnover frequency",
        "recurrence rate",
        "megapixels",
        "APY",
        "BCE",
        "dnf",
        "return rate",
    ],
)
def test_words_that_mean_different_things_stay_open(name) -> None:
    meaning = look_up_metric(name)
    assert meaning is None or meaning.better == "neither"


def test_mr_beside_recalls_may_be_the_mean_recall_or_the_median_rank() -> None:
    meaning = look_up_beside("Zero-shot MR", ["Zero-shot MR", "Zero-shot R@1"])
    assert meaning is not None
    assert meaning.better == "neither"


@pytest.mark.parametrize(
    ("name", "beside", "wrong"),
    [
        # What is earned or made per time is not spent.
        ("Profit (USD/day)", "Staff", "lower"),
        ("Net income (EUR/day)", "Staff", "lower"),
        ("Heat output (kWh/day)", "Price", "lower"),
        # What is avoided, or what befalls people, in other words around a known one.
        ("Deficit reduction (% of GDP)", "GDP", "lower"),
        ("节约成本", "产值", "lower"),
        ("死亡人次", "成本", "higher"),
        ("Denied boardings", "Flights", "higher"),
        ("Load curtailment (kW)", "Cost", "lower"),
        ("Ahorro de gasto", "Ventas", "lower"),
        ("Ammonia yield (%)", "CO2 (kg)", "lower"),
        ("EVM improvement (dB)", "PAPR", "lower"),
        ("Door-to-balloon within 90 min (%)", "Mortality", "lower"),
        # Abbreviations of other fields.
        ("DA time (s)", "RMSE", "higher"),
        ("MSD", "Dice", "lower"),
        ("MMR (%)", "Nurses", "lower"),
        ("mt", "ml", "higher"),
        ("R", "EAO", "lower"),
        ("MDA (nmol/mL)", "Weight", "higher"),
        ("FSS", "Age", "higher"),
        ("IRR", "p-value", "higher"),
        ("ORR", "minADE", "higher"),
        ("MW (kDa)", "pI", "higher"),
        ("CO (%)", "NOx (%)", "lower"),
        # A system is a row here, and no time of a program.
        ("mean", "System", "lower"),
        # Variants in brackets, data sets and classes that are called like something else.
        ("ROxf (H)", "ROxf (M)", "lower"),
        ("So2Sat-LCZ42", "EuroSAT", "lower"),
        ("f1_no_damage", "f1", "lower"),
        # What a bowler or a defence concedes.
        ("Runs", "Econ", "higher"),
        ("Pass Yds", "Points allowed", "higher"),
        # Settings, or what may be either.
        ("Hops", "Hits@1", "lower"),
        ("Battery (mAh)", "Accuracy", "higher"),
        ("Interest paid (%)", "Fees", "lower"),
        ("PBIAS (%)", "NSE", "lower"),
        ("Starting current ratio", "Torque", "higher"),
        ("Self-consumption (GWh)", "Capacity", "higher"),
        ("Books", "Teachers", "higher"),
        ("Vehicles", "Passengers", "lower"),
        ("Stalls", "Visitors", "lower"),
        ("Exports", "Bundle size", "higher"),
        # What experts of one field want is unwanted in another.
        ("Entropy", "PSNR", "lower"),
        ("Entropy", "Accuracy", "higher"),
        ("Unique crashes", "Executions/s", "lower"),
        ("Return rate", "Price", "higher"),
        ("Hospitalizations", "Beds", "lower"),
        ("Days of stay", "Nurses", "lower"),
        ("Scale", "Time", "higher"),
        ("JSON", "CSV", "higher"),
        ("Ser", "Deser", "lower"),
        ("Injection success rate", "Utility", "higher"),
        ("Fees and commissions", "Staff", "lower"),
        ("Contamination", "Train size", "lower"),
    ],
)
def test_a_word_of_one_field_decides_nothing_in_another(name, beside, wrong) -> None:
    meaning = look_up_beside(name, [name, beside]) or look_up_metric(name)
    assert meaning is None or meaning.better != wrong


@pytest.mark.parametrize("other", ["Std. Error", "Errors", "Unforced errors"])
def test_plus_minus_beside_other_errors_is_not_a_loss(other) -> None:
    assert look_up_beside("Adjusted Plus-Minus", ["Adjusted Plus-Minus", other]) is None


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Output ($/1M)", "cost"),
        ("Output ($ per 1M tokens)", "cost"),
        ("Output (USD)", "output"),
        ("Gap vs best", "lower_rate"),
        ("gap_to_optimal", "lower_rate"),
        ("Service level", "output"),
    ],
)
def test_prices_of_tokens_and_distances_from_the_best_are_better_low(name, role) -> None:
    meaning = look_up_metric(name)
    assert meaning is not None
    assert meaning.role == role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        # Data sets and methods begin with letters that are a unit elsewhere.
        ("MS-GVNS CAB", None),
        ("MS-TCN", None),
        ("decode_ms_p50", "cost"),
        ("ms per token", "cost"),
        ("ms", "cost"),
        # A percentage of ground balls is no size.
        ("gbPct", None),
        ("peak_memory_gb", "cost"),
        ("target acc", "left_out"),
        ("ms parse", "cost"),
        ("wctime-pyndl_thread4", "cost"),
        ("MaxAE", "lower_rate"),
    ],
)
def test_letters_of_units_and_settings_in_other_names(name, role) -> None:
    meaning = look_up_metric(name)
    assert (meaning and meaning.role) == role


def test_milliseconds_are_no_part_of_the_names_of_data_sets() -> None:
    assert look_up_metric("MS COCO").unit == "share"


@pytest.mark.parametrize(
    ("name", "other", "role"),
    [
        ("target acc", "source acc", "output"),
        ("flops.macs_str", "flops.macs", "left_out"),
        ("Duke rank1", "Market1501 mAP", "output"),
    ],
)
def test_a_name_beside_its_like_has_the_role(name, other, role) -> None:
    meaning = look_up_beside(name, [name, other])
    assert meaning is not None
    assert meaning.role == role


@pytest.mark.parametrize("name", ["time_string", "target_error", "f1_formatted"])
def test_a_name_alone_has_no_like(name) -> None:
    assert look_up_beside(name, [name, "runtime"]) is None
