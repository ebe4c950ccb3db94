"""Usual names of columns, in English, German, French and Spanish; written plainly, without accents."""

import re
import unicodedata

ACCENTS = re.compile(r"[\u0300-\u036f]")

#: Names of keys, the likeliest first.
ITEM_NAMES = (
    "item", "item_id", "question_id", "utterance_id", "utt_id", "utt", "utterance", "sample_id", "prompt_id",
    "instruction_id", "sentence_id", "index", "id", "key", "i", "idx",
    "satz_id", "satz_nr", "satznummer", "frage_id", "frage_nr", "fragennummer", "beispiel_id", "kennung", "schlussel",
    "phrase_id", "question_no", "identifiant", "cle", "frase_id", "pregunta_id", "oracion_id", "identificador",
    "clave", "lfd_nr", "lfdnr", "laufende_nummer", "laufende_nr", "nr", "nummer", "no", "number", "num", "numero",
    "n°", "nº",
)  # fmt: skip
PAIR_NAMES = ("pair", "pair_id", "unit", "unit_key", "unit_id", "paar", "paar_id", "paar_nr", "paire", "paire_id",
              "par", "par_id")  # fmt: skip
#: What columns with these names are; the first that fits.
NAMED: tuple[tuple[str, str], ...] = (
    (r"(model|modell|modele|modelo|system|systeme|sistema|assistant)_?(a|1|left|links)", "system_a"),
    (r"(a|left|links)_(model|modell|system|assistant)(_name)?", "system_a"),
    (r"(model|modell|modele|modelo|system|systeme|sistema|assistant)_?(b|2|right|rechts)", "system_b"),
    (r"(b|right|rechts)_(model|modell|system|assistant)(_name)?", "system_b"),
    (r"(audio|wav|file|path|clip|datei)_?(a|1|left|links)(_?(path|file|wav))?", "audio_a"),
    (r"(a|left|links)_(audio|wav|file|path|clip|datei)(_?(path|file|wav))?", "audio_a"),
    (r"(audio|wav|file|path|clip|datei)_?(b|2|right|rechts)(_?(path|file|wav))?", "audio_b"),
    (r"(b|right|rechts)_(audio|wav|file|path|clip|datei)(_?(path|file|wav))?", "audio_b"),
    (r"(system|model|method|condition|modell|verfahren|methode|systeme|modele|sistema|modelo|metodo)"
     r"(_?(name|id|nom|nombre))?", "system"),
    ("|".join(PAIR_NAMES), "pair"),
    (r"(instruction|prompt|question)_?(path|audio|wav|file)", "prompt_audio"),
    (r"(instruction|prompt|question|transcript|sentence)(_?text)?", "prompt_text"),
    (r"(frage|satz|anweisung|aufforderung|eingabe)(_?text)?|(phrase|consigne|enonce|frase|oracion|pregunta|"
     r"instruccion|consigna)", "prompt_text"),
    (r"category|ability|task|domain|subset", "category"),
    (r"kategorie|rubrik|thema|themenbereich|bereich|categorie|rubrique|theme|domaine|categoria|tema|dominio",
     "category"),
    (r"(rater|annotator|worker|listener|judge|evaluator|subject|user|participant)(_?(id|name))?", "annotator"),
    (r"(bewerter|bewerterin|bewertende|horer|horerin|hoerer|proband|probandin|teilnehmer|teilnehmerin|evaluateur|"
     r"annotateur|auditeur|participante|evaluador|anotador|oyente)(_?(id|nr|name))?", "annotator"),
    (r"(time|timestamp|date|created_at|recorded_at|submitted_at|tstamp)", "recorded_at"),
    (r"datum|zeit|uhrzeit|zeitpunkt|zeitstempel|heure|horodatage|fecha|hora", "recorded_at"),
    (r"(comment|comments|remark|remarks|note|notes|reasoning)", "comment"),
    (r"kommentare?|bemerkung(en)?|anmerkung(en)?|notiz(en)?|commentaires?|remarques?|comentarios?|observacion(es)?",
     "comment"),
    (r"take", "take"),
    (r"turn", "turn"),
)  # fmt: skip
ANSWER_NAMES = re.compile(
    r"(label|winner|preference|preferred|vote|verdict|choice|ground_truth|gold|mos|cmos|rating|score|"
    r"naturalness|quality|intelligibility|overall|result|opinion|"
    r"bewertung|urteil|praferenz|gewinner|sieger|naturlichkeit|qualitat|verstandlichkeit|gesamteindruck|ergebnis|"
    r"gagnant|vainqueur|jugement|naturel|qualite|intelligibilite|"
    r"ganador|preferencia|puntuacion|calificacion|calidad|naturalidad|inteligibilidad)"
)
#: Columns of what systems said.
WORDS = re.compile(
    r"(.+_)?(response|answer|output|reply|completion|hypothesis|transcription|translation|antwort|antworten|ausgabe|"
    r"ubersetzung|transkription|transkript|reponse|sortie|traduction|respuesta|salida|traduccion)s?(_.+)?"
)
NO_WORDS = re.compile(
    r"prompt|question|instruction|reason|comment|reference|frage|anweisung|kommentar|bemerkung|begrundung|referenz|"
    r"consigne|remarque|pregunta|instruccion|comentario|(^|_)(path|id|time|type|len|length|lang|language|satz)$"
)


def plain_name(name: str) -> str:
    """A name in small letters without accents, its words apart by underscores.

    >>> plain_name("Lfd. Nr."), plain_name("Catégorie"), plain_name("MOS-Wert")
    ('lfd_nr', 'categorie', 'mos_wert')
    """
    letters = ACCENTS.sub("", unicodedata.normalize("NFD", name.strip()))
    return re.sub(r"[\s.\-]+", "_", letters).strip("_").lower()
