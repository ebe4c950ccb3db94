"""What is uploaded: tables of rows, archives of audio, whole studies."""
