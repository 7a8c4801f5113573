import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'
import { toText } from './samples.ts'

const REGION = Object.freeze({ type: 'string', description: 'Where to', 'x-mcp-header': 'Region' } as const)

/** Tools whose definition must reach the client as it is written here. */
export function registerSchemaTools(server: McpServer): void {
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: fromJsonSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      }),
    },
    (input) => toText(`Called with ${JSON.stringify(input)}`),
  )
  server.registerTool(
    'test_x_mcp_header',
    {
      description: 'Has an argument that a header repeats',
      inputSchema: fromJsonSchema<{ region: string }>({
        type: 'object',
        properties: { region: REGION },
        required: ['region'],
      }),
    },
    ({ region }) => toText(`Region: ${region}`),
  )
}
