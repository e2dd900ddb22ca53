"""What tests of services that use Turnfold need; they import it from `turnfold.testing`.

messages        messages to workers, held until a test delivers them
model_server, model_http   a server in place of a provider of models, which fails on request
model_replies   what a careful model replies
"""
