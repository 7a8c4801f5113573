import type { JsonObject } from '@quire/agent/json'
import type { BasicComponent } from './components.ts'
import { fenced, inlineCode } from './markdown.ts'

/** What the buttons of a card are called when they come back as actions. */
export const APPROVE = 'approve_tool'
export const REFUSE = 'refuse_tool'

export const CALL_STATUS = Object.freeze({
  running: 'Running…',
  waiting: 'Waits for your decision',
  done: 'Done',
  failed: 'Failed',
})

export interface ShownCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
}

/** Made of the id of the call alone, so that a decision can change the card without the turn. */
export function callId(id: string): string {
  return `call:${id}`
}

/** Its status and its result are read from the data model at `path`. */
export function callCard({ id, name, args }: ShownCall, path: string): readonly BasicComponent[] {
  const card = callId(id)
  return [
    { id: card, component: 'Card', child: `${card}:body` },
    callBody(id),
    { id: `${card}:name`, component: 'Text', text: inlineCode(name), variant: 'h5' },
    {
      id: `${card}:args`,
      component: 'Text',
      text: fenced(JSON.stringify(args, null, 2)),
      variant: 'caption',
    },
    { id: `${card}:status`, component: 'Text', text: { path: `${path}/status` }, variant: 'caption' },
    { id: `${card}:result`, component: 'Text', text: { path: `${path}/result` } },
  ]
}

export function callBody(id: string, last: 'result' | 'choice' | 'decision' = 'result'): BasicComponent {
  const card = callId(id)
  const children = ['name', 'args', 'status', last].map((part) => `${card}:${part}`)
  return { id: `${card}:body`, component: 'Column', children }
}

export function approvalCard(id: string, conversationId: string): readonly BasicComponent[] {
  const card = callId(id)
  const context = { conversation_id: conversationId, call_id: id }
  return [
    { id: `${card}:choice`, component: 'Row', children: [`${card}:approve`, `${card}:refuse`] },
    {
      id: `${card}:approve`,
      component: 'Button',
      child: `${card}:approve:label`,
      variant: 'primary',
      action: { event: { name: APPROVE, context } },
    },
    { id: `${card}:approve:label`, component: 'Text', text: 'Approve' },
    {
      id: `${card}:refuse`,
      component: 'Button',
      child: `${card}:refuse:label`,
      action: { event: { name: REFUSE, context } },
    },
    { id: `${card}:refuse:label`, component: 'Text', text: 'Refuse' },
    callBody(id, 'choice'),
  ]
}

/** Decided, while the turn waits for other decisions. */
export function decidedCard(id: string, isApproved: boolean): readonly BasicComponent[] {
  const text = isApproved ? 'You approved it.' : 'You refused it.'
  return [{ id: `${callId(id)}:decision`, component: 'Text', text }, callBody(id, 'decision')]
}
