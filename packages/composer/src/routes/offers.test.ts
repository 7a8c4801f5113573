import { describe, expect, test } from 'vitest'
import type { PromptEntry, ResourceEntry, ToolEntry } from '../catalog/composed-catalog.ts'
import { toPrompt, toResource, toTool } from './offers.ts'

const HOSTILE = [null, undefined, 5, true, 'text', [], [1], {}, { deep: {} }]
const about = { server: 's', id: 's:x', name: 's__x', hash: '', trust: 'known' as const }

// What a server writes is only said to be of its type.
const item = <Entry>(fields: object) => ({ ...about, item: { name: 'x', uri: 'u', ...fields } }) as Entry

describe.each(HOSTILE.map((value) => [value]))('where a server writes %j', (value) => {
  test('a tool is still one', () => {
    const tool = toTool(
      item<ToolEntry>({
        title: value,
        description: value,
        inputSchema: value,
        outputSchema: value,
        annotations: value,
      }),
    )
    expect(tool).toMatchObject({ name: 's:x', server: 's', mcp_name: 's__x' })
    expect(typeof tool.description).toBe('string')
    for (const schema of [tool.input_schema, tool.output_schema ?? {}, tool.annotations ?? {}])
      expect([typeof schema, Array.isArray(schema)]).toEqual(['object', false])
  })

  test('a prompt and a resource are still ones', () => {
    const prompt = toPrompt(item<PromptEntry>({ title: value, description: value, arguments: value }))
    expect(prompt.arguments.every((one) => typeof one === 'object')).toBe(true)
    expect(
      toResource(item<ResourceEntry>({ name: value, description: value, mimeType: value })),
    ).toMatchObject({
      uri: 'u',
      name: typeof value === 'string' ? value : '',
    })
  })
})
