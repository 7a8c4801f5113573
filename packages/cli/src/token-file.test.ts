import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@quire/kit/log'
import { startProcess } from '@quire/testbed/process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFileVerifier } from './file-verifier.ts'
import { ensureToken, readToken, rotateToken, tokenFile } from './token-file.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-token-'))
  path = tokenFile(join(folder, 'data'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('the token file', () => {
  test('several first starts at once agree on one token, and leave nothing behind', async () => {
    const code = `import { ensureToken } from ${JSON.stringify(join(import.meta.dirname, 'token-file.ts'))}; console.log(ensureToken(${JSON.stringify(path)}))`
    const processes = Array.from({ length: 4 }, () =>
      startProcess(process.execPath, ['--input-type=module', '-e', code]),
    )
    await Promise.all(processes.map(({ exited }) => exited))
    expect(new Set(processes.map(({ output }) => output.stdout.trim()))).toEqual(new Set([readToken(path)]))
    expect(readdirSync(join(folder, 'data'))).toEqual(['token'])
  })

  test.each([
    ['can be read by others', () => chmodSync(path, 0o640)],
    ['holds no token', () => writeFileSync(path, 'short')],
    ['holds no token', () => writeFileSync(path, '')],
  ])('one that %s is refused', (message, spoil) => {
    ensureToken(path)
    spoil()
    expect(() => readToken(path)).toThrow(message)
    expect(() => ensureToken(path)).toThrow(message)
  })

  test.runIf(process.getuid?.() === 0)('one that another user wrote is refused', async () => {
    ensureToken(path)
    await startProcess('chown', ['65534', path]).exited
    expect(() => readToken(path)).toThrow('belongs to another user')
  })
})

describe('the verifier of the file', () => {
  const lines: string[] = []
  const logger = createLogger({
    level: 'warn',
    pretty: false,
    destination: { write: (line) => lines.push(line) },
  })
  beforeEach(() => lines.splice(0))

  test('takes a new token at once and ends what the old one opened', async () => {
    const before = ensureToken(path)
    const verifier = createFileVerifier(path, logger)
    const principal = await verifier.verify(before)
    rotateToken(path)
    expect(await verifier.verify(readFileSync(path, 'utf8').trim())).toMatchObject({ subject: 'owner' })
    expect(await verifier.verify(before)).toBeNull()
    expect(principal?.revoked?.aborted).toBe(true)
    verifier.close()
  })

  test.each<[string, () => void]>([
    ['is removed', () => rmSync(path)],
    ['becomes a link to itself', linkToItself],
    ['can be read by others', () => chmodSync(path, 0o644)],
  ])('goes on with the last good token when the file %s, and says so once', async (_what, spoil) => {
    const token = ensureToken(path)
    const verifier = createFileVerifier(path, logger)
    spoil()
    expect(await verifier.verify(token)).not.toBeNull()
    expect(await verifier.verify('wrong')).toBeNull()
    expect(lines).toHaveLength(1)
    verifier.close()
  })
})

function linkToItself(): void {
  rmSync(path)
  symlinkSync('token', path)
}
