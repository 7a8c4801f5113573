import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeptFile } from './kept-file.ts'
import { createListeningLogger, createScratch } from './scratch.fixture.ts'

let scratch: Awaited<ReturnType<typeof createScratch>>
beforeAll(async () => {
  scratch = await createScratch()
})
afterAll(() => scratch.remove())

test('the file follows the last change, is ours alone, and leaves no drafts', async () => {
  const { logger, heard } = createListeningLogger()
  let value = 0
  const file = scratch.file('kept.json')
  const kept = createKeptFile({ file, content: () => String(value), logger })
  for (value = 1; value < 100; value += 1) kept.changed()
  await kept.settled()
  expect(await readFile(file, 'utf8')).toBe('100')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(scratch.folder)).toEqual(['kept.json'])
  expect(heard).toEqual([])
})

test('a file that cannot be written is told of, and breaks nothing', async () => {
  const { logger, heard } = createListeningLogger()
  await writeFile(scratch.file('no-folder'), '')
  const kept = createKeptFile({ file: scratch.file('no-folder/kept.json'), content: () => 'x', logger })
  kept.changed()
  await kept.settled()
  expect(heard).toEqual([expect.stringContaining('could not be written')])
})
