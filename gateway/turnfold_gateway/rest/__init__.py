"""The routes of `/v1`, each one call of the SDK.

bodies          JSON in and out
turns           append
context         contexts
health          whether the process lives
"""

from turnfold_gateway.rest import context, health, turns

routes = [*health.routes, *turns.routes, *context.routes]
