"""What answers for a judge: a `JudgeInput` in, a `JudgeOutput` out, or a `JudgeError`. Nothing else calls out."""
