from django.db import models

from infrastructure.files.media import MediaFile, media_file


class Clip(models.Model):
    """An audio file as it was imported, stored once per content, with its measurements."""

    sha256 = models.CharField(max_length=64, unique=True)
    bytes = models.PositiveBigIntegerField()
    container = models.CharField(max_length=20)
    encoding = models.CharField(max_length=40)
    seconds = models.FloatField()
    rate = models.PositiveIntegerField(help_text="Hz")
    channels = models.PositiveSmallIntegerField()
    integrated_lufs = models.FloatField(null=True, help_text="ITU-R BS.1770; empty where undefined")
    loudness_note = models.CharField(max_length=200, blank=True)
    true_peak_dbtp = models.FloatField(null=True)
    clipped_samples = models.PositiveIntegerField()
    leading_silence_s = models.FloatField()
    trailing_silence_s = models.FloatField()
    inner_silence_s = models.FloatField(
        null=True, help_text="10 ms below −60 dBFS RMS each, between first and last sound; empty: not measured"
    )
    longest_pause_s = models.FloatField(null=True, help_text="the longest piece of it; empty: not measured")
    sound_sha256 = models.CharField(
        max_length=64, blank=True, help_text="of rate, channels and decoded samples, whatever the file's container"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"clip {self.sha256[:8]}"

    @property
    def path(self) -> MediaFile:
        return media_file("clips", self.sha256[:2], self.sha256)


class DeliveredClip(models.Model):
    """A clip in the form in which the raters of a campaign hear all clips."""

    clip = models.ForeignKey(Clip, on_delete=models.CASCADE, related_name="deliveries")
    form = models.CharField(max_length=60, help_text="rate and loudness target, as in `24000Hz -23LUFS`")
    gain_db = models.FloatField(help_text="the one constant gain that was applied")
    integrated_lufs = models.FloatField(null=True)
    true_peak_dbtp = models.FloatField(null=True)
    bytes = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["clip", "form"], name="one_delivery_per_clip_and_form")]

    def __str__(self) -> str:
        return f"{self.clip} as {self.form}"

    @property
    def path(self) -> MediaFile:
        folder = self.form.replace(" ", "_")
        return media_file("delivered", folder, self.clip.sha256[:2], f"{self.clip.sha256}.wav")
