"""Requests and sockets on their way in, and the worker in the same process."""
