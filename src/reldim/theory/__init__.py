"""The theory behind relevant dimensions, as functions to call and values to look at."""

from reldim.theory.bounds import (
    CoefficientBound,
    Truncation,
    TruncationBound,
    coefficient_bound,
    truncate,
    truncation_bound,
)
from reldim.theory.densities import Density, GaussianDensity, GaussianMixture, UniformDensity
from reldim.theory.eigenfunctions import (
    Eigensystem,
    FiniteEigensystem,
    GaussianEigensystem,
    cosine_eigensystem,
)
from reldim.theory.generalisation import (
    CutOffBound,
    VCBound,
    cutoff_bound,
    margin_dimension,
    threshold,
    vc_bound,
)
from reldim.theory.inspection import GramConvergence, gram_convergence, zero_crossings
from reldim.theory.integral_equations import (
    NystroemEigensystem,
    solve,
    solve_by_sampling,
    symmetrised_kernel,
)
from reldim.theory.iterative import (
    IterativeMode,
    iterative_mode,
    luenberger_factors,
    luenberger_steps,
)
from reldim.theory.perturbation import (
    EigenvalueBound,
    SinTheta,
    TailSumBound,
    eigenvalue_bound,
    sin_theta,
    tail_sum_bound,
)
from reldim.theory.ridgerisk import RidgeRisk, ridge_risk
from reldim.theory.shrinkage import (
    ComponentCounts,
    classification_shrinkage,
    component_counts,
    explained_variance_count,
    regression_shrinkage,
    visible_count,
)

__all__ = [
    "CoefficientBound",
    "ComponentCounts",
    "CutOffBound",
    "Density",
    "Eigensystem",
    "EigenvalueBound",
    "FiniteEigensystem",
    "GaussianDensity",
    "GaussianEigensystem",
    "GaussianMixture",
    "GramConvergence",
    "IterativeMode",
    "NystroemEigensystem",
    "RidgeRisk",
    "SinTheta",
    "TailSumBound",
    "Truncation",
    "TruncationBound",
    "UniformDensity",
    "VCBound",
    "classification_shrinkage",
    "coefficient_bound",
    "component_counts",
    "cosine_eigensystem",
    "cutoff_bound",
    "eigenvalue_bound",
    "explained_variance_count",
    "gram_convergence",
    "iterative_mode",
    "luenberger_factors",
    "luenberger_steps",
    "margin_dimension",
    "regression_shrinkage",
    "ridge_risk",
    "sin_theta",
    "solve",
    "solve_by_sampling",
    "symmetrised_kernel",
    "tail_sum_bound",
    "threshold",
    "truncate",
    "truncation_bound",
    "vc_bound",
    "visible_count",
    "zero_crossings",
]
