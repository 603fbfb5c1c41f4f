"""Data sets of packages are known by the names of all their columns."""

from __future__ import annotations

import deabench as db
from deabench.tables.naming.data_sets import find_data_set, read_data_sets

FARMS = {
    "vCap": [219183, 130572, 81301],
    "vLab": [323991, 187956, 134147],
    "vMat": [303155, 262017, 90592],
    "qApples": [1.39, 0.86, 3.32],
    "qOtherOut": [0.98, 1.07, 0.4],
    "qOut": [1374064, 1122979, 2158518],
    "pCap": [2.6, 3.3, 2.2],
    "pLab": [0.9, 0.8, 0.9],
    "pMat": [8.9, 6.4, 3.7],
    "pOut": [0.7, 1.1, 0.9],
    "adv": [0, 0, 1],
}


def write_farms(tmp_path, left_out=()):
    names = [name for name in FARMS if name not in left_out]
    lines = [",".join(["farm", *names])]
    lines += [",".join([f"farm{k}", *(str(FARMS[n][k]) for n in names)]) for k in range(3)]
    path = tmp_path / "farms.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_data_set_gives_roles(tmp_path):
    table = db.read(write_farms(tmp_path))
    assert table.outputs == ["qApples", "qOtherOut"]
    assert table.costs == ["vCap", "vLab", "vMat"]
    reasons = {column.name: column.reason for column in table.columns}
    assert reasons["vCap"] == "as in the data set 'appleProdFr86' (R package micEcon)"


def test_part_of_data_set_is_another_table(tmp_path):
    table = db.read(write_farms(tmp_path, ("adv",)))
    assert "qApples" not in table.outputs


def test_user_overrules_data_set(tmp_path):
    table = db.read(write_farms(tmp_path), label="farm", roles={"qOut": "output"})
    assert "qOut" in table.outputs


def test_data_sets_are_told_apart():
    for data_set in read_data_sets():
        assert find_data_set(list(data_set.roles)) == data_set
        assert len(data_set.roles) >= 3
        assert {"output"} <= set(data_set.roles.values())


def test_data_set_names_its_producers(tmp_path):
    path = tmp_path / "farms.csv"
    path.write_text("farmNo,milk,energy,vet,cows\n1,90,5,3,12\n2,60,7,4,8\n3,70,6,9,10\n")
    table = db.read(path)
    assert table.label == ("farmNo",)
    assert (table.outputs, table.costs) == (["milk"], ["energy", "vet", "cows"])
