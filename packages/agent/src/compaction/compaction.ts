import type { Message, UserMessage } from '../message.ts'
import type { Model, ToolDeclaration } from '../model/model.ts'
import type { Usage } from '../usage.ts'
import { shortenResults } from './shorten.ts'
import { isSummary, requestIn, summarize, summaryMessage } from './summary.ts'
import { tailStart } from './tail-start.ts'
import { CHARACTERS_PER_TOKEN, createTokenEstimate } from './token-estimate.ts'

const DEFAULT_SHARE = 0.8
const DEFAULT_WINDOW = 128_000
const DEFAULT_SUMMARY_MS = 60_000
/** The last turns are kept as they are as long as they fit into this share of the window. */
const KEPT_SHARE = 0.5
/** What the model may be given to summarise, and what it may write, of the window. */
const TRANSCRIPT_SHARE = 0.5
const SUMMARY_SHARE = 0.1
const MAX_SUMMARY_TOKENS = 2_500
const OLD_RESULT_CHARACTERS = 2_000
/** Tried one after the other where even the last turns are too long. */
const LAST_RESULT_CHARACTERS = [40_000, 10_000, 2_000]
const SMALLEST_RATIO = 0.5
const LARGEST_RATIO = 4

export interface CompactionOptions {
  /** Share of the model's window that a prompt may fill; 0.8 by default. */
  readonly share?: number
  /** How long the model may take for a summary. */
  readonly summaryMs?: number
}

export interface CompactionRequest {
  readonly model: Model
  readonly system?: string | undefined
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDeclaration[]
  readonly signal: AbortSignal
  /** In place of the options' share, where that was too much. */
  readonly target?: number
  /** The provider refused these very messages as `too_long`, whatever the estimate says. */
  readonly isTooLong?: boolean
  /** What was sent before, with the same system prompt and tools, and the tokens that it took: it corrects the estimate. */
  readonly last?: { readonly messages: readonly Message[]; readonly promptTokens: number } | undefined
}

export interface Compacted {
  /** What to send in place of the messages. */
  readonly messages: readonly Message[]
  /** So many of the first messages are now one, the first. 0: only long answers of tools were cut. */
  readonly replaced: number
  /** The text of that first message, for whoever keeps it. Absent where the model wrote no summary: then nothing is worth keeping. */
  readonly summary?: string
  /** What the summary took. */
  readonly usage?: Usage
}

export interface Compaction {
  /** Undefined where nothing is to be done, or nothing can be. Rejects only when the signal aborts. */
  compact(request: CompactionRequest): Promise<Compacted | undefined>
}

/** Keeps a conversation within the window of its model: first long answers of tools are cut, then the oldest turns give way to a summary. */
export function createCompaction(options: CompactionOptions = {}): Compaction {
  const estimate = createTokenEstimate()
  const { share = DEFAULT_SHARE, summaryMs = DEFAULT_SUMMARY_MS } = options

  async function compact(request: CompactionRequest): Promise<Compacted | undefined> {
    const { model, messages, signal } = request
    const window = model.contextWindow ?? DEFAULT_WINDOW
    const fixed = estimate.ofText(request.system ?? '') + estimate.ofTools(request.tools)
    const ratio = ratioOf(request, fixed, window)
    const limit = (request.target ?? share) * window
    const tokensOf = (some: readonly Message[]): number => ratio * estimate.ofMessages(some)
    const isWithin = (some: readonly Message[]): boolean => ratio * fixed + tokensOf(some) <= limit
    if (isWithin(messages)) return undefined

    const summaryTokens = Math.floor(Math.min(MAX_SUMMARY_TOKENS, SUMMARY_SHARE * window))
    const room = limit - ratio * fixed - summaryTokens
    const start = tailStart(messages, Math.min(KEPT_SHARE * window, room), tokensOf)
    const older = shortenResults(messages.slice(0, start), OLD_RESULT_CHARACTERS)
    const kept = messages.slice(start)
    if (isWithin([...older, ...kept])) return { messages: [...older, ...kept], replaced: 0 }

    const tail = shortenUntil(kept, (some) => tokensOf(some) <= room)
    if (!isWorthReplacing(older, kept)) {
      return tail === kept ? undefined : { messages: [...older, ...tail], replaced: 0 }
    }
    const summary = await summarize({
      model,
      messages: older,
      maxCharacters: Math.floor((TRANSCRIPT_SHARE * window * CHARACTERS_PER_TOKEN) / ratio),
      maxTokens: summaryTokens,
      deadlineMs: summaryMs,
      signal,
    })
    const first = summaryMessage(summary?.text, kept.some(isUser) ? undefined : lastRequest(older))
    return {
      messages: [first, ...tail],
      replaced: start,
      ...(summary !== undefined && { summary: first.text, usage: summary.usage }),
    }
  }

  function ratioOf({ last, isTooLong, messages }: CompactionRequest, fixed: number, window: number): number {
    const known =
      last === undefined ? 1 : last.promptTokens / Math.max(1, fixed + estimate.ofMessages(last.messages))
    const ratio = Math.min(LARGEST_RATIO, Math.max(SMALLEST_RATIO, known))
    return isTooLong ? Math.max(ratio, window / Math.max(1, fixed + estimate.ofMessages(messages))) : ratio
  }

  return Object.freeze({ compact })
}

/** A lone message that would have to be repeated in its replacement, or is one already, stays. */
function isWorthReplacing(older: readonly Message[], kept: readonly Message[]): boolean {
  const [first, ...more] = older
  if (first === undefined || more.length > 0) return more.length > 0
  return first.role !== 'user' || (kept.some(isUser) && !isSummary(first))
}

function shortenUntil(
  messages: readonly Message[],
  fits: (messages: readonly Message[]) => boolean,
): readonly Message[] {
  let shortened = messages
  for (const limit of LAST_RESULT_CHARACTERS) {
    if (fits(shortened)) break
    shortened = shortenResults(messages, limit)
  }
  return shortened
}

function lastRequest(messages: readonly Message[]): string | undefined {
  const message = messages.findLast(isUser)
  return message === undefined ? undefined : requestIn(message)
}

function isUser(message: Message): message is UserMessage {
  return message.role === 'user'
}
