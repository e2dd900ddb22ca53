"""Authenticate callers: keys, the tenants they are bound to, and their scopes.

secrets         a key as shown once, and its stored hash
store           keys in SQL
kept            a key in a file
audit           calls that needed the scope `admin`, in SQL
cell_keys       keys of one cell, looked up in threads of its own
ring            callers' keys, cached for as long as a setting says
access          `authenticate(request, scope)`, `caller_with(request, token, scope)`; rate limits in Redis
"""

from turnfold_gateway.keys.access import authenticate, caller_with
from turnfold_gateway.keys.ring import Caller, Forbidden, KeyRing
from turnfold_gateway.keys.secrets import Scope

__all__ = ["Caller", "Forbidden", "KeyRing", "Scope", "authenticate", "caller_with"]
