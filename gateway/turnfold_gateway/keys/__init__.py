"""Who calls: keys, the tenants that they are bound to, and what they may be used for.

secrets         a key as it is shown once, and as it is stored
store           keys in SQL
kept            a key in a file
audit           what administrators did, in SQL
cell_keys       keys of one cell, looked up in threads of its own
ring            keys of callers, from a cache that is never older than a setting says
access          `authenticate(request, scope)`, `caller_with(request, token, scope)`; requests a minute, in Redis
"""

from turnfold_gateway.keys.access import authenticate, caller_with
from turnfold_gateway.keys.ring import Caller, KeyRing
from turnfold_gateway.keys.secrets import Scope

__all__ = ["Caller", "KeyRing", "Scope", "authenticate", "caller_with"]
