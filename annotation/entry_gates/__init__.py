"""What is asked of annotators before their first unit: a module for each gate, and one for their order."""
