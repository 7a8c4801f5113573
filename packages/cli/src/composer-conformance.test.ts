import { verifies } from '@quire/spec/verifies'
import { compareConformance } from '@quire/testbed/conformance/compare'
import { startConformanceServer } from '@quire/testbed/conformance-server'
import { runConformance } from '@quire/testbed/foreign-clients'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, type RunningComposer, startComposer } from './composer.fixture.ts'

let server: Awaited<ReturnType<typeof startConformanceServer>>
let composer: RunningComposer
beforeAll(async () => {
  server = await startConformanceServer()
  // The suite asks for its tools by their own names.
  const folder = await createFolder(
    `[tool_manager]\nconflict_resolution = "ignore"\n[[servers.proxied.http]]\nname = "fixture"\nurl = "${server.url}"\n`,
  )
  composer = await startComposer(folder)
  await composer.whenState('fixture', 'running')
})
afterAll(async () => {
  await composer?.stop('SIGKILL')
  await composer?.folder.remove()
  await server?.close()
})

test.each([
  ['2025-11-25', 33],
  ['2026-07-28', 40],
])(
  'what the fixture passes of %s directly it passes behind the composer, check by check',
  {
    timeout: 120_000,
  },
  async (revision, scenarios) => {
    verifies('CO-CONF-1')
    const direct = await runConformance(server.url, { revision })
    const behind = await runConformance(`${composer.url}/mcp`, { revision })
    expect(behind.failed, behind.output).toEqual([])
    expect(behind.passed).toHaveLength(scenarios)
    expect(compareConformance(direct, behind)).toMatchObject({ lost: [], gained: [] })
  },
)
