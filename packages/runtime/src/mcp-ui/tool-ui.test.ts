import { appProgram } from '@quire/mcp/fixtures/app-server'
import { openToolsets } from '@quire/mcp/fixtures/open-toolsets'
import { expect, onTestFinished, test } from 'vitest'
import { UI_CAPABILITIES, uiResourceOf } from './tool-ui.ts'

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ ui: { resourceUri: 'ui://a' } }, 'ui://a'],
  [{ 'ui/resourceUri': 'ui://a' }, 'ui://a'],
  [{ ui: { resourceUri: 'ui://a' }, 'ui/resourceUri': 'ui://b' }, 'ui://a'],
  [{ ui: {}, 'ui/resourceUri': 'ui://b' }, 'ui://b'],
  [{ ui: { resourceUri: 'https://evil.example' } }, undefined],
  [{ ui: { resourceUri: 7 } }, undefined],
  [{ ui: 'ui://a' }, undefined],
  [{ ui: null }, undefined],
])('the user interface of a tool with %j is %s', (_meta, expected) => {
  expect(uiResourceOf(_meta ? { _meta } : {})).toBe(expected)
})

test('servers are told at the handshake that user interfaces can be shown', async () => {
  const { toolsets } = openToolsets({ app: appProgram() }, { capabilities: UI_CAPABILITIES })
  onTestFinished(toolsets.close)
  await toolsets.connection('app').whenReady(10_000)
  expect(await toolsets.call('app', 'seen', {})).toMatchObject({
    structuredContent: {
      capabilities: {
        extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
      },
    },
  })
})
