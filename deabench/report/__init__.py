"""Reports: one self-contained page about a table, a ranking or a study, also as Markdown and LaTeX.

>>> import deabench as db
>>> page = db.report(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"])
>>> page.answer[0]
'Take MLP: no other is better in any metric.'
>>> page.save("report.html")  # doctest: +SKIP
"""

from __future__ import annotations

from deabench.report.document import Picture, Report, ReportTable, Section, Subsection

__all__ = ["Picture", "Report", "ReportTable", "Section", "Subsection"]
