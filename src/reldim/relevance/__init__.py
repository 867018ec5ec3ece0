"""From a Spectrum and targets to the relevant dimension, the noise and the error to expect."""

__all__: list[str] = []
