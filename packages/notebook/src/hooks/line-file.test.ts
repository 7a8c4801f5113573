import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLineFile } from './line-file.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-lines-'))
  path = join(folder, 'lines')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a file of lines', () => {
  test('is readable by its owner alone', async () => {
    await openLineFile(path).close()
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('has every line in its order, and has it when the promise resolves', async () => {
    const file = openLineFile(path)
    const lines = Array.from({ length: 500 }, (_, n) => `${n} ${'ä'.repeat(n)}`)
    await Promise.all(lines.slice(0, 250).map((line) => file.append(line)))
    expect(readFileSync(path, 'utf8')).toBe(`${lines.slice(0, 250).join('\n')}\n`)
    for (const line of lines.slice(250)) void file.append(line)
    await file.close()
    expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`)
  })

  test('keeps what was there, and begins a new line behind a torn one', async () => {
    writeFileSync(path, 'whole\n')
    const file = openLineFile(path)
    await file.append('next')
    await file.close()
    expect(readFileSync(path, 'utf8')).toBe('whole\nnext\n')
    writeFileSync(path, '{"torn":')
    const again = openLineFile(path)
    await again.append('next')
    await again.close()
    expect(readFileSync(path, 'utf8')).toBe('{"torn":\nnext\n')
  })

  test('two that append to one file do not tear each other', async () => {
    const [one, other] = [openLineFile(path), openLineFile(path)]
    await Promise.all(Array.from({ length: 200 }, (_, n) => (n % 2 ? one : other).append('x'.repeat(1000))))
    await Promise.all([one.close(), other.close()])
    expect(new Set(readFileSync(path, 'utf8').split('\n'))).toEqual(new Set(['x'.repeat(1000), '']))
  })

  test('is closed once, and takes nothing more', async () => {
    const file = openLineFile(path)
    expect(file.close()).toBe(file.close())
    await file.close()
    await expect(file.append('late')).rejects.toThrow('closed')
  })

  test('says so when the disk is full, to everybody who waits, and stays bounded', async () => {
    const full = openLineFile('/dev/full')
    const written = await Promise.allSettled([full.append('one'), full.append('two'), full.flush()])
    expect(written.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(full.append('three')).rejects.toMatchObject({ code: 'ENOSPC' })
    const large = 'x'.repeat(10 * 1024 * 1024)
    await expect(full.append(large)).rejects.toMatchObject({ code: 'ENOSPC' })
    await expect(full.append(large)).rejects.toThrow('bytes wait to be written')
    await expect(full.close()).rejects.toMatchObject({ code: 'ENOSPC' })
  })

  test('goes on where it stopped, in the middle of a line, when there is room again', () => {
    const script = `
      import { execFileSync } from 'node:child_process'
      import { openLineFile } from ${JSON.stringify(join(import.meta.dirname, 'line-file.ts'))}
      const file = openLineFile(${JSON.stringify(path)})
      const written = await Promise.allSettled([file.append('a'.repeat(600)), file.append('b'.repeat(600))])
      execFileSync('prlimit', ['--pid', process.pid, '--fsize=unlimited:'])
      await file.append('c')
      await file.close()
      console.log(written.map(({ reason }) => reason?.code).join())`
    const limited = [
      '-c',
      'ulimit -S -f 2; exec "$0" "$@"',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ]
    expect(execFileSync('sh', limited, { encoding: 'utf8' }).trim()).toBe('EFBIG,EFBIG')
    expect(readFileSync(path, 'utf8')).toBe(`${'a'.repeat(600)}\n${'b'.repeat(600)}\nc\n`)
  })

  test.each([
    ['a folder', () => folder, 'not a file'],
    ['a folder that does not exist', () => join(folder, 'no', 'lines'), 'ENOENT'],
    ['a file as a folder', () => '/dev/null/x', 'ENOTDIR'],
  ])('cannot be %s', (_, where, message) => {
    expect(() => openLineFile(where())).toThrow(message)
  })
})
