import { expect, test } from 'vitest'
import { userInterfacesOf } from '../apps/user-interfaces.ts'
import { readAt, writeAt } from './pointer.ts'
import { parseMessages, toSurfaces } from './surface.ts'

test('a surface is built of its messages, in whichever way they are written', () => {
  const messages = [
    { version: 'v0.9.1', createSurface: { surfaceId: 's', catalogId: 'basic' } },
    {
      version: 'v0.9.1',
      updateComponents: { surfaceId: 's', components: [{ id: 'root', component: 'Text' }] },
    },
    { version: 'v0.9.1', updateDataModel: { surfaceId: 's', path: '/a/b', value: 1 } },
  ]
  for (const text of [JSON.stringify(messages), messages.map((one) => JSON.stringify(one)).join('\n')]) {
    const surface = toSurfaces(parseMessages(text)).get('s')
    expect(surface?.components.get('root')).toMatchObject({ component: 'Text' })
    expect(surface?.data).toEqual({ a: { b: 1 } })
  }
})

test.each([
  'no json',
  '{"updateComponents":{"surfaceId":"s"}}',
  '{"createSurface":{"surfaceId":1}}',
  '[null, 1, "x", {}]',
])('%s is no message', (text) => {
  expect(parseMessages(text)).toEqual([])
})

test('a pointer reads and writes nothing but what is there', () => {
  expect(readAt({ list: [{ name: 'x' }] }, 'name', '/list/0')).toBe('x')
  expect(readAt({}, '/constructor')).toBeUndefined()
  expect(readAt({}, '/__proto__/x')).toBeUndefined()
  writeAt({}, '/__proto__/polluted', true)
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  expect(writeAt({ list: [1, 2] }, '/list/1', 3)).toEqual({ list: [1, 3] })
  expect(writeAt({ list: [1] }, '/list/999999', 3)).toEqual({ list: [1, 3] })
})

test('of an answer only pages of ui:// and messages of A2UI are shown', () => {
  const resource = (uri: string, mimeType: string, text = 'x') => ({
    type: 'resource',
    resource: { uri, mimeType, text },
  })
  const content = [
    resource('ui://a', 'text/html;profile=mcp-app'),
    resource('https://a', 'text/html'),
    resource('ui://b', 'text/plain'),
    resource('a2ui://c', 'application/a2ui+json'),
    { type: 'resource_link', uri: 'ui://d' },
    { type: 'resource_link', uri: 'file:///etc/passwd' },
  ]
  expect(userInterfacesOf({ content }).map(({ kind, uri }) => [kind, uri])).toEqual([
    ['app', 'ui://a'],
    ['surface', 'a2ui://c'],
    ['app', 'ui://d'],
  ])
})
