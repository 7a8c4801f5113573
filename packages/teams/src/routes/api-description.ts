/** Markdown, for the beginning of the OpenAPI document. */
export const API_DESCRIPTION = `Teams of agents that share work. A **team** has members, each a model with a system prompt and tools, or an agent of an agent runtime. It is made as a draft, started, paused, resumed and stopped. A **task** is accepted in every state of the team, and done while it is running: exactly once, within its time, retried where that may help, reviewed where the team wants it.

What was acknowledged is stored: a task survives a crash, and goes on from its last stored step.

- Errors are \`{detail}\`; what is of the wrong shape is 422 with a list of \`errors\` beside it; what the state of a team or task does not allow is 409.
- A task that is created with an \`Idempotency-Key\` can safely be sent again.
- Events come as a list, or as a stream with \`Accept: text/event-stream\`.`
