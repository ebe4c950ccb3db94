"""The criteria that items bring to a rubric: drafted, reviewed by a person, and frozen once a campaign opens."""
