"""Servers outside of this house: which addresses are asked, and connections that keep to what was checked."""
