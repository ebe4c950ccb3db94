"""Every metric that is known, in the order of COMPASS's catalogue (App. B). A new one is one entry here."""

from dataclasses import replace
from itertools import chain

from measurements.metrics import contours, formants, texts, timing, vectors
from measurements.metrics.contract import Axis, Direction, Input, Metric, Origin

_BSD3, _APACHE, _MIT = "BSD-3-Clause", "Apache-2.0", "MIT"
_NUMPY, _OURS = Origin("numpy, scipy", _BSD3), Origin("Earshot", _MIT)
_SACRE, _JIWER = Origin("sacrebleu", _APACHE), Origin("jiwer", _APACHE)
_TEXTS = (Input.RESPONSE_TEXT, Input.REFERENCE)
_SPOKEN = (Input.TRANSCRIPT, Input.REFERENCE)
_BOTH = (Input.RESPONSE_AUDIO, Input.SOURCE_AUDIO)
_SECONDS = (Input.RESPONSE_SECONDS, Input.SOURCE_SECONDS)
_LENGTHS = (Input.RESPONSE_TEXT, Input.SOURCE_TEXT)
_RATES = (Input.TRANSCRIPT, Input.SOURCE_TEXT, Input.RESPONSE_SPEECH, Input.SOURCE_SPEECH)
_LANGUAGE = (Input.LANGUAGE,)

_TEXT = (
    Metric(
        "bleu", "BLEU", Axis.TEXT, "higher", _TEXTS,
        "geometric mean of n-gram precisions up to 4 × brevity penalty, 0 to 100; per system over all texts at once",
        _SACRE, function=texts.bleu, corpus=texts.corpus_bleu, hints=_LANGUAGE,
    ),
    Metric(
        "chrf", "ChrF", Axis.TEXT, "higher", _TEXTS, "F₂ of character n-grams up to 6, 0 to 100",
        _SACRE, function=texts.chrf, corpus=texts.corpus_chrf,
    ),
    Metric(
        "chrf++", "ChrF++", Axis.TEXT, "higher", _TEXTS, "F₂ of character n-grams up to 6 and word n-grams up to 2",
        _SACRE, function=texts.chrf_plus_plus, corpus=texts.corpus_chrf_plus_plus,
    ),
    Metric(
        "ter", "TER", Axis.TEXT, "lower", _TEXTS, "100 × edits, shifts of blocks included / words of the reference",
        _SACRE, function=texts.ter, corpus=texts.corpus_ter,
    ),
    Metric(
        "comet-da", "COMET-DA", Axis.TEXT, "higher", (),
        "learned from direct assessments, with source and reference (wmt22-comet-da)",
        Origin("imported", _APACHE),
    ),
    Metric(
        "comet-kiwi", "COMET-Kiwi", Axis.TEXT, "higher", (),
        "learned quality estimation without a reference (wmt22-cometkiwi-da)",
        Origin("imported", "CC-BY-NC-SA-4.0 (weights)"),
    ),
    Metric(
        "semscore", "SemScore", Axis.TEXT, "higher", (),
        "0.4012 NLI entailment + 0.2785 BERTScore + 0.3201 phonetic similarity; phonetic weight shared out where the "
        "response is not English",
        Origin("imported", "MIT (models)"),
    ),
)  # fmt: skip


def _by_transcript(metric: Metric) -> Metric:
    """The same metric over what a recogniser heard (COMPASS App. B.2)."""
    inputs = tuple(Input.TRANSCRIPT if one is Input.RESPONSE_TEXT else one for one in metric.inputs)
    title = f"ASR-{metric.title}" if metric.made == _SACRE else f"{metric.title} (ASR)"
    return replace(metric, name=f"asr-{metric.name}", title=title, axis=Axis.ASR, inputs=inputs)


_ASR = (
    *(_by_transcript(metric) for metric in _TEXT),
    Metric(
        "wer", "WER", Axis.ASR, "lower", _SPOKEN,
        "(substitutions + deletions + insertions) / words of the reference; per system over all words at once, over "
        "characters for Chinese, Japanese and other languages without blanks between words",
        _JIWER, function=texts.wer, corpus=texts.corpus_wer, hints=_LANGUAGE,
    ),
    Metric(
        "cer", "CER", Axis.ASR, "lower", _SPOKEN, "the same over characters, blanks not counted",
        _JIWER, function=texts.cer,
    ),
    Metric(
        "blaser", "BLASER 2.0", Axis.ASR, "lower", (),
        "1 − cos(e_src, e_tgt) of SONAR speech embeddings, as the paper prints it: a distance",
        Origin("imported", "MIT or CC-BY-NC, by language"),
    ),
    Metric(
        "phoneme-f1", "Phoneme F1", Axis.ASR, "higher", (), "F1 of the bags of phonemes of source and response",
        Origin("imported", _APACHE),
    ),
    Metric(
        "phoneme-similarity", "Phoneme distribution similarity", Axis.ASR, "higher", (),
        "1 − JSD(p_src, p_tgt) of phoneme histograms, to base 2",
        Origin("imported", _APACHE),
    ),
)  # fmt: skip


