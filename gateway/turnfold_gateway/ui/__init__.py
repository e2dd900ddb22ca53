"""The page `/ui`: conversations for people to inspect. Rendered on the server, with one small script; no build step.

routes          addresses
sessions        a key in a cookie, its owner, and protection of forms
safety          headers of every response, and static files
rendering       templates, and the functions they may call
answers         decorators of handlers: sign-in and errors are shown as pages
reading         parameters that pages read from a request
pages           the pages, a module for each subject
views           data for templates, made from the SDK's records
"""

from turnfold_gateway.ui.routes import routes

__all__ = ["routes"]
