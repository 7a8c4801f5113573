import { randomUUID } from 'node:crypto'
import type { Redactor } from '@quire/kit/redact'
import { ComposerError } from '../composer-error.ts'
import type { HttpFront } from '../front/front-options.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Translator, TranslatorRequest } from '../translator-contract.ts'
import { createPassThrough, type PassThrough, type PassThroughOptions } from './pass-through.ts'
import { type CommandRules, planTranslator, type TranslatorPlan } from './translator-definition.ts'

/** Where clients of a translator come in. */
export interface TranslatorFronts {
  /** Streamable HTTP. */
  readonly mcp: HttpFront
  /** For clients of 2024. */
  readonly sse: HttpFront
}

export interface TranslatorsOptions extends PassThroughOptions, CommandRules {
  readonly frontsFor: (gateway: Gateway) => TranslatorFronts
  /** Where clients reach us; empty: endpoints are told as paths. */
  readonly publicUrl: () => string
  /** Learns what must not appear in logs. */
  readonly redactor?: Pick<Redactor, 'add'> | undefined
  readonly now?: () => Date
}

/** Servers that are offered by another transport than their own. They live as long as the process. */
export interface Translators {
  /** In the order in which they were made. */
  list(): readonly Translator[]
  /** Resolves when it can be used. Rejects with a `ComposerError`: `TRANSLATOR_EXISTS`, `COMMAND_NOT_ALLOWED`, `VALIDATION_ERROR`, `START_FAILED`; nothing is left then. */
  create(request: TranslatorRequest): Promise<Translator>
  /** Throws a `ComposerError` (`TRANSLATOR_NOT_FOUND`) where there is nothing to come in by. */
  fronts(id: string): TranslatorFronts
  /** Ends it and all that it runs. Rejects with a `ComposerError`: `TRANSLATOR_NOT_FOUND`. */
  remove(id: string): Promise<void>
  close(): Promise<void>
}

interface Entry {
  readonly id: string
  readonly request: TranslatorRequest
  readonly plan: TranslatorPlan
  readonly createdAt: string
  opening?: Promise<PassThrough>
  running?: PassThrough
  fronts?: TranslatorFronts
  ended?: Promise<void>
}

const MAX_TRANSLATORS = 32

export function createTranslators(options: TranslatorsOptions): Translators {
  const { frontsFor, publicUrl, redactor, now = () => new Date() } = options
  const entries = new Map<string, Entry>()
  let isClosed = false

  function toRecord({ id, request, plan, createdAt, running }: Entry): Translator {
    const { definition, ...shown } = plan
    return {
      id,
      name: request.name,
      type: request.type,
      status: definition ? (running?.state() ?? 'starting') : 'ready',
      ...(definition && { endpoint: `${publicUrl().replace(/\/$/, '')}/translators/${id}/mcp` }),
      ...shown,
      created_at: createdAt,
    }
  }

  function checkRoom(name: string): void {
    if (isClosed) throw new ComposerError('CANCELLED', 'The composer is shutting down.')
    if (entries.values().some((entry) => entry.request.name === name))
      throw new ComposerError(
        'TRANSLATOR_EXISTS',
        `There is a translator "${name}" already. Choose another name.`,
      )
    if (entries.size >= MAX_TRANSLATORS)
      throw new ComposerError(
        'VALIDATION_ERROR',
        `There are ${MAX_TRANSLATORS} translators already. Delete one first.`,
      )
  }

  async function run(entry: Entry): Promise<void> {
    const { definition } = entry.plan
    if (!definition) return
    entry.opening = createPassThrough(definition, options)
    entry.running = await entry.opening
    await entry.running.start()
    if (entry.ended) throw new ComposerError('CANCELLED', 'The translator was deleted meanwhile.')
    entry.fronts = frontsFor(entry.running.gateway)
  }

  function end(entry: Entry): Promise<void> {
    entry.ended ??= endNow(entry).finally(() => entries.delete(entry.id))
    return entry.ended
  }

  async function endNow({ fronts, opening }: Entry): Promise<void> {
    await Promise.all([fronts?.mcp.close(), fronts?.sse.close()])
    const running = await opening
    await running?.close()
  }

  return Object.freeze({
    list: () => [...entries.values()].map(toRecord),
    async create(request) {
      const plan = planTranslator(request, options)
      checkRoom(request.name)
      for (const secret of secretsOf(request)) redactor?.add(secret)
      const entry: Entry = { id: randomUUID(), request, plan, createdAt: now().toISOString() }
      entries.set(entry.id, entry)
      try {
        await run(entry)
      } catch (error) {
        await end(entry)
        throw error
      }
      return toRecord(entry)
    },
    fronts(id) {
      const fronts = entries.get(id)?.fronts
      if (!fronts) throw notFound()
      return fronts
    },
    async remove(id) {
      const entry = entries.get(id)
      if (!entry) throw notFound()
      await end(entry)
    },
    async close() {
      isClosed = true
      await Promise.all([...entries.values()].map(end))
    },
  } satisfies Translators)
}

function secretsOf(request: TranslatorRequest): readonly string[] {
  if (request.type === 'stdio-to-http') return Object.values(request.env ?? {})
  return request.type === 'sse-to-http' ? Object.values(request.headers ?? {}) : []
}

function notFound(): ComposerError {
  return new ComposerError(
    'TRANSLATOR_NOT_FOUND',
    'There is no such translator. List them to see what there is.',
  )
}
