import type { UIMessage } from 'ai'

export const user = (content: string): UIMessage => ({
  id: 'u1',
  role: 'user',
  parts: [{ type: 'text', text: content }],
})
/** What `useChat` posts. */
export const request = (id: string, more: object = {}) => ({
  id,
  messages: [user('hello')],
  trigger: 'submit-message',
  ...more,
})
