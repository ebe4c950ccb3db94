"""The queue of units that a person should look at again, and the page of one unit."""