def _dnsmos(part: str, title: str) -> Metric:
    def value(scores: dict[str, float]) -> float:
        return scores[part]

    return Metric(
        f"dnsmos-{part.lower()}", title, Axis.NATURALNESS, "higher", (Input.DNSMOS,),
        "predicted mean opinion of noise, 1 to 5; taken by the feature extractor", Origin("speechmos", _MIT),
        function=value,
    )  # fmt: skip


_NATURALNESS = (
    Metric(
        "utmos", "UTMOS-v2", Axis.NATURALNESS, "higher", (), "predicted mean opinion, 1 to 5",
        Origin("imported", _MIT),
    ),
    Metric(
        "nisqa", "NISQA-MOS", Axis.NATURALNESS, "higher", (), "predicted mean opinion, 1 to 5 (nisqa_tts.tar)",
        Origin("imported", "MIT; weights CC-BY-NC-SA-4.0"),
    ),
    Metric(
        "intelligibility-ppl", "Intelligibility PPL", Axis.NATURALNESS, "lower", (),
        "exp of the mean entropy of the frames' phoneme posteriors",
        Origin("imported", _APACHE),
    ),
    _dnsmos("SIG", "DNSMOS SIG"),
    _dnsmos("BAK", "DNSMOS BAK"),
    _dnsmos("OVRL", "DNSMOS OVRL"),
    _dnsmos("P808", "P.808 MOS"),
)  # fmt: skip

_SPEAKER = (
    Metric(
        "speaker-similarity", "Speaker similarity", Axis.SPEAKER, "higher",
        (Input.RESPONSE_SPEAKER, Input.SOURCE_SPEAKER),
        "cos(e_src, e_tgt) of speaker embeddings; the paper's come from WavLM-SV, ours from the feature extractor",
        _NUMPY, function=vectors.cosine,
    ),
)  # fmt: skip


def _spearman(name: str, title: str, counted: str) -> Metric:
    count = {"word": timing.n_words, "syllable": timing.n_syllables, "char": timing.n_characters}[name]
    return Metric(
        f"sr-{name}-spearman", title, Axis.PROSODY, "higher", _RATES,
        f"Spearman's ρ over a system's responses between the {counted} per second of speech, pauses not counted, of "
        "source and response", _NUMPY, corpus=timing.speaking_rate_spearman(count),
    )  # fmt: skip


_PROSODY = (
    Metric(
        "autopcp", "AutoPCP", Axis.PROSODY, "higher", (), "learned comparison of prosody (stopes)",
        Origin("imported", "MIT; some weights CC-BY-NC-4.0"),
    ),
    Metric(
        "f0-similarity", "F0 contour similarity", Axis.PROSODY, "higher", (Input.RESPONSE_F0, Input.SOURCE_F0),
        "Pearson's r of the pitch contours at one length; unvoiced frames between voiced ones are bridged linearly",
        _NUMPY, function=contours.f0_similarity,
    ),
    Metric(
        "energy-similarity", "Energy contour similarity", Axis.PROSODY, "higher", _BOTH,
        "Pearson's r of the RMS of frames (2048 samples every 512) at one length",
        _NUMPY, function=contours.energy_similarity,
    ),
    Metric(
        "rhythm-similarity", "Rhythm similarity", Axis.PROSODY, "higher", _BOTH,
        "Pearson's r of the onset strengths (mean rise of the mel spectrogram in dB) at one length",
        _NUMPY, function=contours.rhythm_similarity,
    ),
    Metric(
        "tempo-ratio", "Tempo ratio", Axis.PROSODY, "higher", _BOTH,
        "min(t_src, t_tgt) / max(t_src, t_tgt) of tempos from the autocorrelation of onsets",
        _NUMPY, function=contours.tempo_ratio,
    ),
    _spearman("word", "SR Word Spearman", "words"),
    _spearman("syllable", "SR Syllable Spearman", "syllables"),
    _spearman("char", "SR Char Spearman", "characters"),
    Metric(
        "lp-mean-joint", "LP Mean Joint Score", Axis.PROSODY, "higher", (),
        "mean over responses of rate agreement × pause position agreement × pause duration agreement (stopes)",
        Origin("imported", _MIT),
    ),
    Metric(
        "lp-weighted-joint", "LP Weighted Joint Score", Axis.PROSODY, "higher", (),
        "the same, weighted by the duration of the source", Origin("imported", _MIT),
    ),
    Metric(
        "emotion-match", "Emotion match", Axis.PROSODY, "higher", (Input.RESPONSE_EMOTION, Input.SOURCE_EMOTION),
        "1 where the most probable emotion is the same, else 0", _NUMPY, function=vectors.emotion_match,
    ),
    Metric(
        "emotion-probability", "Emotion probability similarity", Axis.PROSODY, "higher",
        (Input.RESPONSE_EMOTION, Input.SOURCE_EMOTION), "1 − JSD(p_src, p_tgt) of emotion probabilities, to base 2",
        _NUMPY, function=vectors.probability_similarity,
    ),
    Metric(
        "emotion-embedding", "Emotion embedding similarity", Axis.PROSODY, "higher",
        (Input.RESPONSE_EMOTION_EMBEDDING, Input.SOURCE_EMOTION_EMBEDDING), "cos(e_src, e_tgt) of emotion embeddings",
        _NUMPY, function=vectors.cosine,
    ),
    Metric(
        "per", "Phoneme error rate", Axis.PROSODY, "lower", (),
        "edits between the phonemes of source and response / phonemes of the source",
        Origin("imported", _APACHE),
    ),
    Metric(
        "formant-deviation", "Formant deviation", Axis.PROSODY, "lower", _BOTH,
        "mean over F1, F2, F3 of |mean of the response − mean of the source| in Hz; Burg, 5 formants under 5500 Hz",
        _NUMPY, function=formants.formant_deviation,
    ),
    Metric(
        "envelope-similarity", "Amplitude envelope similarity", Axis.PROSODY, "higher", _BOTH,
        "Pearson's r of the Hilbert envelopes at one length", _NUMPY, function=contours.envelope_similarity,
    ),
)  # fmt: skip


