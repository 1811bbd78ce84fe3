"""The small faults that mutate.py can put into a source file."""

import re

# What is looked for in a line of code, what takes its place, and what the table calls it.
SWAPS = (
    (r" < ", (" <= ",), "comparison"), (r" <= ", (" < ",), "comparison"),
    (r" > ", (" >= ",), "comparison"), (r" >= ", (" > ",), "comparison"),
    (r" == ", (" != ",), "comparison"), (r" != ", (" == ",), "comparison"),
    (r" \+ ", (" - ",), "arithmetic"), (r" - ", (" + ",), "arithmetic"),
    (r" \* ", (" / ",), "arithmetic"), (r" / ", (" * ",), "arithmetic"),
    (r" \+= ", (" -= ",), "arithmetic"), (r" -= ", (" += ",), "arithmetic"),
    (r"std::min\b", ("std::max",), "arithmetic"), (r"std::max\b", ("std::min",), "arithmetic"),
    (r" && ", (" || ",), "logic"), (r" \|\| ", (" && ",), "logic"),
    (r"\btrue\b", ("false",), "logic"), (r"\bfalse\b", ("true",), "logic"),
    (r"(?<=if \()(?=.*\) ?[{\w].*$)", ("NOT",), "logic"),
    (r"(?<![\w.<'])\d+(?![\w.'>])", ("PLUS", "MINUS", "TWICE"), "constant"),
    (r"(?<![\w.])\d+\.\d+(?:e-?\d+)?(?![\w.])", ("TWICE",), "constant"),
    (r"^\s*[\w.:\[\]>()*-]+(?: [-+*/|&]?= .*|\(.*\));$", ("DROP",), "dropped"),
    (r"^\s*(?:\+\+|--)\w.*;$", ("DROP",), "dropped"),
    (r"\b(?:break|continue);", (";",), "dropped"),
    (r"^\s*if \(.*\) (?:return|continue|break)\b.*;$", ("DROP",), "dropped"),
    (r"(?<=\) \{)$|(?<=\) const \{)$", ("RETURN",), "early return"),
)
NOT_CODE = re.compile(r"\s*(#|//|static_assert|assert\(|using |namespace |template|(return )?option\(|"
                      r"return \w*;$|public:|private:)")


def blanked(line):
    """The line with comments and what stands in quotes overwritten by underscores."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda text: "_" * len(text.group()), line)
    return re.sub(r"//.*", lambda text: " " * len(text.group()), line).rstrip()


def described_lines(lines):
    """Numbers of the lines that say options and what an optimizer is, where a fault is a taste."""
    inside, found = False, set()
    for number, line in enumerate(lines):
        if re.match(r"struct \w*(Options|Shape)\b|constexpr std::array.* kRows|Optimizer \w+\(\) \{", line):
            inside = True
        if inside:
            found.add(number)
        if inside and re.match(r"\}", line):
            inside = False
    return found


def closed(line, begin):
    """Where the bracket that opened before `begin` closes, or None."""
    depth = 1
    for at in range(begin, len(line)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if depth == 0:
            return at
    return None


def changed(line, match, to):
    """The line with the fault, or None where there is none to make."""
    begin, end, was = match.start(), match.end(), match.group()
    if to == "NOT":
        stop = closed(line, begin)
        return None if stop is None else f"{line[:begin]}!({line[begin:stop]}){line[stop:]}"
    if to == "DROP":
        return re.match(r"\s*", line).group() + ";"
    if to == "RETURN":
        return line + " return;" if re.match(r"\s*void ", line) else None
    if to in ("PLUS", "MINUS", "TWICE"):
        value = float(was) if "." in was else int(was)
        new = {"PLUS": value + 1, "MINUS": value - 1, "TWICE": 2 * value}[to]
        if new == value or new < 0 or (to == "TWICE" and value == 1):
            return None
        to = str(new)
    return line[:begin] + to + line[end:]


def sites(text):
    """Every fault of a file: its line's number, the line, the line with the fault, and its kind."""
    lines = text.split("\n")
    described = described_lines(lines)
    found = []
    for number, line in enumerate(lines):
        code = blanked(line)
        if number in described or NOT_CODE.match(code):
            continue
        for pattern, replacements, kind in SWAPS:
            for match in re.finditer(pattern, code):
                for to in replacements:
                    fault = changed(line, match, to)
                    if fault is not None and fault != line:
                        found.append({"number": number, "line": line.strip(),
                                      "fault": fault.strip(), "kind": kind})
    return found
