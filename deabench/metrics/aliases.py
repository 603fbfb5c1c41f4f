"""What users of other tools call the metrics."""

ALIASES = {
    "recall": "TPR",
    "sensitivity": "TPR",
    "hit_rate": "TPR",
    "tpr": "TPR",
    "specificity": "TNR",
    "selectivity": "TNR",
    "tnr": "TNR",
    "fpr": "FPR",
    "fall_out": "FPR",
    "fnr": "FNR",
    "miss_rate": "FNR",
    "precision": "PPV",
    "ppv": "PPV",
    "npv": "NPV",
    "fdr": "FDR",
    "f1": "F1",
    "f1_score": "F1",
    "f_score": "F1",
    "acc": "accuracy",
    "error_rate": "misclassification_rate",
    "mcc": "MCC",
    "cohen_kappa": "kappa",
    "youden": "Youden",
    "informedness": "Youden",
    "auroc": "roc_auc",
    "roc_auc_score": "roc_auc",
    "average_precision": "pr_auc",
    "auprc": "pr_auc",
    "ks": "KS",
    "brier_score": "brier",
    "logloss": "log_loss",
}
"""What users of other tools write; the column keeps their word."""

HINTS = {
    "auc": "write 'roc_auc' for the area under the curve of scores, 'balanced_accuracy' for that of one threshold"
}
"""What could be two things."""
