"""Why a file is no sound that is taken, or cannot be delivered: one code for each, with its English text. Pure."""

from infrastructure.wording.reasons import ReasonCode

HOLDS_NO_AUDIO = ReasonCode("holds_no_audio", "%(name)s does not hold audio; %(accepted)s are accepted.")
NAMED_OTHERWISE = ReasonCode(
    "named_otherwise", "%(name)s holds %(container)s audio; rename it so that it ends in %(expected)s."
)
FILE_EMPTY = ReasonCode("file_empty", "%(name)s is empty (0 bytes); export or upload it again.")
TOO_MANY_CHANNELS = ReasonCode(
    "too_many_channels", "%(name)s has %(n)s channels and at most %(most)s are accepted; downmix it first."
)
RATE_NOT_TAKEN = ReasonCode(
    "rate_not_taken",
    "%(name)s has a sample rate of %(rate)s Hz and %(least)s to %(most)s Hz are accepted; resample it first.",
)
CLIP_TOO_LONG = ReasonCode(
    "clip_too_long", "%(name)s lasts longer than the %(seconds)s s accepted; cut it into shorter clips."
)
TOO_MANY_VALUES = ReasonCode(
    "too_many_values", "%(name)s holds more than %(most)s samples over all its channels; downmix or resample it."
)
VALUES_NOT_FINITE = ReasonCode(
    "values_not_finite", "%(name)s holds samples that are NaN or infinite; export it again."
)
OVER_FULL_SCALE = ReasonCode(
    "over_full_scale",
    "%(name)s reaches %(times)s times full scale; scale floating-point samples to between -1 and 1.",
)
FILE_WITHOUT_SAMPLES = ReasonCode(
    "file_without_samples", "%(name)s holds no samples (it lasts 0 s); export it again."
)
FILE_CUT_OFF = ReasonCode(
    "file_cut_off", "%(name)s is cut off: it declares %(declared)s s and holds %(held)s s; export it again."
)
FILE_GOES_ON = ReasonCode(
    "file_goes_on",
    "%(name)s goes on after the %(seconds)s s that its header declares; export it again as WAV or FLAC.",
)
FILE_DAMAGED = ReasonCode(
    "file_damaged",
    "%(name)s begins like %(claimed)s but cannot be decoded: it is damaged, cut off or in an encoding that is "
    "not accepted; export it again as WAV or FLAC.",
)
TARGET_TOO_LOUD = ReasonCode(
    "target_too_loud",
    "At %(target)s LUFS the true peak of this clip would be %(peak)s dBTP, above the ceiling of %(ceiling)s "
    "dBTP; the highest target at which it fits is %(highest)s LUFS.",
)
SHORTER_THAN_SAMPLE = ReasonCode(
    "shorter_than_sample", "This clip is shorter than one sample at %(rate)s Hz; leave it out."
)
ORIGINAL_GONE = ReasonCode("original_gone", "The original cannot be read (%(fault)s); import the dataset again.")
AUDIO_NOT_TAKEN = ReasonCode(
    "audio_not_taken", "%(name)s holds %(holds)s audio, which is not accepted; convert it to WAV or FLAC."
)
