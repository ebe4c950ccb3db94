"""The five steps from acceptability to a typed tie (TRACE/HCoT §3.2)."""


def typed_tie(*, acceptable_1: bool, acceptable_2: bool, better: str | None) -> str:
    """Derive the label from acceptability and, where both are acceptable, from the comparison.

    `better` is `1`, `2` or `both_good`, and is None unless both responses are acceptable. The five steps are
    those of TRACE/HCoT §3.2. Raises ValueError where `better` is missing or has no business here.

    >>> typed_tie(acceptable_1=True, acceptable_2=False, better=None)
    '1'
    >>> typed_tie(acceptable_1=True, acceptable_2=True, better="both_good")
    'both_good'
    """
    if acceptable_1 and acceptable_2:
        if better not in {"1", "2", "both_good"}:
            raise ValueError("both are acceptable, so one must be called better or both equally good")
        return better
    if better is not None:
        raise ValueError("a comparison is only made between two acceptable responses")
    if acceptable_1:
        return "1"
    return "2" if acceptable_2 else "both_bad"
