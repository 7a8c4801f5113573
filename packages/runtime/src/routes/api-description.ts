/** The beginning of the API's documentation. */
export const API_DESCRIPTION = `Agents as a service: make agents, ask them (streamed or complete), keep their conversations, and give them the tools of MCP servers.

Try it: \`POST /api/v1/agents/guide/prompt/sync\` with \`{"message": "What can you do?"}\`. The agent \`guide\` needs no key of a model.

- A prompt begins a **turn** of a **conversation**. A turn goes on when its reader leaves: join it again with \`GET /api/v1/conversations/{conversation_id}/stream\`.
- Where a key was configured or issued, requests carry it as \`Authorization: Bearer KEY\`. Conversations belong to the name of the key that opened them; agents are everybody's.
- Every error is \`{"detail": "a sentence", "status_code": 404}\`.
- The same agents speak AG-UI, the UI message stream of the AI SDK, A2A, A2UI and MCP-UI, below the paths of those names.`
