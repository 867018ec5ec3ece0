"""From data to a verdict, and the ways out of it."""

import json
import logging
import pickle
import stat

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from reldim import (
    KernelPCClassifier,
    KernelPCRegressor,
    __version__,
    datasets,
    diagnose,
    kernels,
    load,
)
from reldim.diagnosis.verdicts import CODES
from reldim.exceptions import FileError, GridEdgeWarning, InputError, InputTypeError
from reldim.files import writing

SINC = datasets.noisy_sinc(100, noise=0.1, random_state=0)
WORDS = ["".join(word) for word in np.random.default_rng(0).choice(list("ACGT"), size=(60, 6))]
COUNTS = np.array([word.count("A") + 0.5 * (word[0] == "C") for word in WORDS])
GAUSSIAN = kernels.Gaussian(width=0.3)
FIGURES = ("dimension", "interval", "p_value", "noise_level")


@pytest.fixture(scope="module")
def of_sinc():
    return diagnose(SINC.X, SINC.y)


@pytest.fixture(scope="module")
def of_labels():
    return diagnose(SINC.X, np.where(SINC.y > 0.2, "high", "low"), kernels=GAUSSIAN)


def a_table(n=80, seed=0):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    colour = rng.choice(["red", "green", "blue"], size=n)
    y = 2.0 * size + (colour == "red") + 0.1 * rng.normal(size=n)
    size[:: n // 8] = np.nan
    return pd.DataFrame({"size": size, "colour": colour, "nothing": 1.0}), y


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


class TestVerdicts:
    def test_noise(self):
        data = datasets.noisy_sinc(150, random_state=0)
        found = diagnose(data.X, data.y)
        assert found.verdict.code == "RD003"
        assert 5 <= found.dimension <= 12
        true_noise = np.sum((data.y - data.truth) ** 2) / np.sum((data.y - data.y.mean()) ** 2)
        assert found.noise_level == pytest.approx(true_noise, rel=0.15)
        # The verdict quotes what the forecast says.
        later = found.forecast(10 * found.n).error[0]
        assert f"With ten times as many rows {later:.1%} is to be expected" in str(found.verdict)
        assert found.verdict.figures["forecast_error"] == pytest.approx(later)

    def test_no_mistake_does_not_rule_noise_out(self):
        y = np.arange(60) % 2
        X = np.random.default_rng(0).normal(size=(60, 2)) + 8.0 * (y - 0.5)[:, None]
        found = diagnose(X, y, kernels="linear", references=False)
        assert found.error_estimate < 3 / 60
        low, high = found.noise_estimate.interval
        assert low < 1e-3
        assert 1 / 60 < high < 4 / 60

    def test_complexity(self):
        data = datasets.sine(150, random_state=0)
        found = diagnose(data.X, data.y)
        assert found.verdict.code == "RD004"
        assert found.dimension > 35

    def test_complexity_and_noise(self):
        data = datasets.sine(100, frequency=20.0, noise=0.4, random_state=1)
        assert diagnose(data.X, data.y, references=False).verdict.code == "RD005"

    @pytest.mark.parametrize("seed", [12, 14, 15])
    def test_no_signal(self, seed):
        X = np.random.default_rng(0).normal(size=(100, 2))
        y = np.random.default_rng(seed).normal(size=100)
        found = diagnose(X, y)
        assert found.verdict.code == "RD001"
        assert found.dimension == 0
        assert found.p_value > 0.05
        assert found.noise_level == pytest.approx(1.0)
        np.testing.assert_allclose(found.predictor().predict(X), y.mean())

    def test_solved_regression(self):
        data = datasets.noisy_sinc(100, noise=0.01, random_state=0)
        assert diagnose(data.X, data.y).verdict.code == "RD002"

    def test_solved_classification(self):
        data = load_breast_cancer()
        X = StandardScaler().fit_transform(data.data)
        found = diagnose(X, data.target_names[data.target])
        assert found.verdict.code == "RD002"
        assert found.error_estimate < 0.05
        assert found.classes.tolist() == ["benign", "malignant"]


class TestFigures:
    def test_are_those_of_the_estimate(self, of_sinc):
        for name in FIGURES:
            assert getattr(of_sinc, name) == getattr(of_sinc.relevance, name)
        curve = of_sinc.forecast().curve
        assert of_sinc.error_estimate == float(curve.error(of_sinc.n)) < curve.errors[0]
        assert of_sinc.kernel == of_sinc.relevance.spectrum.gram.kernel
        assert (of_sinc.n, of_sinc.task, of_sinc.classes) == (100, "regression", None)
        assert (of_sinc.criterion, of_sinc.solver) == ("likelihood", "dense")
        assert (of_sinc.findings, of_sinc.preparation, of_sinc.problem.table) == ((), (), None)

    def test_candidates(self, of_sinc):
        table = of_sinc.candidates
        assert table.columns.tolist() == [
            "kernel",
            "dimension",
            "negative_log_likelihood",
            "noise_level",
            "error_estimate",
            "p_value",
            "criterion_value",
            "rank",
            "rows",
            "settled",
            "chosen",
        ]
        assert table["chosen"].sum() == 1
        assert table["settled"].all()
        chosen = table[table["chosen"]].iloc[0]
        assert chosen["kernel"] == repr(of_sinc.kernel)
        assert chosen["dimension"] == of_sinc.dimension
        assert chosen["error_estimate"] == of_sinc.relevance.error_estimate
        others = [row.fixed_error for row in of_sinc.tried]
        assert others[of_sinc.index] != of_sinc.relevance.error_estimate
        np.testing.assert_array_equal(
            table["error_estimate"][~table["chosen"]], np.delete(others, of_sinc.index)
        )
        assert chosen["negative_log_likelihood"] == table["negative_log_likelihood"].min()
        assert (table["criterion_value"] == table["negative_log_likelihood"]).all()

    def test_options_reach_the_choice(self):
        found = diagnose(
            SINC.X,
            np.round(SINC.y),
            kernels={"narrow": kernels.Gaussian(0.1), "wide": kernels.Gaussian(1.0)},
            task="regression",
            criterion="leave-one-out",
        )
        assert (found.task, found.criterion) == ("regression", "leave-one-out")
        assert found.candidates["kernel"].tolist() == ["narrow", "wide"]
        assert found.candidates["criterion_value"].min() == found.relevance.criterion_value

    def test_the_same_data_give_the_same_answer(self, of_sinc):
        again = diagnose(SINC.X, SINC.y, random_state=None)
        assert again.to_dict() == of_sinc.to_dict()

    def test_cores(self):
        one, two = (diagnose(SINC.X, SINC.y, n_jobs=jobs) for jobs in (1, 2))
        assert one.to_dict() == two.to_dict()
        with pytest.raises(InputError, match="n_jobs must not be 0"):
            diagnose(SINC.X, SINC.y, n_jobs=0)

    def test_progress(self):
        calls = []
        found = diagnose(SINC.X, SINC.y, progress=lambda *call: calls.append(call))
        assert [stage for stage, _, _ in calls] == ["prepare"] + ["kernels"] * 20
        assert calls[-1] == ("kernels", 20, 20)

        def stages_of(ask):
            del calls[:]
            ask()
            return [*dict.fromkeys(stage for stage, _, _ in calls)]

        assert stages_of(lambda: found.verdict)[:2] == ["conclude", "references"]
        assert stages_of(lambda: found.verdict) == []
        assert stages_of(lambda: found.label_issues) == ["labels"]
        assert stages_of(found.forecast) == ["forecast"]

    def test_progress_of_learned_weights(self):
        rng = np.random.default_rng(0)
        X, stages = rng.normal(size=(80, 3)), set()
        progress = lambda *call: stages.add(call[0])  # noqa: E731
        found = diagnose(X, X[:, 0], progress=progress)
        assert {"prepare", "kernels"} <= stages
        assert found.droppable is not None
        assert {*found.effects["column"]}
        assert {"conclude", "weights", "columns", "effects"} <= stages

    def test_who_asked_for_progress_is_neither_pickled_nor_saved(self, tmp_path):
        found = diagnose(SINC.X, SINC.y, references=False, progress=lambda *_: None)
        found.save(tmp_path / "it.reldim")
        for back in (load(tmp_path / "it.reldim"), pickle.loads(pickle.dumps(found))):  # noqa: S301
            assert back.progress is None
            assert back.to_dict() == found.to_dict()

    def test_the_log_tells_stages_and_decisions(self, caplog):
        with caplog.at_level(logging.INFO, "reldim"):
            assert diagnose(SINC.X, SINC.y, references=False).verdict.code
        stages = [*dict.fromkeys(record.getMessage() for record in caplog.records)]
        assert stages == ["prepare", "kernels: 20 of 20", "conclude", "references: 5 of 5"]
        caplog.clear()
        with caplog.at_level(logging.DEBUG, "reldim"):
            found = diagnose(SINC.X, SINC.y, references=False)
            verdict = found.verdict
        told = "\n".join(record.getMessage() for record in caplog.records)
        for decision in (
            "task: regression (numbers with fractions)",
            f"kernel: {found.kernel!r}, dimension {found.dimension}, p = ",
            f"verdict: {verdict.headline}",
            "predictor: ",
        ):
            assert decision in told

    def test_pickle(self, of_labels):
        back = pickle.loads(pickle.dumps(of_labels))  # noqa: S301 (made one line above)
        assert back.to_dict() == of_labels.to_dict()
        np.testing.assert_array_equal(
            back.predictor().predict(SINC.X), of_labels.predictor().predict(SINC.X)
        )


class TestPredictor:
    def test_of_a_regression_equals_a_refit(self, of_sinc):
        model = of_sinc.predictor()
        assert isinstance(model, KernelPCRegressor)
        refit = KernelPCRegressor(of_sinc.kernel, dimension=of_sinc.dimension).fit(SINC.X, SINC.y)
        assert model.get_params() == refit.get_params()
        new = np.linspace(-3, 3, 40)[:, None]
        np.testing.assert_allclose(model.predict(new), refit.predict(new), atol=1e-9)
        np.testing.assert_allclose(model.predict(SINC.X), of_sinc.relevance.denoised, atol=1e-9)
        for name in ("n_features_in_", "dimension_", "noise_level_", "error_estimate_", "kernel_"):
            assert getattr(model, name) == getattr(refit, name)

    @pytest.mark.parametrize("threshold", [[0.2], [0.0, 0.5]], ids=["two", "three"])
    def test_of_classes_equals_a_refit(self, threshold):
        y = np.array(["low", "mid", "high"])[np.digitize(SINC.y, threshold)]
        found = diagnose(SINC.X, y)
        model = found.predictor()
        assert isinstance(model, KernelPCClassifier)
        refit = KernelPCClassifier(found.kernel, dimension=found.dimension).fit(SINC.X, y)
        new = np.linspace(-3, 3, 40)[:, None]
        scores = model.decision_function(new)
        np.testing.assert_allclose(scores, refit.decision_function(new), atol=1e-5)
        np.testing.assert_array_equal(model.predict(new), refit.predict(new))
        np.testing.assert_array_equal(model.classes_, refit.classes_)

    def test_of_several_outputs(self):
        Y = np.column_stack([SINC.y, SINC.X[:, 0] ** 2])
        found = diagnose(SINC.X, Y, kernels=GAUSSIAN)
        refit = KernelPCRegressor(GAUSSIAN, dimension=found.dimension).fit(SINC.X, Y)
        predicted = found.predictor().predict(SINC.X)
        np.testing.assert_allclose(predicted, refit.predict(SINC.X), atol=1e-9)

    def test_of_a_column_gives_a_column(self):
        found = diagnose(SINC.X, SINC.y[:, None], kernels=GAUSSIAN)
        assert found.predictor().predict(SINC.X).shape == (100, 1)

    def test_takes_frames_with_the_same_names(self):
        frame = pd.DataFrame({"a": SINC.X[:, 0], "b": SINC.X[:, 0] ** 2})
        found = diagnose(frame, SINC.y, kernels=GAUSSIAN)
        model = found.predictor()
        np.testing.assert_allclose(model.predict(frame), found.relevance.denoised, atol=1e-7)
        assert model.feature_names_in_.tolist() == ["a", "b"]
        np.testing.assert_array_equal(model.predict(frame[["b", "a"]]), model.predict(frame))
        with pytest.raises(InputError, match="a table without b"):
            model.predict(frame[["a"]])

    def test_takes_frames_without_names(self):
        frame = pd.DataFrame(SINC.X)
        model = diagnose(frame, SINC.y, kernels=GAUSSIAN).predictor()
        assert model.predict(frame).shape == (100,)

    def test_takes_sequences(self):
        found = diagnose(WORDS, COUNTS)
        refit = KernelPCRegressor(found.kernel, dimension=found.dimension).fit(WORDS, COUNTS)
        np.testing.assert_array_equal(
            found.predictor().predict(WORDS[:5]), refit.predict(WORDS[:5])
        )

    def test_takes_rows_of_a_precomputed_matrix(self):
        K = GAUSSIAN(SINC.X)
        model = diagnose(K, SINC.y, kernels=kernels.Precomputed()).predictor()
        expected = diagnose(SINC.X, SINC.y, kernels=GAUSSIAN).predictor()
        np.testing.assert_allclose(model.predict(K[:9]), expected.predict(SINC.X[:9]), atol=1e-8)

    def test_takes_what_a_function_takes(self):
        def shared(X, Z):
            return [[1.0 + sum(a == b for a, b in zip(x, z, strict=True)) for z in Z] for x in X]

        found = diagnose(WORDS, COUNTS, kernels=[shared, kernels.WeightedDegree(1) + shared])
        fitted = found.predictor().predict(WORDS)
        np.testing.assert_allclose(fitted, found.relevance.denoised, atol=1e-8)

    def test_takes_sparse_rows(self):
        X = SINC.X * (SINC.X > 0)
        found = diagnose(sparse.csr_array(X), SINC.y, kernels=GAUSSIAN)
        expected = diagnose(X, SINC.y, kernels=GAUSSIAN)
        assert found.dimension == expected.dimension
        np.testing.assert_allclose(
            found.predictor().predict(sparse.csr_array(X[:5])),
            expected.predictor().predict(X[:5]),
            atol=1e-7,
        )


class TestTables:
    def test_are_prepared_and_say_how(self):
        frame, y = a_table()
        found = diagnose(frame, y)
        assert any("colour as categories" in step for step in found.preparation)
        assert any("missing values in size" in step for step in found.preparation)
        assert any("nothing" in step for step in found.preparation)
        assert found.preparation == found.problem.table.steps
        assert all(f"  done                {step}" in str(found) for step in found.preparation)
        assert found.to_dict()["preparation"] == list(found.preparation)

    def test_predictor_takes_such_tables(self):
        frame, y = a_table()
        named = diagnose(frame, y, kernels="gaussian")
        np.testing.assert_allclose(
            named.predictor().predict(frame), named.relevance.denoised, atol=1e-5
        )
        model = diagnose(frame, y).predictor()
        assert isinstance(model, Pipeline)
        other, truth = a_table(seed=1)
        known = other["size"].notna()
        errors = (model.predict(other) - truth)[known]
        assert np.mean(errors**2) < 0.3 * np.var(truth)
        unseen = other.assign(colour="violet")
        assert np.isfinite(model.predict(unseen)).all()

    def test_frames_of_numbers_are_scaled_as_arrays_are_on_request(self):
        frame = pd.DataFrame({"id": range(100), "x": SINC.X[:, 0], "y": 1e5 * SINC.X[:, 0] ** 2})
        found = diagnose(frame, SINC.y)
        assert found.preparation == (
            "Left out id: it numbers the rows.",
            "Scaled all 2 columns to mean 0 and variance 1.",
        )
        array = diagnose(frame.to_numpy()[:, 1:], SINC.y, scale=True)
        scaled = diagnose(StandardScaler().fit_transform(frame.to_numpy()[:, 1:]), SINC.y)
        for other in (array, scaled):
            assert (other.kernel, other.dimension) == (found.kernel, found.dimension)
        np.testing.assert_array_equal(
            array.predictor().predict(frame.to_numpy()[:5, 1:]),
            found.predictor().predict(frame[:5]),
        )

    def test_frames_and_arrays_agree_unscaled(self, of_sinc):
        found = diagnose(pd.DataFrame({"x": SINC.X[:, 0]}), SINC.y, scale=False)
        assert (found.kernel, found.dimension) == (of_sinc.kernel, of_sinc.dimension)
        assert "scale=False" in found.settings.call

    def test_a_kernel_matrix_in_a_frame_is_no_table(self):
        K = pd.DataFrame(GAUSSIAN(SINC.X))
        found = diagnose(K, SINC.y, kernels=kernels.Precomputed())
        assert found.dimension == diagnose(SINC.X, SINC.y, kernels=GAUSSIAN).dimension
        with pytest.raises(InputError, match="Only columns of numbers can be scaled"):
            diagnose(K, SINC.y, kernels=kernels.Precomputed(), scale=True)

    def test_sparse_data_are_not_scaled(self):
        with pytest.raises(InputError, match="scale its columns first"):
            diagnose(sparse.csr_array(SINC.X), SINC.y, scale=True)

    def test_without_columns_to_learn_from(self):
        frame = pd.DataFrame({"same": ["x"] * 20})
        with pytest.raises(InputError, match="No column is left to learn from"):
            diagnose(frame.assign(other="y"), np.arange(20) + 0.5)


class TestFindings:
    def test_scale_gap(self):
        X = np.column_stack([SINC.X[:, 0], 1000.0 * np.random.default_rng(0).normal(size=100)])
        findings = diagnose(X, SINC.y).findings
        # Learned weights do better, since the wider column is noise.
        assert [one.code for one in findings] == ["RD006", "RD011"]
        finding = findings[1]
        ratio = X[:, 1].std() / X[:, 0].std()
        assert f"a factor of {ratio:.0f}" in finding.evidence

    def test_scale_gap_is_not_seen_in_constant_columns(self):
        X = np.column_stack([SINC.X, SINC.X**2, np.full(100, 0.1)])
        assert diagnose(X, SINC.y).findings == ()

    def test_scale_gap_does_not_concern_chosen_kernels(self):
        X = np.column_stack([SINC.X[:, 0], 1000.0 * SINC.X[:, 0] ** 2])
        kernel = kernels.ARDGaussian(weights=(1.0, 1e-6))
        found = diagnose(X, SINC.y, kernels=kernel)
        assert "RD011" not in [finding.code for finding in found.findings]

    def test_grid_edge(self, monkeypatch):
        # As if the problem were not solved, which under this kernel it is.
        monkeypatch.setattr("reldim.diagnosis.verdicts.SOLVED", 0.0)
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 1))
        X -= X.mean()
        with pytest.warns(GridEdgeWarning, match="lies at the edge"):
            found = diagnose(X, X[:, 0] + 1e-5 * rng.normal(size=60))
        (finding,) = found.findings
        assert finding.code == "RD010"
        assert repr(found.kernel) in finding.evidence
        assert found.to_dict()["findings"][0]["code"] == "RD010"
        assert f"  note                RD010 {CODES['RD010']}." in str(found)

    def test_grid_edge_does_not_matter_where_the_problem_is_solved(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 1))
        X -= X.mean()
        with pytest.warns(GridEdgeWarning, match="lies at the edge"):
            found = diagnose(X, X[:, 0] + 1e-5 * rng.normal(size=60))
        assert found.verdict.code == "RD002"
        assert found.findings == ()


