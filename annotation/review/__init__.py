"""What reviewers do about answers: adjudicate, comment, exclude."""
