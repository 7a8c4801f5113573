import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { Decided, Decision, Message } from '../contract.ts'
import { FRAMES, StreamFrame } from '../conversation-contract.ts'
import type { CancelOutcome, Turn } from '../turns/turns.ts'
import { requireConversation } from './conversations.ts'
import {
  body,
  events,
  failure,
  json,
  lastEventIdHeader,
  conversationParams as params,
  REFUSED,
  UNAVAILABLE,
  UNKNOWN_CONVERSATION,
  UNREADABLE,
} from './declare.ts'
import type { RuntimeParts } from './parts.ts'
import { streamTurn } from './stream-turn.ts'

type TurnParts = Pick<RuntimeParts, 'turns' | 'conversations' | 'sse' | 'streamEnd'>

const tags = ['conversations']
const security = needs('agents:prompt')
const DECIDED_BEFORE = Object.freeze({
  409: failure(
    409,
    'There is nothing to decide any more.',
    'The call "call_1" was decided already, and a decision stands.',
  ),
})

const CANCEL_ANSWERS: Readonly<Record<CancelOutcome, string>> = Object.freeze({
  cancelled: 'The turn is cancelled.',
  requested: 'The turn is being cancelled: the process that runs it has not answered yet.',
  none: 'Nothing was under way.',
})

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
      'With `Last-Event-ID` from after that frame; without it, or with one that is not of this turn, from the beginning of the turn. 204, after which an `EventSource` asks no more, when there is nothing to send: the frame named was the last, or none was named and no turn is under way or waits for a decision.',
    security,
    request: { params, headers: lastEventIdHeader },
    responses: {
      ...REFUSED,
      ...UNKNOWN_CONVERSATION,
      ...UNAVAILABLE,
      200: events('The frames.', StreamFrame, FRAMES),
      204: { description: 'Nothing is under way, and nothing was missed.' },
    },
  })
  app.openapi(join, async (c) => {
    const owner = c.get('principal').subject
    const record = await requireConversation(conversations, owner, c.req.valid('param').conversation_id)
    parts.sse.readers.assertRoom(c.get('principal').subject)
    const lastEventId = c.req.header('last-event-id')
    const turn = await turns.join(owner, record.id)
    if (!turn) return c.body(null, 204)
    const after = placeIn(turn, lastEventId)
    if (record.status === 'running') return streamTurn(c, parts, turn, { after })
    // Whoever has seen nothing is shown what a turn waits for, and nothing of one that is over: that is in the conversation.
    const isWanted =
      lastEventId === undefined
        ? record.status === 'waiting'
        : await hasMore(turn, { after, signal: c.req.raw.signal })
    if (!isWanted) return c.body(null, 204)
    return streamTurn(c, parts, turn, { after })
  })

  const cancel = createRoute({
    tags,
    method: 'post',
    path: `${prefix}/conversations/{conversation_id}/cancel`,
    operationId: 'cancelConversation',
    summary: 'Cancel the turn that is under way',
    description:
      'It is stopped down to the model and the tools, and what there was of the answer is kept. A turn that waits for a decision is cancelled too. Where nothing is under way nothing happens, and the answer is the same. 202 when the process that runs the turn has not stopped it yet: nothing more is begun for it, and it is cancelled as soon as that process is heard of, or interrupted when it is not.',
    security,
    request: { params },
    responses: {
      ...REFUSED,
      ...UNKNOWN_CONVERSATION,
      ...UNAVAILABLE,
      200: json('Nothing is under way any more.', Message, { message: 'The turn is cancelled.' }),
      202: json('It is not over yet.', Message, { message: CANCEL_ANSWERS.requested }),
    },
  })
  app.openapi(cancel, async (c) => {
    const owner = c.get('principal').subject
    const { id } = await requireConversation(conversations, owner, c.req.valid('param').conversation_id)
    const outcome = await turns.cancel(owner, id)
    return c.json({ message: CANCEL_ANSWERS[outcome] }, outcome === 'requested' ? 202 : 200)
  })

  const approve = createRoute({
    tags,
    method: 'post',
    path: `${prefix}/conversations/{conversation_id}/approvals/{call_id}`,
    operationId: 'decideToolCall',
    summary: 'Approve or refuse the call of a tool',
    description:
      'Of an agent with `tool_approval`, whose turn waits for it. After the last decision the turn goes on, and can be joined.',
    security,
    request: {
      params: params.extend({
        call_id: z
          .string()
          .describe('The `id` of the call, as `approval_request` has it.')
          .openapi({ example: 'call_1' }),
      }),
      ...body(Decision),
    },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN_CONVERSATION,
      ...DECIDED_BEFORE,
      ...UNAVAILABLE,
      200: json('It is stored.', Decided),
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
async function hasMore(turn: Turn, options: Parameters<Turn['frames']>[0]): Promise<boolean> {
  for await (const _frame of turn.frames(options)) return true
  return false
}