class TestText:
    def test_of_a_regression(self, of_sinc):
        text = str(of_sinc)
        low, high = of_sinc.interval
        for expected in (
            f"{of_sinc.verdict.code} {of_sinc.verdict.title}\n",
            of_sinc.verdict.evidence,
            of_sinc.verdict.advice,
            "rows                100, regression (numbers with fractions)\n",
            f"kernel              {of_sinc.kernel!r}, best of {len(of_sinc.tried)} by likelihood\n",
            f"relevant dimension  {of_sinc.dimension} (90% interval {low} to {high})\n",
            f"signal              p = {of_sinc.p_value:.3g}\n",
            f"noise               {of_sinc.noise_estimate.value:.1%} of variance (90% interval ",
            f"expected error      {of_sinc.error_estimate:.1%} of variance (constant ",
            ".predictor()",
        ):
            assert expected in text
        assert repr(of_sinc) == text

    def test_of_classes(self, of_labels):
        text = str(of_labels)
        share = min(np.mean(SINC.y > 0.2), np.mean(SINC.y <= 0.2))
        assert "rows                100, classification (2 distinct labels)\n" in text
        noise = f"{of_labels.noise_estimate.value:.1%} of labels (90% interval "
        assert f"noise               {noise}" in text
        assert f"of labels (constant prediction: {share:.1%})\n" in text

    def test_is_plain(self, of_sinc):
        assert all(line.isprintable() for line in str(of_sinc).splitlines())


