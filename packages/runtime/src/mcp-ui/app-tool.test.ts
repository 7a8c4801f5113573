import type { Tool } from '@modelcontextprotocol/client'
import { withOrigin } from '@quire/mcp/toolsets/tool-origin'
import { expect, test } from 'vitest'
import { findAppTool } from './app-tool.ts'

const VIEW = { ui: { resourceUri: 'ui://a/view' } }
const MODEL_ONLY = { ui: { visibility: ['model'] } }

function toolOf(name: string, _meta?: Tool['_meta']): Tool {
  return { name, inputSchema: { type: 'object' }, ...(_meta && { _meta }) }
}

function composed(server: string, tool: string, _meta?: Tool['_meta']): Tool {
  return withOrigin(toolOf(`${server}__${tool}`, _meta), { server, tool })
}

function toolsetsOf(tools: readonly Tool[], uris: readonly string[] = []) {
  const catalog = { resources: uris.map((uri) => ({ uri, name: uri })) }
  return {
    names: ['all'],
    tools: () => tools.map((tool) => ({ toolset: 'all', tool })),
    connection: () => ({ catalog: () => catalog }),
  } as unknown as Parameters<typeof findAppTool>[0]
}

const COMPOSED = toolsetsOf([
  composed('weather', 'show', VIEW),
  composed('weather', 'refresh'),
  composed('weather', 'think', MODEL_ONLY),
  composed('bank', 'refresh'),
  composed('bank', 'pay'),
  composed('bank', 'weather__show'),
])
const SINGLE = toolsetsOf([toolOf('show', VIEW), toolOf('refresh')])

test.each([
  ['its own name', 'refresh', 'weather__refresh'],
  ['the name that the agent knows', 'weather__refresh', 'weather__refresh'],
])('a page behind a composer calls a tool of its own server by %s', (_, tool, name) => {
  const found = findAppTool(COMPOSED, { toolset: 'all', tool, shownBy: 'all__weather__show' })
  expect(found).toMatchObject({ name: `all__${name}`, tool: { name } })
})

test.each([
  ["another server's, by its own name", 'pay', 'all__weather__show', 'whose user interface this is'],
  ["another server's, by its full name", 'bank__pay', 'all__weather__show', 'whose user interface this is'],
  ['one that is for models', 'think', 'all__weather__show', 'not for user interfaces'],
  ['any where nobody says who shows the page', 'weather__refresh', undefined, 'say in "shown_by"'],
  ['any where no tool shows the page', 'pay', 'all__nothing', 'say in "shown_by"'],
  ['any where a tool of another toolset does', 'pay', 'other__bank__pay', 'say in "shown_by"'],
  ['any of a server that has no pages', 'pay', 'all__bank__pay', 'not for user interfaces'],
])('a page behind a composer does not call %s', (_, tool, shownBy, reason) => {
  expect(() => findAppTool(COMPOSED, { toolset: 'all', tool, shownBy })).toThrow(reason)
})

test.each([undefined, 'all__show', 'all__nothing'])(
  'of a single server a page calls any tool, whatever shows it (%s)',
  (shownBy) => {
    expect(findAppTool(SINGLE, { toolset: 'all', tool: 'refresh', shownBy }).name).toBe('all__refresh')
  },
)

test('one tool without an origin does not open the others', () => {
  const mixed = toolsetsOf([toolOf('show', VIEW), composed('bank', 'pay')])
  expect(() => findAppTool(mixed, { toolset: 'all', tool: 'pay', shownBy: 'all__show' })).toThrow('shown_by')
})
