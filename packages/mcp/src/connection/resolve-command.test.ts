import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolveCommand } from './resolve-command.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-mcp-'))
  await writeFile(join(folder, 'tool'), '#!/bin/sh\n')
  await chmod(join(folder, 'tool'), 0o755)
  await writeFile(join(folder, 'text'), 'no program')
})
afterAll(() => rm(folder, { recursive: true }))

test('finds a program on PATH, by its path, and relative to the working directory', async () => {
  const file = join(folder, 'tool')
  expect(await resolveCommand('tool', { path: `/nowhere::${folder}`, cwd: undefined })).toBe(file)
  expect(await resolveCommand(file, { path: undefined, cwd: undefined })).toBe(file)
  expect(await resolveCommand('./tool', { path: undefined, cwd: folder })).toBe(file)
})

test.each([
  ['an unknown command', 'no-such-command', {}, 'was not found on PATH'],
  ['a command without any PATH', 'tool', { path: undefined }, 'was not found on PATH'],
  ['an empty command', '', {}, 'was not found on PATH'],
  ['a shell line', 'tool; rm -rf x', {}, 'was not found on PATH'],
  ['a file that is no program', './text', {}, 'may not be executed'],
  ['a folder', './', {}, 'may not be executed'],
  ['a missing file', './missing', {}, 'does not exist'],
  [
    'a missing working directory',
    'tool',
    { cwd: '/no/such/place' },
    'the working folder "/no/such/place" does not exist',
  ],
])('refuses %s', async (_name, command, place, sentence) => {
  await expect(resolveCommand(command, { path: folder, cwd: folder, ...place })).rejects.toThrow(sentence)
})
