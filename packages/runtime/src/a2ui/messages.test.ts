import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  A2uiClientActionSchema,
  A2uiClientErrorSchema,
  A2uiMessageSchema,
  BASIC_COMPONENTS,
} from '@a2ui/web_core/v0_9'
import { expect, test } from 'vitest'
import { COMPONENTS } from './components.fixture.ts'
import { BasicComponent } from './components.ts'
import { A2uiMessage, ClientAction, ClientError } from './messages.ts'

/** The examples that the protocol's own package brings along. */
const EXAMPLES = join(
  dirname(createRequire(import.meta.url).resolve('@a2ui/web_core/v0_9')),
  'schemas/catalogs/basic/examples',
)

type Row = readonly [value: unknown, isValid: boolean]

const surfaceId = 's'
const version = 'v0.9.1'
const text = { id: 'root', component: 'Text', text: 'hello' }

const MESSAGES: readonly Row[] = [
  [{ version, createSurface: { surfaceId, catalogId: 'c' } }, true],
  [
    { version: 'v0.9', createSurface: { surfaceId, catalogId: 'c', theme: { a: 1 }, sendDataModel: true } },
    true,
  ],
  [{ version, updateComponents: { surfaceId, components: [text] } }, true],
  [{ version, updateComponents: { surfaceId, components: [{ component: 'Own', anything: [1] }] } }, true],
  [{ version, updateDataModel: { surfaceId } }, true],
  [{ version, updateDataModel: { surfaceId, path: '/a', value: null } }, true],
  [{ version, updateDataModel: { surfaceId, path: '/a', value: [{}] } }, true],
  [{ version, deleteSurface: { surfaceId } }, true],
  [{ createSurface: { surfaceId, catalogId: 'c' } }, false],
  [{ version: 'v0.8', createSurface: { surfaceId, catalogId: 'c' } }, false],
  [{ version: 'v1.0', createSurface: { surfaceId, catalogId: 'c' } }, false],
  [{ version, createSurface: { surfaceId } }, false],
  [{ version, createSurface: { catalogId: 'c' } }, false],
  [{ version, createSurface: { surfaceId, catalogId: 'c', more: 1 } }, false],
  [{ version, createSurface: { surfaceId, catalogId: 'c', sendDataModel: 'yes' } }, false],
  [{ version, createSurface: { surfaceId: 7, catalogId: 'c' } }, false],
  [{ version, createSurface: { surfaceId, catalogId: 'c' }, deleteSurface: { surfaceId } }, false],
  [{ version, updateComponents: { surfaceId, components: [] } }, false],
  [{ version, updateComponents: { surfaceId, components: [{ id: 'a' }] } }, false],
  [{ version, updateComponents: { surfaceId, components: [{ ...text, id: 1 }] } }, false],
  [{ version, updateComponents: { surfaceId, components: [{ ...text, weight: '1' }] } }, false],
  [{ version, updateComponents: { surfaceId, components: text } }, false],
  [{ version, updateDataModel: { surfaceId, path: 1 } }, false],
  [{ version, updateDataModel: { surfaceId, more: 1 } }, false],
  [{ version, deleteSurface: {} }, false],
  [{ version, deleteSurface: null }, false],
  [{ version }, false],
  [{ version, beginRendering: { surfaceId, root: 'root' } }, false],
  [[], false],
  [null, false],
  ['createSurface', false],
]

const action = {
  name: 'a',
  surfaceId,
  sourceComponentId: 'b',
  timestamp: '2026-11-15T10:00:00Z',
  context: {},
}
const ACTIONS: readonly Row[] = [
  [action, true],
  [{ ...action, context: { a: [1, { b: null }] } }, true],
  [{ ...action, timestamp: '2026-11-15T10:00:00.123456Z' }, true],
  [{ ...action, name: '' }, true],
  [{ ...action, timestamp: '2026-11-15T10:00:00+01:00' }, false],
  [{ ...action, timestamp: '2026-11-15' }, false],
  [{ ...action, timestamp: 'yesterday' }, false],
  [{ ...action, timestamp: 1763200000 }, false],
  [{ ...action, context: undefined }, false],
  [{ ...action, context: [] }, false],
  [{ ...action, context: null }, false],
  [{ ...action, name: null }, false],
  [{ ...action, sourceComponentId: undefined }, false],
  [{ ...action, more: 1 }, false],
  [{}, false],
]

const failed = { code: 'VALIDATION_FAILED', surfaceId, path: '/a', message: 'm' }
const ERRORS: readonly Row[] = [
  [failed, true],
  [{ code: 'OTHER', surfaceId, message: 'm' }, true],
  [{ code: 'OTHER', surfaceId, message: 'm', details: { a: 1 } }, true],
  [{ ...failed, path: undefined }, false],
  [{ ...failed, more: 1 }, false],
  [{ code: 'OTHER', message: 'm' }, false],
  [{ code: 'OTHER', surfaceId }, false],
  [{ code: 7, surfaceId, message: 'm' }, false],
  ['broken', false],
]

const shown = ([value, isValid]: Row) => [JSON.stringify(value), value, isValid] as const

test.each(MESSAGES.map(shown))(
  'the message %s is taken as by the published schema',
  (_name, value, isValid) => {
    expect([A2uiMessage.safeParse(value).success, A2uiMessageSchema.safeParse(value).success]).toEqual([
      isValid,
      isValid,
    ])
  },
)

test.each(ACTIONS.map(shown))(
  'the action %s is taken as by the published schema',
  (_name, value, isValid) => {
    const published = A2uiClientActionSchema.safeParse(value)
    expect([ClientAction.safeParse(value).success, published.success]).toEqual([isValid, isValid])
  },
)

test.each(ERRORS.map(shown))('the error %s is taken as by the published schema', (_name, value, isValid) => {
  const published = A2uiClientErrorSchema.safeParse(value)
  expect([ClientError.safeParse(value).success, published.success]).toEqual([isValid, isValid])
})

test.each(COMPONENTS)('%s with %j is taken as by the published catalog: %s', (name, properties, isValid) => {
  const published = BASIC_COMPONENTS.find((component) => component.name === name)
  const ours = BasicComponent.safeParse({ id: 'a', component: name, ...properties })
  expect([ours.success, published?.schema.safeParse(properties).success]).toEqual([isValid, isValid])
})

test('every component of the published catalog is in the table, valid and not', () => {
  const tried = (isValid: boolean) =>
    new Set(COMPONENTS.filter((row) => row[2] === isValid).map(([name]) => name))
  const all = new Set(BASIC_COMPONENTS.map(({ name }) => name))
  expect(tried(true)).toEqual(all)
  expect(tried(false)).toEqual(all)
  expect(BasicComponent.safeParse({ id: 'a', component: 'Hologram' }).success).toBe(false)
})

const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.json'))

test.each(files)('the published example %s is valid', (file) => {
  const { messages } = JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8'))
  for (const message of messages) {
    const parsed = A2uiMessage.parse(message)
    if (!('updateComponents' in parsed)) continue
    for (const component of parsed.updateComponents.components) BasicComponent.parse(component)
  }
})
