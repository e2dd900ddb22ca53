"""Sessions and memories of agent frameworks that keep their conversations in Turnfold.

`openai_agents.TurnfoldSession`, `langchain.TurnfoldMiddleware` and `TurnfoldHistory`, `llama_index.TurnfoldMemory`,
`pydantic_ai.TurnfoldMemory`, `agent_framework.TurnfoldHistoryProvider`, `haystack.TurnfoldRetriever` and
`TurnfoldWriter`, `google_adk.TurnfoldPlugin`, `litellm.TurnfoldHook`: each takes a client and a budget, appends what
its framework adds, and gives back a context within the budget in place of the whole history. Nothing of a framework is
imported before its module is.
"""
