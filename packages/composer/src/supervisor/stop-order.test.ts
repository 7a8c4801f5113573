import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { createLinks, program } from '../link/link.fixture.ts'

test('a server that does not want to end gets the end of its input, then SIGTERM after two seconds, then SIGKILL after three more', {
  timeout: 30_000,
}, async () => {
  verifies('CO-SUP-15')
  const folder = await mkdtemp(join(tmpdir(), 'quire-stop-'))
  const links = createLinks()
  try {
    const ends = join(folder, 'ends')
    const { link } = await links.open(program('rough-server.ts', 'reluctant', join(folder, 'starts'), ends), {
      stopTimes: undefined,
    })
    await link.close()
    expect(() => process.kill(link.pid ?? 0, 0)).toThrow('ESRCH')
    const notes = (await readFile(ends, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
    const at = (what: string) => Number(notes.findLast(([word]) => word === what)?.[1])
    // Not earlier: how much later depends on the machine.
    expect(at('term') - at('end')).toBeGreaterThan(1_900)
    expect(at('alive') - at('term')).toBeGreaterThan(2_700)
  } finally {
    await links.closeAll()
    await rm(folder, { recursive: true, force: true })
  }
})
