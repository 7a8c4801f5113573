import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@quire/kit/config/config-error'
import { createLogger } from '@quire/kit/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPinFile } from './pin-file.ts'

const ONE = '1'.repeat(64)
const TWO = '2'.repeat(64)
let folder: string
let lines: string[]
const open = (path: string, maxOfServer?: number) => createPinFile(path, { logger, maxOfServer })
const logger = createLogger({
  level: 'info',
  pretty: false,
  destination: { write: (line) => void lines.push(line) },
})

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-pins-'))
  lines = []
})
afterEach(() => rmSync(folder, { recursive: true }))

test('pins outlive the process, in a folder that need not be there', async () => {
  const path = join(folder, 'deep', 'pins.json')
  const pins = await open(path)
  expect(pins.get('a:x')).toBeUndefined()
  for (let index = 0; index < 1_000; index += 1) pins.remember(`a:${index}`, ONE, false)
  pins.remember('__proto__', ONE, false)
  pins.approve('a:7', TWO)
  await pins.flush()
  const again = await open(path)
  expect([again.get('a:6'), again.get('a:7'), again.get('__proto__'), again.get('constructor')]).toEqual([
    ONE,
    TWO,
    ONE,
    undefined,
  ])
  expect(statSync(path).mode & 0o077).toBe(0)
  expect(readdirSync(join(folder, 'deep'))).toEqual(['pins.json'])
})

test('what is set while it writes is written too, and the file is whole at every moment', async () => {
  const path = join(folder, 'pins.json')
  const pins = await open(path)
  for (let index = 0; index < 50; index += 1) {
    pins.remember(`a:${index}`, ONE, false)
    await new Promise((resolve) => setImmediate(resolve))
    if (readdirSync(folder).includes('pins.json'))
      expect(() => JSON.parse(readFileSync(path, 'utf8'))).not.toThrow()
  }
  await pins.flush()
  expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')).pins)).toHaveLength(50)
})

test.each([
  ['nothing', ''],
  ['half of it', '{"version":1,"pins":{"a:x":"11'],
  ['another file', '{"servers":[]}'],
  ['a list', '[]'],
  ['another version', `{"version":2,"pins":{}}`],
  ['pins that are none', '{"version":1,"pins":[]}'],
  ['a short hash', '{"version":1,"pins":{"a:x":"11"}}'],
  ['a hash that is a number', '{"version":1,"pins":{"a:x":11}}'],
])('a file with %s stops the start, says what to do, and stays as it is', async (_what, text) => {
  const path = join(folder, 'pins.json')
  writeFileSync(path, text)
  const failure = await open(path).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ConfigError)
  expect(String(failure)).toContain(path)
  expect(String(failure)).toMatch(/restore it from a backup, or delete it/)
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('a path that cannot be read stops the start as well', async () => {
  await expect(open(folder)).rejects.toThrow(/cannot be used/)
})

test('what there was no room for is not written, what made room is gone, and it is told once for each server', async () => {
  const path = join(folder, 'pins.json')
  const pins = await open(path, 2)
  for (const tool of ['x', 'y', 'z', 'q']) {
    pins.remember(`pinned:${tool}`, ONE, true)
    pins.remember(`other:${tool}`, ONE, false)
  }
  pins.approve('pinned:y', TWO)
  await pins.flush()
  const { pins: written } = JSON.parse(readFileSync(path, 'utf8'))
  expect(written).toEqual({ 'pinned:x': ONE, 'pinned:y': TWO, 'other:z': ONE, 'other:q': ONE })
  // The order is kept: what was oldest before is it still.
  const again = await open(path, 2)
  again.remember('other:new', ONE, false)
  expect(['other:z', 'other:q', 'other:new'].map(again.get)).toEqual([undefined, ONE, ONE])
  await again.flush()
  const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('remembered'))
  expect(told.map(({ server, msg }) => [server, /blocked|unnoticed/.exec(msg)?.[0]])).toEqual([
    ['pinned', 'blocked'],
    ['other', 'unnoticed'],
    ['other', 'unnoticed'],
  ])
})

test('a disk that refuses is told of, and asked again', async () => {
  const path = join(folder, 'blocked', 'pins.json')
  writeFileSync(join(folder, 'blocked'), '')
  await expect(open(path)).rejects.toThrow(/cannot be used/)
  rmSync(join(folder, 'blocked'))
  const pins = await open(path)
  writeFileSync(join(folder, 'blocked'), '')
  pins.remember('a:x', ONE, false)
  pins.remember('a:y', ONE, false)
  await expect(pins.flush()).rejects.toThrow(path)
  expect(pins.get('a:x')).toBe(ONE)
  expect(lines.some((line) => line.includes('could not be written'))).toBe(true)
  rmSync(join(folder, 'blocked'))
  await pins.flush()
  expect((await open(path)).get('a:y')).toBe(ONE)
})

test('definitions outlive the process too, unless they are not those that were pinned', async () => {
  const path = join(folder, 'pins.json')
  const text = '{"name":"x"}'
  const own = hash('sha256', text)
  const pins = await open(path)
  for (const id of ['a:x', 'a:y', 'a:z']) {
    pins.remember(id, own, true)
    expect(pins.keep(id, text, true)).toBe(true)
  }
  await pins.flush()
  const written = JSON.parse(readFileSync(path, 'utf8'))
  expect(written.definitions).toEqual({ 'a:x': text, 'a:y': text, 'a:z': text })
  const forged = { ...written.definitions, 'a:y': '{"name":"forged"}', 'a:z': 7, 'a:none': text }
  writeFileSync(path, JSON.stringify({ ...written, definitions: forged }))
  const again = await open(path)
  expect(['a:x', 'a:y', 'a:z', 'a:none'].map(again.definition)).toEqual([
    text,
    undefined,
    undefined,
    undefined,
  ])
  expect(again.get('a:y')).toBe(own)
})

test('a file from before definitions were kept is a good one, and gets them', async () => {
  const path = join(folder, 'pins.json')
  const text = '{"name":"x"}'
  writeFileSync(path, JSON.stringify({ version: 1, pins: { 'a:x': hash('sha256', text) } }))
  const pins = await open(path)
  expect(pins.definition('a:x')).toBeUndefined()
  pins.keep('a:x', text, true)
  await pins.flush()
  expect((await open(path)).definition('a:x')).toBe(text)
})
