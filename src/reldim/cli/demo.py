"""``reldim demo``: two small problems that come with the package."""

from typing import Annotated

import typer

from reldim.cli.application import app

__all__ = ["demo"]


@app.command(epilog="Example: reldim demo")
def demo(
    no_color: Annotated[bool, typer.Option("--no-color", help="Print without colours.")] = False,
) -> None:
    """Diagnose two small problems that come with the package.

    A learner makes about the same error on both, for opposite reasons.
    """
    from rich.text import Text

    from reldim import datasets, diagnose
    from reldim.console import figures_view, show, terminal, verdict_view

    console = terminal(color=not no_color)
    noisy = datasets.noisy_sinc(100, noise=0.3, random_state=1)
    complicated = datasets.sine(100, frequency=35, noise=0.1, random_state=1)
    for data in (noisy, complicated):
        diagnosis = diagnose(data.X, data.y)
        head = Text(f"{data.name}: {data.description}", style="bold")
        show(console, head, verdict_view(diagnosis.verdict), Text())
        show(console, figures_view(diagnosis), Text())
    show(
        console,
        Text(
            "A learner makes about the same error on both. The first is simple but noisy: a few "
            "dimensions carry all there is to learn, and more rows would not help. The second is "
            "complex: its signal takes so many dimensions that 100 rows do not pin it down; more "
            "rows, or a kernel made for it, would help.",
        ),
        Text("Now try your own data: reldim diagnose your.csv --target column"),
    )
