import { exceedsDepth, isRecord } from '@quire/mcp/json'
import type { Asker, Params } from '../rpc.ts'
import type { LinkEvents } from './link.ts'
import type { ProgressToken } from './outgoing-params.ts'
import { createQuestions, type MessageId, type QuestionAnswer, toQuestion } from './questions.ts'
import { tell, tellProgress, toLog } from './told.ts'

/** The askers of the one client whom a message can concern; undefined when there are several clients. */
export type Audience = () => readonly Asker[] | undefined

/** What servers say and ask of their own accord. */
export interface IncomingCalls {
  /** A request or a notification; true: it needs nobody else. */
  take(message: Readonly<Record<string, unknown>>, method: string, audience: Audience): boolean
  /** Withdraws all questions. */
  end(): void
}

export interface IncomingCallsOptions extends Pick<LinkEvents, 'onLog' | 'onGarbage'> {
  readonly server: string
  /** Who waits for progress under that token of ours, and what they call it. */
  readonly byToken: (
    token: number,
  ) => { readonly asker: Asker; readonly token: ProgressToken | undefined } | undefined
  readonly respond: (id: MessageId, answer: QuestionAnswer) => void
}

const TOO_DEEP = { error: { code: -32600, message: 'The request is nested too deeply to be accepted.' } }

export function createIncomingCalls(options: IncomingCallsOptions): IncomingCalls {
  const { server, byToken, respond, onLog, onGarbage } = options
  const questions = createQuestions(server)

  function takeNotification(method: string, params: Params, audience: Audience): boolean {
    switch (method) {
      case 'notifications/progress': {
        const entry = byToken(Number(params.progressToken))
        if (entry) tellProgress(entry.asker, entry.token, params)
        return true
      }
      case 'notifications/message':
        if (!tell(audience(), method, params)) onLog(toLog(params))
        return true
      case 'notifications/elicitation/complete':
        tell(audience(), method, params)
        return true
      case 'notifications/cancelled':
        questions.cancel(params.requestId)
        return false
      default:
        return false
    }
  }

  return Object.freeze({
    take(message: Readonly<Record<string, unknown>>, method: string, audience: Audience): boolean {
      const isDeep = exceedsDepth(message)
      const question = toQuestion(message)
      if (question) {
        const reply = (answer: QuestionAnswer) => respond(question.id, answer)
        if (isDeep) reply(TOO_DEEP)
        else questions.take(question, audience(), reply)
        return true
      }
      if (!isDeep) return takeNotification(method, isRecord(message.params) ? message.params : {}, audience)
      onGarbage()
      return true
    },
    end: questions.end,
  })
}