class TestPlainData:
    def test_round_trip(self, of_sinc, of_labels):
        for found in (of_sinc, of_labels):
            plain = found.to_dict()
            assert json.loads(json.dumps(plain, allow_nan=False)) == plain

    def test_contents(self, of_labels):
        plain = of_labels.to_dict()
        assert plain["schema"] == "reldim.diagnosis/1"
        assert plain["version"] == __version__
        assert plain["rows"] == 100
        assert plain["task"] == "classification"
        assert plain["classes"] == ["high", "low"]
        assert plain["kernel"] == "Gaussian(width=0.3)"
        assert plain["interval"] == list(of_labels.interval)
        for name in FIGURES:
            assert plain[name] == (
                list(of_labels.interval) if name == "interval" else getattr(of_labels, name)
            )
        assert plain["verdict"]["code"] == of_labels.verdict.code
        assert plain["verdict"]["advice"] == of_labels.verdict.advice
        assert plain["candidates"][0]["dimension"] == of_labels.dimension
        assert plain["candidates"][0]["chosen"] is True
        assert len(plain["curve"]) == len(of_labels.relevance.curve)

    @pytest.mark.parametrize(
        "labels, expected",
        [
            (np.array([3, 8]), [3, 8]),
            (np.array([False, True]), [False, True]),
            (np.array([0.0, 1.0]), [0.0, 1.0]),
            (np.array(["2020-01-01", "2021-01-01"], "M8[D]"), ["2020-01-01", "2021-01-01"]),
            (pd.Categorical(["x", "y"]), ["x", "y"]),
        ],
        ids=["int", "bool", "float", "date", "category"],
    )
    def test_classes_of_any_type(self, labels, expected):
        y = labels[(SINC.y > 0.2).astype(int)]
        plain = diagnose(SINC.X, y, kernels=GAUSSIAN).to_dict()
        assert plain["classes"] == expected
        assert [type(value) for value in plain["classes"]] == [type(value) for value in expected]
        json.dumps(plain, allow_nan=False)

    @pytest.mark.parametrize("criterion", ["likelihood", "leave-one-out"])
    def test_noiseless_targets_stay_finite(self, criterion):
        found = diagnose(SINC.X, 2.0 * SINC.X[:, 0], kernels=kernels.Linear(), criterion=criterion)
        text = json.dumps(found.to_dict(), allow_nan=False)
        assert json.loads(text)["dimension"] == found.dimension == 1

    def test_no_signal_stays_finite(self):
        y = np.random.default_rng(3).normal(size=100)
        found = diagnose(SINC.X, y, kernels=GAUSSIAN)
        assert found.dimension == 0
        json.dumps(found.to_dict(), allow_nan=False)


