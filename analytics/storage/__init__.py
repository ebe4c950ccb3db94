"""How much room the files of the installation take, and what can be removed safely."""

#: The name under which figures are kept.
FIGURES = "storage"
