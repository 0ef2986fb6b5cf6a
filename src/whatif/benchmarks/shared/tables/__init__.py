"""Tables that several benchmarks have; the results of each are `whatif.benchmarks.shared.results`."""


def shared_tables(*names: str) -> tuple[str, ...]:
    """The modules of some of these tables, for `TableModules`."""
    return tuple(f"{__name__}.{name}" for name in names)
