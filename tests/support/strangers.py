"""Small tables as strangers write them, made up for these tests, with what an expert takes each
column for.

Codes: O output (higher is better), L lower-is-better measure of quality, C cost, X no metric, ? may
be anything but an output."""

from __future__ import annotations

TABLES: dict[str, tuple[str, str, dict[str, str]]] = {
    "asr": (
        """model,Average WER ↓,RTFx ↑,LS Clean,LS Other,AMI,License,Params (B)
nvidia/canary,6.5,235.3,1.48,2.93,13.9,cc-by,1.0
openai/whisper-large-v3,7.44,145.5,2.01,3.91,15.95,apache,1.55
facebook/wav2vec2,21.3,1000.2,3.4,7.1,30.2,mit,0.3
""",
        "model",
        {
            "Average WER ↓": "L",
            "RTFx ↑": "O",
            "LS Clean": "L",
            "LS Other": "L",
            "AMI": "L",
            "License": "X",
            "Params (B)": "C",
        },
    ),
    "mteb": (
        """Rank,Model,Model Size (Million Parameters),Memory Usage (GB; fp32),Embedding Dimensions,Max Tokens,Average (56 datasets),\
Classification Average (12 datasets),Clustering Average (11 datasets),Reranking Average (4 datasets),Retrieval Average (15 datasets)
1,NV-Embed-v2,7851,29.25,4096,32768,72.31,90.37,58.46,60.65,62.65
2,bge-en-icl,7111,26.49,4096,32768,71.67,88.95,57.89,59.86,62.16
3,stella,1543,5.75,8192,131072,71.19,87.63,57.69,61.21,61.01
4,e5,335,1.25,1024,512,64.25,77.8,46.1,59.0,54.9
""",
        "Model",
        {
            "Rank": "X",
            "Model Size (Million Parameters)": "C",
            "Memory Usage (GB; fp32)": "C",
            "Embedding Dimensions": "X",
            "Max Tokens": "X",
            "Average (56 datasets)": "O",
            "Classification Average (12 datasets)": "O",
            "Clustering Average (11 datasets)": "O",
            "Reranking Average (4 datasets)": "O",
            "Retrieval Average (15 datasets)": "O",
        },
    ),
    "kaggle_rmse": (
        """Rank,TeamId,TeamName,LastSubmissionDate,Score,SubmissionCount
1,11,alpha,2023-01-02 03:04:05,0.1123,14
2,57,beta,2023-01-03 03:04:05,0.1131,8
3,23,gamma,2023-01-04 03:04:05,0.1155,120
4,81,delta,2023-01-05 03:04:05,0.1199,3
""",
        "TeamName",
        {
            "Rank": "X",
            "TeamId": "X",
            "LastSubmissionDate": "X",
            "Score": "L",
            "SubmissionCount": "X",
        },
    ),
    "sweep": (
        """trial_id,lr,batch_size,dropout,epochs,val_acc,val_loss,train_loss,train_acc,runtime_s,best_epoch,gpu_mem_gb
t1,0.1,32,0.1,10,0.91,0.31,0.2,0.95,120,8,3.1
t2,0.01,64,0.2,20,0.93,0.25,0.15,0.97,240,17,5.2
t3,0.001,128,0.3,30,0.89,0.40,0.35,0.9,300,29,9.9
""",
        "trial_id",
        {
            "lr": "X",
            "batch_size": "X",
            "dropout": "X",
            "epochs": "X",
            "val_acc": "O",
            "val_loss": "L",
            "train_loss": "X",
            "train_acc": "X",
            "runtime_s": "C",
            "best_epoch": "X",
            "gpu_mem_gb": "C",
        },
    ),
    "prices": (
        """Provider,Model,Context Window,Quality Index,Input Price ($/1M tokens),Output Price ($/1M tokens),Median Tokens/s,\
First Chunk (s),Total Response (s)
OpenAI,GPT-4o,128k,77,2.5,10,91.3,0.46,6.1
Anthropic,Claude,200k,80,3,15,55.1,1.1,10.2
Groq,Llama,8k,66,$0.59,$0.79,250.9,0.3,2.3
""",
        "Model",
        {
            "Provider": "X",
            "Context Window": "X",
            "Quality Index": "O",
            "Input Price ($/1M tokens)": "C",
            "Output Price ($/1M tokens)": "C",
            "Median Tokens/s": "O",
            "First Chunk (s)": "C",
            "Total Response (s)": "C",
        },
    ),
    "codecarbon": (
        """timestamp,project_name,run_id,experiment_id,duration,emissions,emissions_rate,cpu_power,gpu_power,ram_power,\
cpu_energy,gpu_energy,ram_energy,energy_consumed,country_name,cpu_count,gpu_count,longitude,latitude,ram_total_size,tracking_mode,pue,accuracy
2024-01-01T00:00:00,bert,a1,x,120.5,0.012,0.0001,42.5,150,11,0.001,0.005,0.0004,0.0064,France,8,1,2.35,48.85,31.2,machine,1,0.91
2024-01-01T01:00:00,distil,a2,x,60.5,0.006,0.0001,42.5,140,11,0.0005,0.0025,0.0002,0.0032,France,8,1,2.35,48.85,31.2,machine,1,0.89
2024-01-01T02:00:00,tfidf,a3,x,2.5,0.0002,0.00008,42.5,0,11,0.00002,0,0.00001,0.00003,France,8,1,2.35,48.85,31.2,machine,1,0.85
""",
        "project_name",
        {
            "timestamp": "X",
            "run_id": "X",
            "duration": "C",
            "emissions": "C",
            "emissions_rate": "C",
            "cpu_power": "C",
            "cpu_energy": "C",
            "energy_consumed": "C",
            "cpu_count": "X",
            "gpu_count": "X",
            "longitude": "X",
            "latitude": "X",
            "ram_total_size": "X",
            "pue": "X",
            "accuracy": "O",
        },
    ),
    "detection": (
        """Method;Backbone;Epochs;box AP;AP50;AP75;mask AP;FPS;FLOPs (G);#Params (M)
Faster R-CNN;R50;36;40,2;61,0;43,8;;26,0;180;41,5
Mask R-CNN;R50;36;41,0;61,7;44,9;37,1;21,4;260;44,4
DETR;R50;500;42,0;62,4;44,2;;28,0;86;41,3
""",
        "Method",
        {
            "Backbone": "X",
            "Epochs": "X",
            "box AP": "O",
            "AP50": "O",
            "AP75": "O",
            "mask AP": "O",
            "FPS": "O",
            "FLOPs (G)": "C",
            "#Params (M)": "C",
        },
    ),
    "fairness": (
        """classifier\taccuracy\tdemographic_parity_difference\tequalized_odds_difference\tFPR_gap\tn_train\tn_test
LR\t0.85\t0.18\t0.12\t0.08\t30000\t15000
LR+reweigh\t0.83\t0.05\t0.06\t0.03\t30000\t15000
RF\t0.86\t0.2\t0.14\t0.11\t30000\t15000
""",
        "classifier",
        {
            "accuracy": "O",
            "demographic_parity_difference": "L",
            "equalized_odds_difference": "L",
            "FPR_gap": "L",
            "n_train": "X",
            "n_test": "X",
        },
    ),
    "medical": (
        """Reader,Sensitivity (%),Specificity (%),AUC [95% CI],PPV,NPV,Cases,p-value
AI,91%,88%,0.95 (0.93-0.97),0.6,0.98,500,0.01
Radiologist A,85%,93%,0.91 (0.88-0.94),0.7,0.97,500,0.2
Radiologist B,88%,90%,0.92 (0.9-0.95),0.65,0.97,500,0.3
""",
        "Reader",
        {
            "Sensitivity (%)": "O",
            "Specificity (%)": "O",
            "AUC [95% CI]": "O",
            "PPV": "O",
            "NPV": "O",
            "Cases": "X",
            "p-value": "X",
        },
    ),
    "forecasting": (
        """model,sMAPE,MASE,OWA,Runtime (min),Coverage error
Theta,12.3,1.7,0.87,2.1,0.02
ES-RNN,11.4,1.5,0.82,8000,0.01
Naive2,13.6,1.9,1.0,0.1,0.04
""",
        "model",
        {"sMAPE": "L", "MASE": "L", "OWA": "?", "Runtime (min)": "C", "Coverage error": "L"},
    ),
    "recommender": (
        """algo,Recall@20,NDCG@20,MRR,HitRate@10,ItemCoverage,train_seconds,predict_ms_per_user,seed
ItemKNN,0.21,0.18,0.3,0.4,0.5,12,0.1,42
BPR,0.19,0.16,0.28,0.36,0.3,340,0.05,42
SASRec,0.25,0.2,0.33,0.45,0.6,5000,2.2,42
""",
        "algo",
        {
            "Recall@20": "O",
            "NDCG@20": "O",
            "MRR": "O",
            "HitRate@10": "O",
            "ItemCoverage": "?",
            "train_seconds": "C",
            "predict_ms_per_user": "C",
            "seed": "X",
        },
    ),
    "automl": (
        """id,task,framework,constraint,fold,type,result,metric,mode,version,params,app_version,utc,duration,training_duration,\
predict_duration,models_count,seed,info,acc,auc,balacc,logloss
openml.org/t/1,adult,flaml,1h8c,0,binary,0.92,auc,aws,1.0,,dev,2021-01-01T00:00:00,3601,3590,2.1,10,1,,0.87,0.92,0.8,0.28
openml.org/t/1,adult,rf,1h8c,0,binary,0.91,auc,aws,1.0,,dev,2021-01-01T00:00:00,61,59,1.1,1,1,,0.86,0.91,0.79,0.3
openml.org/t/2,car,flaml,1h8c,0,multiclass,-0.01,neg_logloss,aws,1.0,,dev,2021-01-01T00:00:00,3602,3580,2.0,12,1,,0.99,,0.98,0.01
openml.org/t/2,car,rf,1h8c,0,multiclass,-0.05,neg_logloss,aws,1.0,,dev,2021-01-01T00:00:00,60,58,0.9,1,1,,0.98,,0.97,0.05
""",
        "framework",
        {
            "constraint": "X",
            "fold": "X",
            "type": "X",
            "result": "X",
            "duration": "C",
            "training_duration": "C",
            "predict_duration": "C",
            "models_count": "X",
            "seed": "X",
            "acc": "O",
            "auc": "O",
            "balacc": "O",
            "logloss": "L",
        },
    ),
    "wandb": (
        """Name,State,Created,Runtime,Sweep,optimizer,config.lr,eval/f1,eval/precision,eval/recall,eval/loss,eval/runtime,\
eval/samples_per_second,train/epoch,train/global_step
run-1,finished,2024-05-01T00:00:00.000Z,1234,s1,adam,0.001,0.81,0.8,0.82,0.5,12.5,800.1,3,3000
run-2,finished,2024-05-01T01:00:00.000Z,2234,s1,sgd,0.01,0.78,0.79,0.77,0.6,12.1,810.1,3,3000
run-3,crashed,2024-05-01T02:00:00.000Z,34,s1,adam,0.1,,,,,,,1,100
""",
        "Name",
        {
            "Runtime": "C",
            "optimizer": "X",
            "config.lr": "X",
            "eval/f1": "O",
            "eval/precision": "O",
            "eval/recall": "O",
            "eval/loss": "L",
            "eval/runtime": "C",
            "eval/samples_per_second": "O",
            "train/epoch": "X",
            "train/global_step": "X",
        },
    ),
    "mlflow": (
        """run_id,experiment_id,status,start_time,end_time,metrics.accuracy,metrics.roc_auc,metrics.log_loss,metrics.train_time_s,\
params.max_depth,params.model,tags.mlflow.runName
ab12,0,FINISHED,2024-01-01,2024-01-01,0.9,0.95,0.3,12,3,rf,gentle-fox
cd34,0,FINISHED,2024-01-02,2024-01-02,0.92,0.96,0.25,50,6,gb,wild-hare
ef56,0,FINISHED,2024-01-03,2024-01-03,0.85,0.9,0.4,1,2,lr,old-owl
""",
        None,
        {
            "experiment_id": "X",
            "metrics.accuracy": "O",
            "metrics.roc_auc": "O",
            "metrics.log_loss": "L",
            "metrics.train_time_s": "C",
            "params.max_depth": "X",
        },
    ),
    "anomaly": (
        """Detector,AUROC (mean),AUROC (std),AUPR,FPR@95TPR,Fit Time [s],Inference Time [ms/sample],Contamination
IForest,0.81,0.02,0.42,0.35,0.5,0.02,0.1
LOF,0.74,0.03,0.38,0.48,1.5,0.9,0.1
OCSVM,0.77,0.01,0.4,0.41,9.1,0.4,0.1
""",
        "Detector",
        {
            "AUROC (mean)": "O",
            "AUROC (std)": "X",
            "AUPR": "O",
            "FPR@95TPR": "L",
            "Fit Time [s]": "C",
            "Inference Time [ms/sample]": "C",
            "Contamination": "X",
        },
    ),
    "openllm2": (
        """Rank,Type,Model,Average ⬆️,IFEval,BBH,MATH Lvl 5,GPQA,MUSR,MMLU-PRO,CO₂ cost (kg),#Params (B),Hub ❤️,Submission Date
1,chat,a/qwen,47.98,79.96,57.65,44.86,20.69,26.8,56.13,12.98,77.965,44,2024-10-01
2,base,b/llama,41.2,60.1,52.3,30.2,18.1,20.5,47.9,20.1,70.55,310,2024-07-01
3,chat,c/phi,30.1,50.1,40.2,12.5,9.9,11.1,33.3,1.2,3.8,88,2024-06-01
""",
        "Model",
        {
            "Rank": "X",
            "Type": "X",
            "Average ⬆️": "O",
            "IFEval": "O",
            "BBH": "O",
            "MATH Lvl 5": "O",
            "GPQA": "O",
            "MUSR": "O",
            "MMLU-PRO": "O",
            "CO₂ cost (kg)": "C",
            "#Params (B)": "C",
            "Hub ❤️": "X",
            "Submission Date": "X",
        },
    ),
    "long_metrics": (
        """dataset,classifier,fold,metric,value
iris,knn,0,accuracy,0.95
iris,knn,0,fit_time,0.01
iris,svm,0,accuracy,0.97
iris,svm,0,fit_time,0.05
wine,knn,0,accuracy,0.7
wine,knn,0,fit_time,0.01
wine,svm,0,accuracy,0.9
wine,svm,0,fit_time,0.07
""",
        "classifier",
        {"accuracy": "O", "fit_time": "C"},
    ),
    "segmentation": (
        """network,Dice ↑,HD95 (mm) ↓,IoU,ASSD,GPU memory (MB),Training time (h),# of cases
nnU-Net,0.91,3.2,0.84,0.8,11000,48,300
UNETR,0.89,4.5,0.81,1.1,16000,60,300
SegNet,0.84,8.1,0.73,2.0,6000,20,300
""",
        "network",
        {
            "Dice ↑": "O",
            "HD95 (mm) ↓": "L",
            "IoU": "O",
            "ASSD": "L",
            "GPU memory (MB)": "C",
            "Training time (h)": "C",
            "# of cases": "X",
        },
    ),
    "reinforcement": (
        """agent,mean_reward,std_reward,median_human_normalized_score,env_steps,wall_time_hours,n_seeds
DQN,1200.5,100.2,0.79,2e8,120,5
PPO,1500.1,150.0,1.1,1e7,10,5
Rainbow,2300.2,90.1,2.2,2e8,200,5
""",
        "agent",
        {
            "mean_reward": "O",
            "std_reward": "X",
            "median_human_normalized_score": "O",
            "env_steps": "X",
            "wall_time_hours": "C",
            "n_seeds": "X",
        },
    ),
    "imbalanced": (
        """,Unnamed: 0,G-mean,MCC,F1-score,Type I error,Type II error,Prevalence,Imbalance ratio,Brier score,ECE (%),TP,FP
SMOTE+RF,0,0.81,0.55,0.6,0.1,0.25,0.1,9,0.08,3.1,75,90
RF,1,0.62,0.52,0.52,0.01,0.6,0.1,9,0.07,1.2,40,9
NB,2,0.7,0.35,0.41,0.3,0.2,0.1,9,0.2,15.4,80,270
""",
        None,
        {
            "G-mean": "O",
            "MCC": "O",
            "F1-score": "O",
            "Type I error": "L",
            "Type II error": "L",
            "Prevalence": "X",
            "Imbalance ratio": "X",
            "Brier score": "L",
            "ECE (%)": "L",
            "TP": "?",
            "FP": "?",
        },
    ),
}
"""Name to (text of the file, label or None where several are right, judged columns)."""
