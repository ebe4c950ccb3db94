"""Where a fault was planted in the demo's systems."""

from corpus.demo.speech import DemoSystem


def faulty_dimension(system: DemoSystem) -> str:
    """The dimension in which its fault was planted; nothing where it has none."""
    if system.reading.wrong_words:
        return "content"
    if system.snr_db is not None or system.drive_db is not None:
        return "voice_quality"
    changed = system.reading.speed != 1.0 or system.reading.pitch_spread != 1.0
    return "paralinguistics" if changed else ""
