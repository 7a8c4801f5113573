import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'
import * as Y from 'yjs'
import type { QuireInBrowser } from '../browser.fixture.ts'
import { awarenessFrame } from './live/frames.ts'

const REVISION = '2026-07-28'

/** A call of a tool of the notebook service, as an agent makes it. Throws what it fails with. */
export async function callTool(
  quire: QuireInBrowser,
  name: string,
  args: Record<string, unknown>,
  client = 'test',
) {
  const answer = await quire.fetch('/notebook/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientInfo': { name: client, version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  const { result, error } = (await answer.json()) as Reply
  if (error || result?.isError) throw new Error(JSON.stringify(error ?? result?.content))
  return result?.structuredContent
}

interface Reply {
  readonly error?: unknown
  readonly result?: {
    readonly isError?: boolean
    readonly content: unknown
    readonly structuredContent: unknown
  }
}

/** A notebook with these cells of code, as a file; answers its path. */
export async function makeNotebook(quire: QuireInBrowser, path: string, sources: readonly string[] = []) {
  const cells = sources.map((source, index) => ({
    id: `cell-${index + 1}`,
    cell_type: 'code',
    source,
    metadata: {},
    execution_count: null,
    outputs: [],
  }))
  return writeNotebook(quire, path, cells)
}

export async function writeNotebook(quire: QuireInBrowser, path: string, cells: readonly unknown[]) {
  const notebook = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells }
  await writeFile(join(quire.folder, 'data/notebooks', path), JSON.stringify(notebook))
  return path
}

/** As a room tells of that many who are in it, each in the first cell. */
export function crowdFrame(size: number): Buffer {
  const awareness = new Awareness(new Y.Doc())
  const ids = Array.from({ length: size }, (_, index) => index + 1)
  for (const id of ids) {
    awareness.states.set(id, { user: { name: `Guest ${id}` }, cell: 'cell-1' })
    awareness.meta.set(id, { clock: 1, lastUpdated: 0 })
  }
  const frame = awarenessFrame(encodeAwarenessUpdate(awareness, ids))
  awareness.destroy()
  return Buffer.from(frame)
}

export function cellOf(page: Page, number: number) {
  return page.getByRole('region', { name: new RegExp(`^Cell ${number},`) })
}

export function codeOf(page: Page, number: number) {
  return page.getByRole('textbox', { name: `Cell ${number}, code` })
}
