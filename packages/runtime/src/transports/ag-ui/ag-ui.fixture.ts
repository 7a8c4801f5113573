/** What a client posts. */
export const input = (threadId: string, more: object = {}) => ({
  threadId,
  runId: 'r1',
  messages: [{ id: 'm1', role: 'user', content: 'hello' }],
  tools: [],
  context: [],
  ...more,
})
