import { createAnthropicMessages } from './anthropic-messages.ts'
import { createBedrockConverse } from './bedrock-converse.ts'
import { createGoogleGenerate } from './google-generate.ts'
import { createOpenAiChat, type UsagePlace } from './openai-chat.ts'
import { createOpenAiResponses } from './openai-responses.ts'
import type { Answer, EventAct, PeerFinish, PeerUsage, Wire } from './script.ts'

const USAGE: PeerUsage = { input: 10, output: 5 }

/** The wire is known by the end of the path, whatever stands before it. */
export function wireFor(path: string, body: unknown, usage = USAGE): Wire | undefined {
  const request = Object(body)
  const model = String(request.model)
  if (path.endsWith('/chat/completions'))
    return createOpenAiChat(model, usagePlaceOf(path, request.stream_options))
  if (path.endsWith('/responses')) return createOpenAiResponses(model)
  if (path.endsWith('/messages')) return createAnthropicMessages(model, usage)
  if (path.includes(':streamGenerateContent')) return createGoogleGenerate()
  if (path.endsWith('/converse-stream')) return createBedrockConverse()
  return undefined
}

export function isEvent(act: Answer['acts'][number]): act is EventAct {
  return !('raw' in act || 'gate' in act || 'cut' in act || 'endless' in act)
}

export function finishOf({ acts, finish }: Answer): PeerFinish | 'none' {
  return finish ?? (acts.some((act) => 'call' in act) ? 'tool_calls' : 'stop')
}

export function endOf(wire: Wire, answer: Answer): readonly (string | Uint8Array)[] {
  const finish = finishOf(answer)
  return finish === 'none' ? [] : wire.end(finish, answer.usage ?? USAGE)
}

/** Mistral sends them unasked: https://docs.mistral.ai/api/endpoint/chat */
function usagePlaceOf(path: string, options: unknown): UsagePlace {
  if (path.startsWith('/mistral/')) return 'last'
  return Object(options).include_usage === true ? 'own' : 'none'
}
