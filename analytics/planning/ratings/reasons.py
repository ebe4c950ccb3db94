"""Why ratings cannot be planned."""

from infrastructure.wording.reasons import ReasonCode

NO_RATINGS = ReasonCode("no_ratings_to_plan", "This protocol does not have single responses rated on a scale.")