def _slc(within: float) -> Metric:
    return Metric(
        f"slc-{within:g}", f"SLC {within:g} (%)", Axis.ISOCHRONY, "higher", _SECONDS,
        f"percentage of responses with a duration ratio within ±{within:.0%}", _OURS,
        function=timing.compliance(within),
    )  # fmt: skip


_ISOCHRONY = (
    Metric(
        "delta-duration", "Delta duration", Axis.ISOCHRONY, "lower", _SECONDS, "|d_tgt − d_src| in seconds",
        _OURS, function=timing.delta_duration,
    ),
    Metric(
        "rde", "Relative duration error", Axis.ISOCHRONY, "lower", _SECONDS, "|d_tgt − d_src| / d_src",
        _OURS, function=timing.relative_duration_error,
    ),
    Metric(
        "speech-overlap", "Speech overlap", Axis.ISOCHRONY, "higher",
        (Input.RESPONSE_SPEECH, Input.SOURCE_SPEECH, Input.SOURCE_SECONDS),
        "seconds in which both speak, each from its own start / d_src", _OURS, function=timing.speech_overlap,
    ),
    Metric(
        "duration-ratio", "Duration ratio", Axis.ISOCHRONY, 1.0, _SECONDS, "d_tgt / d_src",
        _OURS, function=timing.duration_ratio,
    ),
    _slc(0.2),
    _slc(0.4),
)  # fmt: skip

_LIPSYNC = (
    Metric(
        "lipsync-dtw", "Lipsync viseme DTW", Axis.LIPSYNC, "higher", (),
        "similarity of viseme sequences after dynamic time warping", Origin("imported", "not ours"),
    ),
    Metric(
        "lipsync-cooccurrence", "Lipsync co-occurrence", Axis.LIPSYNC, "higher", (),
        "share of aligned frames with the same viseme", Origin("imported", "not ours"),
    ),
)  # fmt: skip


def _length(name: str, title: str, direction: Direction, formula: str) -> Metric:
    functions = {
        "delta-chars": texts.delta_chars,
        "delta-words": texts.delta_words,
        "char-length-ratio": texts.char_length_ratio,
        "char-compliant": texts.char_compliant,
    }
    return Metric(name, title, Axis.ISOMETRY, direction, _LENGTHS, formula, _OURS, function=functions[name])


_ISOMETRY = (
    _length("delta-chars", "Delta chars", "lower", "|c_tgt − c_src|, blanks not counted"),
    _length("delta-words", "Delta words", "lower", "|w_tgt − w_src|; unreliable without blanks between words"),
    _length("char-length-ratio", "Char length ratio", 1.0, "c_tgt / c_src"),
    _length("char-compliant", "Char compliant (%)", "higher", "percentage with c_tgt / c_src within ±10 %"),
    Metric(
        "cps-ratio", "CPS ratio", Axis.ISOMETRY, 1.0, (*_LENGTHS, *_SECONDS), "(c_tgt / d_tgt) / (c_src / d_src)",
        _OURS, function=texts.cps_ratio,
    ),
)  # fmt: skip

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in chain(_TEXT, _ASR, _NATURALNESS, _SPEAKER, _PROSODY, _ISOCHRONY, _LIPSYNC, _ISOMETRY)
}
