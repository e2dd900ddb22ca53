"""Sessions and memories for agent frameworks, which keep their conversations in Turnfold.

`openai_agents.TurnfoldSession`, `langchain.TurnfoldMiddleware` and `TurnfoldHistory`, `llama_index.TurnfoldMemory`,
`pydantic_ai.TurnfoldMemory`, `agent_framework.TurnfoldHistoryProvider`, `haystack.TurnfoldRetriever` and
`TurnfoldWriter`, `google_adk.TurnfoldPlugin`, `litellm.TurnfoldHook`: each takes a client and a budget, appends the
messages that its framework adds, and returns a context within the budget in place of the whole history. A framework is
imported only by its own module.
"""
