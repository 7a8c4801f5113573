import { CallerError } from '@quire/kit/errors'
import type { z } from 'zod'
import { ConversationId, Decision, Prompt } from '../contract.ts'
import type { Turn, Turns } from '../turns/turns.ts'
import { APPROVE, decidedCard, REFUSE } from './call-card.ts'
import { A2UI_VERSION, type A2uiMessage, type ClientAction } from './messages.ts'

/** What a client's own components may call the sending of a text, which is in `message` of the context. */
const SEND = 'send_message'

export interface ActionRequest {
  readonly owner: string
  readonly agentId: string
  readonly conversationId: string | undefined
  readonly action: ClientAction
}

/** A turn to be shown, or what there is to be shown without one. */
export type ActionOutcome =
  | { readonly turn: Turn; readonly messages?: undefined }
  | { readonly turn?: undefined; readonly conversationId: string; readonly messages: readonly A2uiMessage[] }

export async function takeAction(
  turns: Pick<Turns, 'prompt' | 'join' | 'decide'>,
  request: ActionRequest,
): Promise<ActionOutcome> {
  const { owner, agentId, action } = request
  const conversationId =
    request.conversationId ?? checked(ConversationId.optional(), action, 'conversation_id')
  if (action.name === APPROVE || action.name === REFUSE) return decide(turns, { ...request, conversationId })
  const message = toPrompt(action)
  return { turn: await turns.prompt({ owner, agentId, conversationId, message }) }
}

async function decide(
  turns: Pick<Turns, 'join' | 'decide'>,
  { owner, agentId, conversationId, action }: ActionRequest,
): Promise<ActionOutcome> {
  const { call_id: callId } = action.context
  const reason = checked(Decision.shape.reason, action, 'reason')
  if (conversationId === undefined || typeof callId !== 'string')
    throw invalid('body.action.context', 'must hold the "conversation_id" and the "call_id" of the decision')
  const current = await turns.join(owner, conversationId)
  if (current && current.agent.id !== agentId)
    throw new CallerError(
      'conflict',
      `This conversation is one of the agent "${current.agent.id}". Send the decision to it.`,
    )
  const isApproved = action.name === APPROVE
  const turn = await turns.decide({
    owner,
    conversationId,
    callId,
    isApproved,
    ...(!isApproved && reason !== undefined && { reason }),
  })
  if (turn) return { turn }
  const components = [...decidedCard(callId, isApproved)]
  const update = {
    version: A2UI_VERSION,
    updateComponents: { surfaceId: action.surfaceId, components },
  } as const
  return { conversationId, messages: [update] }
}

/** A model that did not make the component learns what it was. */
function toPrompt(action: ClientAction): string {
  const { name, sourceComponentId, context } = action
  if (name === SEND) return checked(Prompt.shape.message, action, 'message')
  const details = Object.keys(context).length > 0 ? ` with ${JSON.stringify(context)}` : ''
  return `The user chose ${JSON.stringify(name)} (component ${JSON.stringify(sourceComponentId)})${details}.`
}

/** A value of the context, held to the same rules as in the bodies of other routes. */
function checked<Schema extends z.ZodType>(
  schema: Schema,
  { context }: ClientAction,
  key: string,
): z.infer<Schema> {
  const result = schema.safeParse(context[key])
  if (result.success) return result.data
  throw invalid(`body.action.context.${key}`, result.error.issues[0]?.message ?? 'cannot be used')
}

function invalid(path: string, message: string): CallerError {
  return new CallerError('validation', `${path}: ${message}`, { errors: [{ path, message }] })
}
