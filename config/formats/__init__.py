"""How dates and times are written on pages: in one way in each language, found by Django's FORMAT_MODULE_PATH."""
