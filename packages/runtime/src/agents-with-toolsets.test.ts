import { expect, test } from 'vitest'
import { withToolsetNames } from './agents-with-toolsets.ts'

test('an agent with all toolsets has each by its name where it is run', async () => {
  const agent = { id: 'a', mcpToolsets: ['*'] } as never
  const store = { list: async () => [agent], find: async () => agent } as never
  const agents = withToolsetNames(store, { names: ['files', 'web'] })
  expect((await agents.find('a'))?.mcpToolsets).toEqual(['files', 'web'])
  expect((await agents.list())[0]?.mcpToolsets).toEqual(['files', 'web'])
})
