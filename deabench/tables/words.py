"""The words that the field writes for metrics, costs and settings: data for
`deabench.tables.vocabulary`, nothing else.

Every pattern is matched against a name's words, which are enclosed by "_".
"""

from __future__ import annotations

from math import inf
from typing import Literal

Line = tuple[
    str,
    Literal["output", "lower_rate", "cost", "label", "dataset", "left_out", "conditional"],
    str,
    float,
    float,
    str,
]


def _any(text: str) -> str:
    """Words separated by blanks as one pattern."""
    return "_(" + "|".join(sorted(text.split(), key=len, reverse=True)) + ")(?=_)"


ALWAYS = _any(
    "std stdev stddev sd stderr std_err std_error standard_error standard_deviation sem se split\\d+ fold\\d+ rank "
    "ranks ci"
)

NEVER: tuple[tuple[str, str], ...] = (
    (
        _any(
            "std stdev stddev sd stderr std_err std_error standard_error standard_errors standard_deviation sem se iqr pm"
        ),
        "it is the spread of another column",
    ),
    (
        r"(?<!explained)(?<=\w)_(var|variance)_(?!explained)|^_(var|variance)_\w",
        "it is the spread of another column",
    ),
    (r"^_(delta|diff|change|difference)_(?!parity|odds)", "it is a difference from another value"),
    (
        _any("z_score zscore t_score t_stat t_statistic f_stat f_statistic chi2 statistic"),
        "it is the statistic of a test",
    ),
    (
        _any("split_?\\d+ fold_?\\d+ run_?\\d+ seed_?\\d+ rep_?\\d+ repeat_?\\d+"),
        "it is one fold or run of a mean",
    ),
    (
        r"(?<!reciprocal)_(rank|ranks|ranking|position|placement)_(?!corr|ic_|biserial)",
        "it is a rank among the others",
    ),
    (
        _any(
            "lower upper lo hi ci ci\\d+ conf_int q\\d+ quantile p_?values? pval lcl ucl lwr upr ci_low ci_high"
        ),
        "it is the end of an interval, or a test's p",
    ),
    (
        r"^_(param_(?!count|number)|params_(?!m_|b_|k_|million|billion|count)|hp_|hparams?_|config_|user_attrs_|system_attrs_|tags_)[a-z0-9]",
        "it is a setting",
    ),
    (r"(?<=[a-z0-9])_if_(?!eval)\w", "it is what another would be under a condition"),
    (r"^_(n|num|number|nr|count)(_of)?_(?!(\w+_)?(params?|parameters?|weights)_)", "it is a count"),
    (r"(?<!param)(?<!params)(?<!parameter)_counts?_$", "it is a count"),
    (r"^_(benchmark|experiment)_duration_$|_max_runtime_(secs|mins)_", "it is a setting"),
)
"""What is no metric wherever it stands in a name, with the reason."""

SPENT = _any(
    "time duration latency runtime elapsed wall energy power price cost costs emissions? co2 co2e co2eq carbon kwh usd "
    "joules? watts? memory mem ram vram disk water fit train predict inference"
)
LIMIT = _any(
    "limit timeout budget max min constraint start end length context window deadline cutoff"
)
"""Words that make a stated unit one of a setting."""
THROUGHPUT = r"_per_(s|secs?|seconds?|min|minutes?|hours?|h|days?)_|" + _any(
    "throughput fps qps rps tps ips speedup speed_up rtfx samples_s images_s imgs_s tokens_s tok_s it_s "
    "tokens_sec"
)
SPENT_PER_TIME = (
    _any("usd eur gbp price cost kwh kg co2 co2e co2eq energy emissions? errors? failures? watts?")
    + r"\w*_per_"
)

