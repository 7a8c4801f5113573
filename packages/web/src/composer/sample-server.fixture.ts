import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A server on stdio whose tools try the pages: a deep form, pictures, failures, many of them, and texts that want to be more than texts. */

export const HOSTILE = `<img src=x onerror="document.title='owned'"></script><script>document.title='owned'</script>\u202egnp.exe\u202c`
export const HOSTILE_TOOL = 'a/b?c#d <img src=x onerror=alert(1)>'
/** A red square. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAAOklEQVR42u3OMQ0AAAgDsKmZf0GIwQXhaFIBzbSvREhISEhISEhISEhISEhISEhISEhISEhISEjozgKL7GiXhJ7JqQAAAABJRU5ErkJggg=='

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown> }
}

const PLAN = {
  type: 'object',
  properties: {
    note: { $ref: '#/$defs/text', description: 'Said at the end' },
    title: { type: 'string', description: 'What it is called' },
    colour: { enum: ['red', 'green', 'blue'], description: 'One of three' },
    urgent: { type: 'boolean' },
    count: { type: 'integer', minimum: 1, default: 3 },
    place: {
      type: 'object',
      description: 'Where it is',
      properties: { city: { type: 'string' }, floor: { type: 'integer' } },
      required: ['city'],
    },
    steps: {
      type: 'array',
      items: {
        type: 'object',
        properties: { what: { type: 'string' }, minutes: { type: 'number' } },
        required: ['what'],
      },
    },
    labels: { type: 'array', items: { type: 'string' } },
    more: { description: 'Whatever else' },
  },
  required: ['title', 'colour', 'place'],
  $defs: { text: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
}

const NOTHING = { type: 'object', properties: {}, additionalProperties: false }

const TOOLS = [
  {
    name: 'plan',
    description: 'Makes a plan of what it is told.',
    inputSchema: PLAN,
    annotations: { readOnlyHint: true },
  },
  { name: 'picture', description: 'Draws a red square.', inputSchema: NOTHING },
  { name: 'fail', description: isChanged() ? 'Always succeeds.' : 'Never succeeds.', inputSchema: NOTHING },
  { name: HOSTILE_TOOL, description: HOSTILE + 'x'.repeat(10_000), inputSchema: { type: 'object' } },
  ...Array.from({ length: 40 }, (_, index) => ({
    name: `many_${String(index).padStart(2, '0')}`,
    description: 'One of many.',
    inputSchema: NOTHING,
  })),
]

/** `node sample-server.fixture.ts [file]`: while there is such a file, it defines a tool in another way. */
function isChanged(): boolean {
  const [, , file] = process.argv
  return file !== undefined && existsSync(file)
}

function call({ name, arguments: args = {} }: NonNullable<Message['params']>): object {
  if (name === 'plan') return { content: [{ type: 'text', text: 'planned' }], structuredContent: args }
  if (name === 'picture')
    return {
      content: [
        { type: 'image', data: PICTURE, mimeType: 'image/png' },
        { type: 'image', data: 'bm8=', mimeType: 'text/html' },
      ],
    }
  if (name === 'fail') return { content: [{ type: 'text', text: 'no luck today' }], isError: true }
  process.stderr.write(`${HOSTILE}\n`)
  return {
    content: [
      { type: 'text', text: HOSTILE + 'y'.repeat(10_000) },
      { type: 'resource_link', uri: 'javascript:alert(1)', name: HOSTILE },
      { type: 'resource', resource: { uri: 'memo://x', text: HOSTILE } },
    ],
  }
}

function answer({ method, params = {} }: Message): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'sample', version: '1' },
    }
  if (method === 'tools/list') return { tools: TOOLS }
  if (method === 'tools/call') return call(params)
  return method === 'ping' ? {} : undefined
}

function receive(line: string): void {
  const message: Message = JSON.parse(line)
  if (message.id === undefined) return
  const result = answer(message)
  const told = result ? { result } : { error: { code: -32601, message: 'no such method' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...told })}\n`)
}

if (import.meta.main) createInterface({ input: process.stdin }).on('line', receive)
