"""Parts of pages that scripts write, between marks."""


def with_part(text, name, part):
    """The text of a page with what stands between the marks of that name replaced."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    before, found_begin, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise SystemExit(f"expected the marks {begin.strip()} and {end}")
    return before + begin + part + end + after