_TIME = r"""
    time times duration durations latency latencies runtime run_time walltime wall_time wall_clock elapsed seconds secs sec
    milliseconds millis ms msec minutes mins hours hrs ttft tpot itl delay overhead speed_ms speed_s rtf real_time_factor
    time_to_first_token time_to_\w+
"""
_SPENT = r"""
    price prices pricing cost costs usd eur gbp dollars cents spend spent fee fees expense expenses energy kwh wh joules
    power watts emissions? emission_rate emissions_rate co2 co2e co2eq carbon footprint water water_consumed memory mem ram
    vram rss storage disk peak_memory memory_usage gpu_hours tokens_used
    (avg|mean|average|output|completion|generated|total)_tokens
"""
_SIZE = r"""
    params param parameters param_count params_count n_params num_params number_params number_parameters model_size
    file_size checkpoint_size size_mb size_gb size_kb size_m size_b weights_size flops gflops mflops tflops pflops macs
    gmacs mmacs macts gmac mult_adds multadds madds activations complexity model_complexity
"""
_ERROR_RATES = r"""
    error err error_rate err_rate errorrate misclassification misclassification_rate test_error top\d+_err top\d+_error fpr
    fpr\d+ fnr far frr fdr fmr fnmr hter apcer bpcer acer eer false_positive_rate false_negative_rate false_discovery_rate
    false_omission_rate false_alarm false_alarm_rate false_alarms miss_rate missrate fallout fall_out type_i_error
    type_ii_error zero_one_loss hamming_loss hamming brier brier_score ece calibration_error expected_calibration_error
    max_calibration_error mce ace_error toxicity hallucination hallucinations hallucination_rate hallucinated failure_rate
    fail_rate crash_rate invalid_rate reject_rate rejection_rate refusal_rate attack_success_rate jailbreak_rate aurc bias
    variance demographic_parity_difference dp_difference equalized_odds_difference eo_difference wer cer mer der sser ser
    word_error_rate character_error_rate ter misses mistakes wrong incorrect inaccuracy misclassified miss_classification
    miss_classified mis_classification mis_classified
"""
_LOSSES = r"""
    loss losses logloss log_loss xent cross_entropy crossentropy nll negative_log_likelihood perplexity ppl bpb bpc
    bits_per_byte bits_per_char rmse mse mae mape smape wmape wape rmsle msle rae rse rrse mase crps pinball deviance nrmse
    rms rmsd medae max_error mean_error mean_squared_error mean_absolute_error squared_error absolute_error
    root_mean_squared_error percentage_error residual residuals min_dcf mindcf dcf regret disparity unfairness gap violation
    violations drop degradation forgetting fid kid lpips fad fvd niqe brisque distortion hausdorff hd95 hd asd assd chamfer
    epe ade fde mpjpe absrel abs_rel sq_rel nme edit_distance levenshtein distance divergence kl kl_div mmd wasserstein emd
    drawdown max_drawdown volatility penalty impurity aic bic risk overfit overfitting churn instability inconsistency
    difference mr mean_rank_error uncertainty entropy
"""
_QUALITY_RATES = r"""
    acc accs accuracy accuracies bacc balacc bal_acc balanced_accuracy balanced_acc top\d+ top\d+_acc top\d+_accuracy
    precision recall prec rec f1 f2 f0_5 f1_score f_score fscore f_measure fmeasure f_beta fbeta f1score f1_macro f1_micro
    auc aucroc auroc roc_auc rocauc auc_roc aucpr auprc pr_auc prauc auc_pr aupr ap ap\d+ map map\d+ average_precision
    sensitivity specificity sens spec tpr tnr ppv npv tar true_positive_rate true_negative_rate positive_predictive_value
    negative_predictive_value detection_rate hit_rate hits hits\d+ hit ndcg mrr reciprocal_rank mean_reciprocal_rank iou
    miou dice jaccard dsc pq em exact_match win_rate winrate lc_winrate wins win passed success success_rate solve_rate solved
    resolved resolution_rate completion_rate agreement correct correctness percent_correct gm gmean g_mean geometric_mean pass1
    pass_1 coverage_rate purity nmi homogeneity completeness v_measure vmeasure fidelity validity uniqueness novelty
    pass_rate passing_rate
    faithfulness groundedness relevance relevancy helpfulness harmlessness coherence fluency consistency p_at_\d+ r_at_\d+
    accuracy_score recall_score precision_score auc_score robust_accuracy clean_accuracy
"""
_QUALITY = r"""
    mcc matthews matthews_corrcoef matthews_corr kappa cohen_kappa cohens_kappa youden informedness markedness lift gini ks
    spearman spearmanr pearson pearsonr kendall tau corr correlation corrcoef ccc r2 r2_score r_squared rsquared r_sq
    explained_variance explained_variance_score evs bleu bleu\d* sacrebleu rouge rouge\w* meteor chrf chrf\w* bertscore
    comet cider spice elo arena rating psnr ssim ms_ssim vmaf inception_score likelihood log_likelihood loglik elbo profit
    revenue sharpe reward rewards return returns cumulative_reward ari adjusted_rand adjusted_mutual_info silhouette
    silhouette_score calinski_harabasz similarity mos efficiency utility usefulness speed overall_score balance
    pcc scc plcc srcc krcc lccc (quality|intelligence|coding|math|agentic)_index robustness accuracy_gain gain
"""
_TASKS = r"""
    arc arc_\w+ hellaswag hella_swag mmlu mmlu_\w+ cmmlu truthfulqa truthful_qa winogrande gsm8k gsm_8k humaneval human_eval
    bbh gpqa gpqa_\w+ math math_lvl_5 math500 math_500 ifeval if_eval musr boolq piqa siqa openbookqa obqa drop_f1 triviaqa
    nq squad squadv2 mbpp aime aime\d* ceval c_eval agieval cola sst2 sst_2 sst mrpc qqp stsb sts_b sts\d* mnli mnli_m
    mnli_mm qnli rte wnli copa multirc record wic wsc sciq logiqa race coqa mgsm xnli csqa commonsenseqa livecodebench
    bigbench mt_bench mtbench alpacaeval alpaca_eval arena_hard simpleqa hle \w+bench classification\w* clustering\w*
    reranking\w* retrieval\w* summarization\w* \w+classification \w+clustering \w+retrieval \w+reranking
    pairclassification\w* arguana argu_ana \w*sts\w*benchmark scifact nfcorpus fiqa2018 trec_covid treccovid
"""
_SETTING = r"""
    id ids uid uuid guid idx unnamed unnamed_\d+ row row_number level_\d+ seed seeds random_state random_seed fold folds
    split repeat repeats rep replicate iter iters iteration iterations epoch epochs step steps trial trials number run runs
    version revision sha hash commit date datetime timestamp utc created created_at updated updated_at start_time end_time
    datetime_start datetime_complete submitted start_date end_date time_start time_end year month day week cutoff
    knowledge_cutoff release_date submission_date last_submission_date submission_count entries submissions likes downloads
    stars votes hub url urls link links href paper license licence organization organisation org author authors notes note
    info comment comments description status state tag tags mode type types kind family arch architecture category group
    dtype weight_type device hardware gpu gpus gpu_count gpu_model cpu cpus cpu_count cpu_model cores threads workers n_jobs
    os time_limit time_limits timeout time_budget budget limit max_time constraint memory_limit mem_limit ram_total_size
    cpu_ram_mb cpu_ram utilization utilization_percent gpu_utilization batch batch_size bs img_size image_size input_size
    resolution crop_pct crop interpolation lr learning_rate weight_decay momentum dropout gamma lambda hidden_size
    hidden_dim layers num_layers depth max_depth width heads dim dims dimensions embedding_dim embedding_dimensions
    embedding_size max_tokens max_seq_len sequence_length seq_len context context_length context_window context_size
    vocab_size temperature top_p top_k contamination shots shot n_shot num_fewshot few_shot threshold thresholds prevalence
    imbalance_ratio base_rate queue_rate positive_rate support samples instances rows features classes count counts n cases
    longitude latitude country country_name country_iso_code region cloud_provider cloud_region on_cloud tracking_mode pue
    wue errors failures failed failure missing nan nans available models prefer prefer_\w+ hyperparameters hyperparameter
    n_estimators null_accuracy null_error_rate chance baseline size train_size test_size dataset_size data_size sample_size
    parsed evaluated rank_avg owner username member_user_names team_id submission_id experiment_id run_id project_id bits
    pop_size population population_size generations mutation mutation_rate crossover crossover_rate elitism colony_size
    swarm_size particles inertia weight class_weight merged flagged moe official private public_url eval_date fullname
"""
_LABEL = r"""
    model models_name model_name modelname classifier classifier_name algorithm algorithm_name algo alg alg_name method
    method_name approach system system_name framework learner estimator detector technique solver team team_name teamname
    submission participant name run_name pipeline recognizer tool agent encoder embedding_model network net candidate
    configuration config variant regressor
"""
_DATASET = r"""
    dataset datasets dataset_name data_set data_set_name data data_name task task_name tasks problem benchmark
    benchmark_name subset corpus domain scenario openml_id openml_task language lang instance_set
"""

