"""Kernels: immutable functions of two points that add, multiply and print."""

from reldim.kernels.base import Function, Kernel, as_kernel
from reldim.kernels.composition import Normalized, Product, Scaled, Sum
from reldim.kernels.distances import squared_distances
from reldim.kernels.precomputed import Precomputed
from reldim.kernels.strings import WeightedDegree
from reldim.kernels.vectors import (
    ARDGaussian,
    Gaussian,
    InnerProduct,
    InverseMultiquadric,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    ProductLaplacian,
    Radial,
)

__all__ = [
    "ARDGaussian",
    "Function",
    "Gaussian",
    "InnerProduct",
    "InverseMultiquadric",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "Normalized",
    "Polynomial",
    "Precomputed",
    "Product",
    "ProductLaplacian",
    "Radial",
    "Scaled",
    "Sum",
    "WeightedDegree",
    "as_kernel",
    "squared_distances",
]