class TestFiles:
    def test_holds_the_plain_data(self, of_sinc, tmp_path):
        path = tmp_path / "out.json"
        of_sinc.to_json(path)
        assert json.loads(path.read_text(encoding="utf-8")) == of_sinc.to_dict()
        assert names_in(tmp_path) == ["out.json"]

    def test_takes_a_string(self, of_sinc, tmp_path):
        of_sinc.to_json(str(tmp_path / "out.json"))
        assert (tmp_path / "out.json").is_file()

    def test_is_readable_as_other_files_are(self, of_sinc, tmp_path):
        of_sinc.to_json(tmp_path / "out.json")
        (tmp_path / "other").write_text("x")
        modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("out.json", "other")}
        assert len(modes) == 1

    def test_replaces_nothing_unasked(self, of_sinc, tmp_path):
        path = tmp_path / "out.json"
        path.write_text("mine")
        with pytest.raises(FileError, match=r"out.json exists already. Choose another name, or"):
            of_sinc.to_json(path)
        assert path.read_text() == "mine"
        of_sinc.to_json(path, overwrite=True)
        assert json.loads(path.read_text())["rows"] == 100
        assert names_in(tmp_path) == ["out.json"]

    def test_missing_folder(self, of_sinc, tmp_path):
        with pytest.raises(
            FileError, match="out.json cannot be written: No such file or directory"
        ):
            of_sinc.to_json(tmp_path / "nowhere" / "out.json")

    def test_folder_that_is_a_file(self, of_sinc, tmp_path):
        (tmp_path / "file").write_text("x")
        with pytest.raises(FileError, match="out.json cannot be written: Not a directory"):
            of_sinc.to_json(tmp_path / "file" / "out.json")

    def test_folder_without_permission(self, of_sinc, tmp_path, monkeypatch):
        def refused(*arguments):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(writing, "_opened", refused)
        with pytest.raises(FileError, match="out.json cannot be written: Permission denied"):
            of_sinc.to_json(tmp_path / "out.json")

    def test_a_folder_in_place_of_the_file(self, of_sinc, tmp_path):
        (tmp_path / "out.json").mkdir()
        with pytest.raises(FileError, match=r"out.json cannot be written: .*directory"):
            of_sinc.to_json(tmp_path / "out.json", overwrite=True)
        assert names_in(tmp_path) == ["out.json"]

    @pytest.mark.parametrize(
        "failure, expected",
        [(OSError(28, "No space left on device"), FileError), (KeyboardInterrupt(), None)],
        ids=["disk full", "interrupted"],
    )
    def test_leaves_nothing_behind_on_failure(
        self, of_sinc, tmp_path, monkeypatch, failure, expected
    ):
        def fail(self, target):
            raise failure

        path = tmp_path / "out.json"
        path.write_text("mine")
        monkeypatch.setattr(writing.Path, "replace", fail)
        with pytest.raises(
            expected or type(failure), match="cannot be written: No space" if expected else None
        ):
            of_sinc.to_json(path, overwrite=True)
        assert names_in(tmp_path) == ["out.json"]
        assert path.read_text() == "mine"


