"""Krippendorff's α without its distance, on a page or in a file, in English and in German."""

import re

#: The apostrophe as it is typed, as HTML has it, and none, as in German; α as itself and as LaTeX has it. What may
#: follow is a distance in brackets (after a blank, in pictures one that does not break), and after a comma in the
#: name of a method.
BARE_ALPHA = re.compile(
    r"Krippendorff(?:['’]|&#x27;|&#39;|&rsquo;)?s (?:α|alpha|\$\\alpha\$)"
    r"(?![ \u00a0]\((?:nominal|ordinal|interval|Intervall|typed|by the|Distanz|nach der)|, )"
)
