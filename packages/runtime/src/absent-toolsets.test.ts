import { createLogger } from '@quire/kit/log'
import type { ToolsetsStatus } from '@quire/mcp/toolsets/toolsets'
import { expect, test } from 'vitest'
import { absenceNotice, createAbsentToolsets } from './absent-toolsets.ts'

test('what an agent goes without is told when it changes, not with each prompt', () => {
  const lines: string[] = []
  const logger = createLogger({
    level: 'info',
    pretty: false,
    destination: { write: (line) => lines.push(line) },
  })
  const servers: Record<string, ToolsetsStatus['servers'][string]> = {
    files: { ready: true, tools: [] },
    web: { ready: false, tools: [], error: 'down' },
  }
  const absentOf = createAbsentToolsets({ status: () => ({ initialized: true, servers }) }, logger)
  const agent = { id: 'a', mcpToolsets: ['files', 'web', 'gone', 'constructor'] }
  for (let prompt = 0; prompt < 3; prompt += 1)
    expect(absentOf(agent)).toEqual(['web', 'gone', 'constructor'])
  expect(lines).toHaveLength(1)
  servers.web = { ready: true, tools: [] }
  expect(absentOf({ ...agent, mcpToolsets: ['files', 'web'] })).toEqual([])
  expect(absentOf({ ...agent, mcpToolsets: ['files', 'web'] })).toEqual([])
  expect(lines).toHaveLength(2)
  expect(absentOf({ id: 'b', mcpToolsets: [] })).toEqual([])
  expect(lines).toHaveLength(2)
})

test('the model is told by one line, where there is something to tell', () => {
  expect(absenceNotice([])).toBe('')
  expect(absenceNotice(['web', 'files'])).toMatch(/^These toolsets are not available .*: web, files\. .*$/)
})
