import { expect, test } from 'vitest'
import { blockedTool } from './blocked-tool.ts'
import { createComposedCatalog } from './create-composed-catalog.ts'
import { define, offer, settings, tool } from './offers.fixture.ts'
import { createPins } from './pins.ts'

test('a blocked tool says why it is, and what to do', () => {
  const catalog = createComposedCatalog({ pins: createPins({ maxOfServer: 1 }) })
  catalog.configure(settings(), [define('one', { pin: true })])
  catalog.update('one', offer({ tools: [tool('a'), tool('b')] }))
  catalog.update('one', offer({ tools: [tool('a', 'other'), tool('b')] }))
  const refused = (id: string) => {
    const entry = catalog.findTool(id)
    return entry && blockedTool(entry)
  }
  expect(refused('one:a')).toMatchObject({
    code: 'TOOL_BLOCKED',
    message:
      'The tool "one__a" is blocked: its definition has changed since it was approved, and its server is pinned. Somebody who manages the composer has to look at "one:a" and approve it.',
  })
  expect(refused('one:b')).toMatchObject({
    code: 'TOOL_BLOCKED',
    message:
      'The tool "one__b" is blocked: its server is pinned, and offers more tools than can be remembered, so that a change of this one would go unnoticed. Somebody who manages the composer has to look at "one:b" and approve it, or leave tools of "one" out with exclude_tools.',
  })
})
