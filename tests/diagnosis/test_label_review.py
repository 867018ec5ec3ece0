"""The review of labels: what it shows and in which order."""

import pandas as pd

from reldim import LabelReview

ISSUES = pd.DataFrame(
    {
        "is_label_issue": [False, True, False, True],
        "label_quality": [0.9, 0.2, 0.8, 0.1],
        "given_label": ["cat", "<b>dog</b>", "cat", "cow"],
        "predicted_label": ["cat", "cat", "cat", "dog"],
        "can_judge": [True, True, False, True],
    }
)


def test_the_most_suspicious_come_first():
    review = LabelReview(ISSUES)
    assert review.flagged.index.tolist() == [3, 1]
    assert review.conclusion == "2 of 4 targets look wrong. 1 cannot be judged."
    assert str(review).splitlines()[-1].split() == ["1", "<b>dog</b>", "cat", "0.2"]


def test_html_escapes_what_it_shows():
    page = LabelReview(ISSUES)._repr_html_()
    assert "&lt;b&gt;dog&lt;/b&gt;" in page
    assert page.index("cow") < page.index("dog&lt;")
    assert "<script" not in page


def test_nothing_and_much():
    none = LabelReview(ISSUES.assign(is_label_issue=False, can_judge=True))
    assert str(none) == none.conclusion == "None of 4 targets looks wrong."
    assert "<table" not in none._repr_html_()
    much = LabelReview(pd.concat([ISSUES.assign(is_label_issue=True)] * 10, ignore_index=True))
    assert "... and 20 more, see .flagged" in str(much)
    assert "20 more are in .flagged." in much._repr_html_()
