"""Stand-ins and small problems that the tests of the report share."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd

from reldim import datasets, kernels
from reldim.diagnosis.forecast import LearningCurve
from reldim.report.page import forecast_rows

HOSTILE = "<script>alert(1)</script>"


def falling_forecast(n, *, floor=0.1, excess=0.1):
    """A forecast that falls towards a floor, by a law of power 2/3."""
    law = map(np.atleast_1d, (floor, excess, 2 / 3, 1.0))
    return LearningCurve(n, "classification", 0.5, *law).forecast(forecast_rows(n))


def issue_frame(total, flagged, *, given="a", predicted="b", judged=True):
    """A frame of label issues in which later flagged rows are worse."""
    quality = np.linspace(0.9, 0.1, total)
    return pd.DataFrame(
        {
            "is_label_issue": np.isin(np.arange(total), flagged),
            "label_quality": quality,
            "given_label": [given] * total,
            "predicted_label": [predicted] * total,
            "can_judge": np.full(total, judged),
        }
    )


def hostile_table(n=90):
    """A table whose names, labels and cells try to leave the place where they stand."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    frame = pd.DataFrame({HOSTILE: x, '"><img src=x onerror=alert(2)>': rng.normal(size=n)})
    frame["town"] = rng.choice(["Ulm & co", "</script><b>bold", "\u2028\u202e"], n)
    # Some labels are wrong on purpose, so that rows are listed.
    labels = np.where((x > 0) ^ (np.arange(n) % 15 == 0), HOSTILE, "</td></table><i>b&\"'")
    return frame, labels


def two_moons(n=80):
    data = datasets.bananas(n, random_state=0)
    return data.X, np.where(data.y > 0, "upper", "lower")


def sinc(n=80):
    return datasets.noisy_sinc(n, noise=0.3, random_state=1)


GAUSSIAN = kernels.Gaussian(1.0)


class Elements(HTMLParser):
    """The elements of a page and the text in them."""

    def __init__(self, page):
        super().__init__()
        self.found, self.texts, self._open = [], {}, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self._open.append(tag)

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)

    def tags(self, name):
        return [attributes for tag, attributes in self.found if tag == name]


def payload_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])
