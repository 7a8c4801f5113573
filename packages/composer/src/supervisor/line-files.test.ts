import { mkdir, readFile, stat } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createLineFiles } from './line-files.ts'
import { createListeningLogger, createScratch } from './scratch.fixture.ts'

const logger = createSilentLogger()
let scratch: Awaited<ReturnType<typeof createScratch>>
beforeAll(async () => {
  scratch = await createScratch()
})
afterAll(() => scratch.remove())

test('lines come in order, into a folder that is made for them, and are ours alone', async () => {
  const files = createLineFiles({ logger })
  const file = scratch.file('logs/a.log')
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`)
  for (const line of lines) files.append(file, line)
  await files.settled()
  files.append(file, 'later')
  await files.settled()
  expect(await readFile(file, 'utf8')).toBe(`${[...lines, 'later'].join('\n')}\n`)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('a file that would grow too big becomes the first before it', async () => {
  const files = createLineFiles({ logger, maxBytes: 20 })
  const file = scratch.file('b.log')
  for (const line of ['first line', 'second line', 'third line']) {
    files.append(file, line)
    await files.settled()
  }
  expect(await readFile(file, 'utf8')).toBe('third line\n')
  expect(await readFile(`${file}.1`, 'utf8')).toBe('second line\n')
})

test('what a slow disk would keep waiting is dropped and counted', async () => {
  const files = createLineFiles({ logger, maxWaitingBytes: 20 })
  const file = scratch.file('c.log')
  for (let index = 0; index < 10; index += 1) files.append(file, `line ${index}`)
  await files.settled()
  expect(await readFile(file, 'utf8')).toBe('line 0\nline 1\n… 8 lines were dropped: the disk was too slow\n')
})

test('a file that cannot be written is told of once', async () => {
  const { logger: listening, heard } = createListeningLogger()
  const files = createLineFiles({ logger: listening })
  const file = scratch.file('folder')
  await mkdir(file)
  for (const line of ['one', 'two']) {
    files.append(file, line)
    await files.settled()
  }
  expect(heard).toHaveLength(1)
})
