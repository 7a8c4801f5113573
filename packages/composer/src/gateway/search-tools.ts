/** What clients list in the search mode, in place of everything. */
export const SEARCH_TOOLS = Object.freeze([
  {
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools by what they do. Many more tools exist than are listed here: search for one before you say that something cannot be done. Returns names and short descriptions, the best match first; then read one with describe_tool and call it with call_tool.',
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'A few words on what the tool should do, such as "create issue". Empty: all tools.',
        },
        server: { type: 'string', description: 'Only tools of this server.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 50,
          default: 10,
          description: 'How many at the most.',
        },
      },
      required: ['query'],
    },
    outputSchema: {
      type: 'object',
      properties: {
        tools: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string', description: 'For describe_tool and call_tool.' },
              server: { type: 'string' },
              description: { type: 'string' },
            },
            required: ['name', 'server', 'description'],
          },
        },
        total: { type: 'integer', description: 'How many tools match, those beyond the limit included.' },
      },
      required: ['tools', 'total'],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'describe_tool',
    title: 'Describe a tool',
    description:
      'Shows the whole definition of one tool: its description and the JSON Schema of its arguments. Read it before the first call of a tool.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'A name that search_tools has returned.' } },
      required: ['name'],
    },
    outputSchema: {
      type: 'object',
      properties: { tool: { type: 'object', description: 'The definition, as its server gives it.' } },
      required: ['tool'],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'call_tool',
    title: 'Call a tool',
    description:
      'Calls one tool and returns its result. The arguments have to fit the inputSchema that describe_tool shows.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'A name that search_tools has returned.' },
        arguments: { type: 'object', description: "The tool's own arguments.", additionalProperties: true },
      },
      required: ['name'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
])
