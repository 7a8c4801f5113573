/** The beginning of the API's documentation. */
export const API_DESCRIPTION = `Agents as a service: make agents, ask them (streamed or complete), keep their conversations, and give them the tools of MCP servers.

Try it: \`POST /api/v1/agents/guide/prompt/sync\` with \`{"message": "What can you do?"}\`. The agent \`guide\` needs no key of a model.

- A prompt begins a **turn** of a **conversation**. A turn goes on when its reader leaves: join it again with \`GET /api/v1/conversations/{conversation_id}/stream\`.
- Where a key was configured or issued, requests carry it as \`Authorization: Bearer KEY\`. Conversations belong to the name of the key that opened them; agents are everybody's.
- Every error is \`{"detail": "a sentence", "status_code": 404}\`.
- The same agents speak AG-UI, the UI message stream of the AI SDK, A2A, A2UI and MCP-UI, below the paths of those names.

# Models

A model is written \`provider:model\`. Providers are set up by variables of the environment of the server, which are read when it starts and never shown:

| provider | needs |
|---|---|
| \`builtin:guide\` | nothing: it follows rules |
| \`openai\` | \`OPENAI_API_KEY\` |
| \`anthropic\` | \`ANTHROPIC_API_KEY\` |
| \`google\` | \`GOOGLE_GENERATIVE_AI_API_KEY\`, \`GEMINI_API_KEY\` or \`GOOGLE_API_KEY\` |
| \`mistral\` | \`MISTRAL_API_KEY\` |
| \`groq\` | \`GROQ_API_KEY\` |
| \`amazon-bedrock\` | \`AWS_REGION\`, with \`AWS_BEARER_TOKEN_BEDROCK\` or with \`AWS_ACCESS_KEY_ID\` and \`AWS_SECRET_ACCESS_KEY\` |
| \`openai-compatible\` | \`OPENAI_COMPATIBLE_BASE_URL\` |
| \`ollama\`, \`lmstudio\`, \`vllm\` | nothing: they are looked for on this machine |

For example \`OPENAI_API_KEY=… npm start\`; then make an agent with the model \`openai:gpt-5.4\`. \`GET /api/v1/configure/config\` says which models can be used here.`
