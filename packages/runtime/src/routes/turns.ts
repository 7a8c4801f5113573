import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { Decided, Decision, Message, StreamFrame } from '../contract.ts'
import type { Turn } from '../turns/turns.ts'
import { requireConversation } from './conversations.ts'
import { body, CONFLICT, json, REFUSED, UNAVAILABLE, UNKNOWN, UNREADABLE } from './declare.ts'
import type { RuntimeParts } from './parts.ts'
import { streamTurn } from './stream-turn.ts'

type TurnParts = Pick<RuntimeParts, 'turns' | 'conversations' | 'sse' | 'streamEnd'>

const tags = ['conversations']
const params = z.object({ conversation_id: z.string() })
const security = needs('agents:prompt')

/** What can be done with a turn once it is under way. */
export function mountTurns(app: ServiceApp, prefix: string, parts: TurnParts): void {
  const { turns, conversations } = parts

  const join = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/conversations/{conversation_id}/stream`,
    operationId: 'joinConversation',
    summary: 'Join the turn that is under way, or read the rest of the last one',
    description:
      'With `Last-Event-ID` from after that frame, else from the beginning of the turn. 204, after which an `EventSource` asks no more, when there is nothing to send: nothing is under way, and the frame named was the last, or none was named.',
    security,
    request: { params, headers: z.object({ 'last-event-id': z.string().optional() }) },
    responses: {
      ...REFUSED,
      ...UNKNOWN,
      ...UNAVAILABLE,
      200: { description: 'The frames', content: { 'text/event-stream': { schema: StreamFrame } } },
      204: { description: 'Nothing is under way, and nothing was missed' },
    },
  })
  app.openapi(join, async (c) => {
    const owner = c.get('principal').subject
    const record = await requireConversation(conversations, owner, c.req.valid('param').conversation_id)
    const lastEventId = c.req.header('last-event-id')
    const turn = await turns.join(owner, record.id)
    if (!turn) return c.body(null, 204)
    const after = placeIn(turn, lastEventId)
    const isUnderWay = record.status === 'running'
    if (!isUnderWay && (lastEventId === undefined || !(await hasMore(turn, after)))) return c.body(null, 204)
    return streamTurn(c, parts, turn, { after })
  })

  const cancel = createRoute({
    tags,
    method: 'post',
    path: `${prefix}/conversations/{conversation_id}/cancel`,
    operationId: 'cancelConversation',
    summary: 'Stop the turn that is under way, down to the model and the tools',
    security,
    request: { params },
    responses: {
      ...REFUSED,
      ...UNKNOWN,
      ...UNAVAILABLE,
      200: json('Nothing is under way any more', Message),
    },
  })
  app.openapi(cancel, async (c) => {
    const owner = c.get('principal').subject
    const { id } = await requireConversation(conversations, owner, c.req.valid('param').conversation_id)
    const wasRunning = await turns.cancel(owner, id)
    return c.json({ message: wasRunning ? 'The turn is cancelled.' : 'Nothing was under way.' }, 200)
  })

  const approve = createRoute({
    tags,
    method: 'post',
    path: `${prefix}/conversations/{conversation_id}/approvals/{call_id}`,
    operationId: 'decideToolCall',
    summary: 'Approve or refuse a call of a tool that waits for it; the turn goes on after the last one',
    security,
    request: { params: params.extend({ call_id: z.string() }), ...body(Decision) },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN,
      ...CONFLICT,
      ...UNAVAILABLE,
      200: json('It is stored; with status "running" the turn can be joined', Decided),
    },
  })
  app.openapi(approve, async (c) => {
    const { conversation_id, call_id } = c.req.valid('param')
    const owner = c.get('principal').subject
    const { id } = await requireConversation(conversations, owner, conversation_id)
    const { approved, args, reason } = c.req.valid('json')
    const turn = await turns.decide({
      owner,
      conversationId: id,
      callId: call_id,
      isApproved: approved,
      ...(args && { args }),
      ...(reason !== undefined && { reason }),
    })
    const message = `The call is ${approved ? 'approved' : 'refused'}. ${turn ? 'The turn goes on.' : 'The turn waits for decisions on others.'}`
    return c.json(
      { message, conversation_id: id, status: turn ? ('running' as const) : ('waiting' as const) },
      200,
    )
  })
}

const PLACE = /^[\w-]{1,128}(?:\.\d{1,15}){2}$/

/** A place in another turn, or none of ours, says nothing of this one: it is sent whole. */
function placeIn(turn: Turn, lastEventId: string | undefined): string | undefined {
  return lastEventId !== undefined && PLACE.test(lastEventId) && lastEventId.startsWith(`${turn.id}.`)
    ? lastEventId
    : undefined
}

/** Of a turn that is over. */
async function hasMore(turn: Turn, after: string | undefined): Promise<boolean> {
  for await (const _frame of turn.frames({ after })) return true
  return false
}
