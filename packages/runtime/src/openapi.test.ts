import { appProgram } from '@quire/mcp/fixtures/app-server'
import { parseToolsets } from '@quire/mcp/toolsets/config'
import { verifies } from '@quire/spec/verifies'
import { afterAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  type Document,
  exampleOf,
  faultsIn,
  operationsOf,
  type Placed,
  propertiesIn,
} from './openapi.fixture.ts'
import { startRuntime } from './runtime.fixture.ts'

const JSON_TYPE = 'application/json'
const service = await startRuntime({
  toolsets: parseToolsets({ mcpServers: { app: appProgram() } }, {}),
})
afterAll(service.close)
const document = (await (await service.ask('GET', '/openapi.json')).json()) as Document
const operations = operationsOf(document)
const named = operations.map((placed) => [placed.operation.operationId, placed] as const)
const isGood = (status: string) => status.startsWith('2')

test('says what the service is', () => {
  verifies('RT-DOCS-3')
  expect(document.info.description).toMatch(/Agents as a service.*421/s)
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(['Agent', 'Prompt', 'Answer']),
  )
})

test('every property of every schema says what it is', () => {
  const bodies = operations.flatMap(({ operation }) =>
    [operation.requestBody, ...Object.values(operation.responses)].flatMap((body) => schemasOf(body)),
  )
  const all = [...Object.entries(document.components.schemas), ...bodies].flatMap(([name, schema]) =>
    propertiesIn(document, schema, name),
  )
  expect(all.length).toBeGreaterThan(150)
  expect(all.filter(([, description]) => !description?.match(/\w/)).map(([path]) => path)).toEqual([])
})

function schemasOf(body: Answer | undefined) {
  return Object.entries(body?.content ?? {}).map(([type, { schema }]) => [type, schema] as const)
}

describe.each(named)('%s', (_id, { operation }) => {
  test('has a summary, a description, and words for its parameters', () => {
    expect(operation.summary).toMatch(/\w/)
    expect(operation.description).toMatch(/\w/)
    for (const { name, in: place, description, schema } of operation.parameters ?? []) {
      expect(description, name).toMatch(/\w/)
      if (place === 'path') expect(schema.example, name).toEqual(expect.any(String))
    }
  })

  test('has examples that fit their schemas', () => {
    const { requestBody, responses } = operation
    const answers = [...Object.entries(responses), ...(requestBody ? [['200', requestBody] as const] : [])]
    for (const [status, { content = {} }] of answers)
      for (const [type, media] of Object.entries(content)) {
        const example = exampleOf(document, media)
        if (isGood(status) || type !== JSON_TYPE) expect(example, `${status} ${type}`).toBeDefined()
        if (example === undefined) continue
        const values = type === JSON_TYPE ? [example] : valuesIn(String(example))
        expect(values.length).toBeGreaterThan(0)
        for (const value of values) expect(faultsIn(document, value, media.schema), status).toEqual([])
        if (!isGood(status) && type === JSON_TYPE)
          expect(example).toMatchObject({ status_code: Number(status) })
      }
  })
})

/** Of a stream: server-sent events, or lines. */
function valuesIn(sample: string): readonly unknown[] {
  return sample
    .split('\n')
    .flatMap((line) => /^(?:data: )?([[{].*)/.exec(line)?.[1] ?? [])
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data))
}

/** What goes before, and where an example of the document cannot be what is there now. */
const LAST = ['deleteConversation', 'deleteAgent']
const inOrder = operations.toSorted((first, second) => rank(first) - rank(second))

function rank({ operation }: Placed): number {
  return LAST.indexOf(operation.operationId)
}

test('every example of a request works when it is sent, and its answer is of the shape that is described', async () => {
  const isReady = async () => (await service.ask('GET', '/api/v1/configure/mcp-toolsets-status')).json()
  await expect.poll(isReady).toMatchObject({ ready_count: 1 })
  await service.ask('POST', '/api/v1/agents/guide/prompt/sync', {
    body: { message: 'hi', conversation_id: 'my-first' },
  })
  for (const placed of inOrder) {
    const { operation } = placed
    const values = operation.operationId === 'decideToolCall' ? await waitingCall() : {}
    const response = await send(placed, values)
    const text = await response.text()
    expect(response.status, `${operation.operationId}: ${text}`).toBeGreaterThanOrEqual(200)
    expect(response.status, `${operation.operationId}: ${text}`).toBeLessThan(300)
    expect(text, operation.operationId).not.toMatch(/"type":"(?:error|RUN_ERROR)"|"error":\{"code"/)
    const described = operation.responses[response.status]
    expect(described, `${operation.operationId} ${response.status}`).toBeDefined()
    const type = response.headers.get('content-type')?.split(';')[0] ?? ''
    if (response.status === 204) continue
    const media = described?.content?.[type]
    if (!media) throw new Error(`${operation.operationId} answers ${type}, which it does not describe`)
    for (const value of type === JSON_TYPE ? [JSON.parse(text)] : valuesIn(text))
      expect(faultsIn(document, value, media.schema), operation.operationId).toEqual([])
    for (const [name, { required }] of Object.entries(described?.headers ?? {}))
      if (required) expect(response.headers.has(name), `${operation.operationId} ${name}`).toBe(true)
  }
})

function send({ method, path, operation }: Placed, values: Readonly<Record<string, string>>) {
  const { parameters = [], requestBody } = operation
  const exampleFor = (name: string) =>
    values[name] ?? parameters.find((parameter) => parameter.name === name)?.schema.example
  const url = new URL(
    `${service.url}${path.replaceAll(/\{(\w+)\}/g, (_match, name) => String(exampleFor(name)))}`,
  )
  const headers: Record<string, string> = {}
  for (const { name, in: place, schema } of parameters) {
    if (schema.example === undefined || place === 'path') continue
    if (place === 'query') url.searchParams.set(name, String(schema.example))
    else headers[name] = String(schema.example)
  }
  const media = requestBody?.content?.[JSON_TYPE]
  if (media) headers['content-type'] = JSON_TYPE
  return fetch(url, {
    method: method.toUpperCase(),
    headers,
    ...(media && { body: JSON.stringify(exampleOf(document, media)) }),
    signal: AbortSignal.timeout(30_000),
  })
}

/** Its id is made by chance. */
async function waitingCall(): Promise<Record<string, string>> {
  const agent = { id: 'careful', name: 'Careful', mcp_toolsets: ['*'], tool_approval: true }
  await service.ask('POST', '/api/v1/agents', { body: agent })
  const body = { message: 'call app__weather with {"city": "Bern"}', conversation_id: 'decided' }
  const answer = await service.ask('POST', '/api/v1/agents/careful/prompt/sync', { body })
  const { tool_calls } = (await answer.json()) as { tool_calls: { id: string }[] }
  return { conversation_id: 'decided', call_id: tool_calls[0]?.id ?? '' }
}
