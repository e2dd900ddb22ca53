"""The page `/ui`: conversations as people look at them. Rendered here, with one small script of our own; no build step.

routes          addresses
sessions        a key in a cookie, who it is of, and whether a form was ours
safety          headers of every answer, files that browsers keep
rendering       templates, and what they may call
answers         handlers that show pages: sign-in and errors as pages, too
reading         what of a request a page reads
pages           the pages, a module for each subject
views           what templates show, made of the SDK's records
"""

from turnfold_gateway.ui.routes import routes

__all__ = ["routes"]
