"""Whether answers can be trusted: signals about those who give them, rules, and what came of them."""
