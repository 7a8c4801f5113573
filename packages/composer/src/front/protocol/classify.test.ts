import { isDeepStrictEqual } from 'node:util'
import { classifyInboundRequest } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { createClassifier, type MirrorHeaders } from './classify.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const INFO = 'io.modelcontextprotocol/clientInfo'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const LEVEL = 'io.modelcontextprotocol/logLevel'
const TASK = 'io.modelcontextprotocol/related-task'
const ABSENT = Symbol('absent')

const INFOS = [ABSENT, { name: 'a', version: '1' }, null, {}, { name: 'a' }, 7, { name: 'a', version: 1 }]
const CAPABILITY_SETS = [
  {},
  ABSENT,
  null,
  [],
  { sampling: {} },
  { sampling: 1 },
  { elicitation: {} },
  { elicitation: { form: {}, url: {} } },
  { roots: { listChanged: 'x' } },
  { unknown: { deep: [1] } },
  'text',
]
const METHODS = ['tools/call', 'initialize', 'ping', 'notifications/cancelled', '', 7, null, ABSENT]
const IDS = [1, 'a', 0, -1, 1.5, 2 ** 60, null, true, {}, '', ABSENT]
const VERSIONS = ['2026-07-28', '2025-11-25', '2099-01-01', 'v999', '', 7, null]
const HEADER_VERSIONS = [undefined, '2026-07-28', '2025-11-25', '2099-01-01', '', ' 2026-07-28 ']
const HEADER_METHODS = [undefined, 'tools/call', 'tools/list', 'initialize']
const EXTRAS = [{}, {}, {}, { extra: 1 }, { result: {} }, { error: { code: 1, message: 'm' } }]
const PROTOCOLS = ['2.0', '2.0', '2.0', '2.0', '1.0', ABSENT]

test('never disagrees with the classifier of the SDK, whatever the body and the headers are', () => {
  const random = createRandom(20261115)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const classify = createClassifier()
  const seen: Record<string, number> = {}
  for (let round = 0; round < 10_000; round += 1) {
    const body = JSON.parse(JSON.stringify(random() < 0.05 ? pick(ODD_BODIES) : createBody(pick, random)))
    const headers: MirrorHeaders = { version: pick(HEADER_VERSIONS), method: pick(HEADER_METHODS) }
    const ours = classify(body, headers)
    const theirs = judge(body, headers)
    if (!isDeepStrictEqual(ours, theirs))
      expect({ body, headers, verdict: ours }).toEqual({ body, headers, verdict: theirs })
    seen[ours.kind] = (seen[ours.kind] ?? 0) + 1
  }
  // Each outcome was really tried.
  expect(Object.values(seen).every((count) => count > 100)).toBe(true)
  expect(Object.keys(seen).sort()).toEqual(['legacy', 'modern', 'refused'])
})

const ODD_BODIES = [null, 7, 'text', [], [[]], [{}], true, [{ jsonrpc: '2.0', id: 1, method: 'ping' }]]

function createBody(pick: <Item>(items: readonly Item[]) => Item, random: () => number): object {
  // Mostly well formed, with a fault here and there.
  const odd = <Item>(items: readonly Item[], share = 0.15) => (random() < share ? pick(items) : items[0])
  const meta = {
    [VERSION]: random() < 0.6 ? odd(VERSIONS, 0.3) : ABSENT,
    [INFO]: odd(INFOS, 0.4),
    [CAPABILITIES]: odd(CAPABILITY_SETS, 0.4),
    [LEVEL]: odd([ABSENT, 'info', 'loud', 7]),
    [TASK]: odd([ABSENT, { taskId: 't' }, 7], 0.05),
    progressToken: odd([ABSENT, 1, 'p', 1.5, null, {}]),
  }
  const params = { name: 'x', _meta: odd([meta, ABSENT, null, 7, [], {}], 0.3) }
  return strip({
    jsonrpc: pick(PROTOCOLS),
    id: odd(IDS, 0.4),
    method: odd(METHODS, 0.4),
    params: odd([params, ABSENT, null, [], 'x', {}], 0.2),
    ...odd(EXTRAS),
  })
}

function strip(value: unknown): object {
  const entries = Object.entries(value ?? {}).filter(([, member]) => member !== ABSENT)
  return Object.fromEntries(entries.map(([key, member]) => [key, isPlain(member) ? strip(member) : member]))
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function judge(body: unknown, { version, method }: MirrorHeaders): unknown {
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    body,
  })
  if (outcome.kind === 'legacy') return { kind: 'legacy' }
  if (outcome.kind === 'modern')
    return { kind: 'modern', message: outcome.message, revision: outcome.classification.revision }
  const { httpStatus: status, code, message, data } = outcome
  return { kind: 'refused', status, error: { code, message, ...(data !== undefined && { data }) } }
}

/** Mulberry32: the same shapes in each run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296
  }
}