class TestRefusals:
    def test_lengths(self):
        with pytest.raises(InputError, match=r"the same number of rows. Got 99 and 100\."):
            diagnose(SINC.X[1:], SINC.y)

    def test_lengths_of_a_table(self):
        frame, y = a_table()
        with pytest.raises(InputError, match=r"the same number of rows. Got 80 and 79\."):
            diagnose(frame, y[1:])

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_not_finite(self, bad):
        X = SINC.X.copy()
        X[7] = bad
        with pytest.raises(InputError, match=r"NaN or infinity, first in row 7, column 0"):
            diagnose(X, SINC.y)

    def test_one_dimension(self):
        with pytest.raises(InputError, match=r"two dimensions.*reshape\(-1, 1\)"):
            diagnose(SINC.X[:, 0], SINC.y)

    def test_empty(self):
        with pytest.raises(InputError, match="y is empty"):
            diagnose(np.empty((0, 2)), [])
        with pytest.raises(
            InputError, match=r"at least one row and one column. Got shape \(0, 2\)"
        ):
            diagnose(np.empty((0, 2)), [1, 2])

    def test_one_row(self):
        with pytest.raises(InputError, match="At least two rows are needed"):
            diagnose([[1.0, 2.0]], [1.0])

    def test_equal_rows(self):
        with pytest.raises(InputError, match="All rows of X are equal"):
            diagnose(np.ones((10, 2)), np.arange(10) + 0.5)

    def test_sequences_of_unequal_length(self):
        with pytest.raises(InputError, match=r"of one length. Got 6 in row 0 and 5 in row 3"):
            diagnose([*WORDS[:3], "ACGTA", *WORDS[4:]], COUNTS)

    def test_targets(self):
        with pytest.raises(InputError, match="y is constant"):
            diagnose(SINC.X, np.full(100, 0.1), task="regression")
        with pytest.raises(InputError, match="one class only"):
            diagnose(SINC.X, ["a"] * 100)

    def test_kernel_matrices(self):
        K = GAUSSIAN(SINC.X)
        with pytest.raises(InputError, match="must be positive semi-definite"):
            diagnose(K - 0.5 * np.eye(100), SINC.y, kernels=kernels.Precomputed())
        K[0, 1] += 0.1
        with pytest.raises(InputError, match="must be symmetric"):
            diagnose(K, SINC.y, kernels=kernels.Precomputed())

    def test_options(self):
        with pytest.raises(InputError, match="task must be one of .*Got 'ranking'"):
            diagnose(SINC.X, SINC.y, task="ranking")
        with pytest.raises(InputError, match="criterion must be one of .*Got 'aic'"):
            diagnose(SINC.X, SINC.y, criterion="aic")
        with pytest.raises(InputError, match="solver must be one of .*Got 'fast'"):
            diagnose(SINC.X, SINC.y, solver="fast")
        with pytest.raises(InputTypeError, match="kernels must be .*Got float"):
            diagnose(SINC.X, SINC.y, kernels=2.5)