RULES: tuple[Line, ...] = (
    (_any(_LABEL), "label", "", -inf, inf, "it names the systems"),
    (_any(_DATASET), "dataset", "", -inf, inf, "it names the data sets"),
    (
        _any(_SETTING),
        "left_out",
        "",
        -inf,
        inf,
        "it is an identifier, a setting, a count or a description",
    ),
    (_any(_TIME), "cost", "", 0.0, inf, "a time: lower is better"),
    (r"(?<=\w)_s_$", "cost", "seconds", 0.0, inf, "a time in seconds: lower is better"),
    (_any(_SPENT), "cost", "", 0.0, inf, "what is spent: lower is better"),
    (_any(_SIZE), "cost", "count", 0.0, inf, "the size of the model: lower is better"),
    (_any(_ERROR_RATES), "lower_rate", "share", 0.0, 1.0, "an error rate: lower is better"),
    (_any(_LOSSES), "lower_rate", "", -inf, inf, "a loss: lower is better"),
    (_any(_QUALITY_RATES), "output", "share", 0.0, 1.0, "higher is better"),
    (_any(_QUALITY), "output", "", -inf, inf, "higher is better"),
    (_any(_TASKS), "output", "share", 0.0, 1.0, "a benchmark's score: higher is better"),
)
"""Pattern, role, unit, lowest and highest value, reason; the rule whose word ends last in a name
wins, of several the longest.
"""

WEAK: tuple[Line, ...] = (
    (
        _any("imagenet\\w* image_net\\w* cifar\\w* lambada svhn mnist\\w*"),
        "output",
        "share",
        0.0,
        1.0,
        "a data set's score: higher is better",
    ),
    (
        _any("average avg mean overall"),
        "output",
        "share",
        0.0,
        1.0,
        "a mean of scores: higher is better",
    ),
    (_any("score scores points quality"), "output", "", -inf, inf, "a score: higher is better"),
    (
        _any(
            "result results value values objective objectives fitness performance performance_result outcome measure metric_value "
            "final_value best_value target delta diff change"
        ),
        "conditional",
        "",
        -inf,
        inf,
        "its name does not say which way is better",
    ),
)
"""Words that tell something only where no other word of a name does: an error score is an error."""
