"""From rows to a plan, in the two shapes that are understood.

Responses, one row per item, turn and system: `item, turn, category, prompt_text, prompt_audio, system,
response_text, response_audio` (and `take`, where one system answered an item several times).

Either shape may bring what protocols ask or show per item: `dimension, capability, reference_translation`, and
`criteria` with `|` between them.

Pairs, one row per pair, in the TRACE/HCoT release's names or in AudioJudge's: `index|item_id, instruction_id,
instruction_text, instruction_path|instruction_audio, model_a|system_a, model_b|system_b, audio1_path|audio_a,
audio2_path|audio_b, label` (an object by aspect) or `label_<aspect>` columns.
"""