class TestCopies:
    def noise_with_copies(self, seed):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
        some = rng.integers(0, 60, size=18)
        return np.vstack([X, X[some]]), np.append(y, y[some])

    def test_copies_are_left_out_and_said_so(self):
        X, y = self.noise_with_copies(0)
        found = diagnose(X, y)
        assert found.n == len(np.unique(X, axis=0))
        assert found.preparation[-1].startswith(f"Left out {78 - found.n} rows that repeat others")
        alone = diagnose(*(part[:60] for part in (X, y)))
        assert found.kernel == alone.kernel
        assert found.dimension == alone.dimension
        assert found.error_estimate == pytest.approx(alone.error_estimate)

    @pytest.mark.slow
    def test_copies_do_not_make_signal(self):
        alarms = sum(
            diagnose(*self.noise_with_copies(seed)).verdict.code != "RD001" for seed in range(12)
        )
        # One in twenty is expected; without care it was more than half.
        assert alarms <= 3

    def test_repeated_measurements_stay(self):
        rng = np.random.default_rng(1)
        X = np.repeat(np.linspace(-1, 1, 10), 6).reshape(-1, 1)
        found = diagnose(X, X[:, 0] + rng.normal(size=60))
        assert found.n == 60
        assert found.preparation == ()

    def test_equal_sequences(self):
        rng = np.random.default_rng(2)
        words = ["".join(rng.choice(list("ACGT"), 8)) for _ in range(40)]
        labels = [word[0] < "G" for word in words]
        found = diagnose(words + words[:5], labels + labels[:5])
        assert found.n == len(set(words))

    def test_a_precomputed_matrix_is_not_cut(self):
        X, y = self.noise_with_copies(3)
        found = diagnose(kernels.Gaussian(1.0)(X), y, kernels=kernels.Precomputed())
        assert found.n == 78


class TestSignalAfterTheChoice:
    @pytest.mark.slow
    def test_noise_is_found_out(self):
        rng = np.random.default_rng(5)
        found = [
            diagnose(rng.normal(size=(60, 2)), rng.normal(size=60), references=False)
            for _ in range(25)
        ]
        alarms = [one for one in found if one.verdict.code != "RD001"]
        # One or two are expected at the level of 5 %.
        assert len(alarms) <= 5
        for one in found:
            if one.p_value > 0.05:
                assert one.dimension == 0
                assert one.error_estimate == pytest.approx(1.0)
                assert np.ptp(one.predictor().predict(rng.normal(size=(5, 2)))) < 1e-9
