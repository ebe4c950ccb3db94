"""Manifests to fill in, each with a worked example."""

_PROMPT = "What is the capital of France?"
MANIFESTS: dict[str, list[list[str]]] = {
    "responses": [
        ["item", "category", "prompt_text", "prompt_audio", "system", "response_text", "response_audio"],
        ["q1", "facts", _PROMPT, "prompts/q1.wav", "alpha", "Paris.", "alpha/q1.wav"],
        ["q1", "facts", _PROMPT, "prompts/q1.wav", "beta", "It is Paris.", "beta/q1.wav"],
    ],
    "pairs": [
        ["index", "instruction_id", "instruction_text", "model_a", "audio1_path", "model_b", "audio2_path",
         "annotator", "label_overall"],
        ["1", "q1", _PROMPT, "alpha", "alpha/q1.wav", "beta", "beta/q1.wav", "rater-1", "1"],
        ["2", "q2", "Say it kindly.", "alpha", "alpha/q2.wav", "beta", "beta/q2.wav", "rater-1", "tie"],
    ],
}  # fmt: skip
