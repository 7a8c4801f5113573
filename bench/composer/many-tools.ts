export const TOOL_COUNT = 10_000
/** In the description of every fifth tool. */
export const SEARCHED = 'harbour'
export const FOUND_COUNT = TOOL_COUNT / 5

export function toTool(index: number) {
  const place = index % 5 === 0 ? SEARCHED : 'meadow'
  return {
    name: `tool_${String(index).padStart(5, '0')}`,
    description: `Does the thing with the number ${index} that has to be done at the ${place}`,
    inputSchema: {
      type: 'object',
      properties: {
        first: { type: 'string', description: 'What to begin with' },
        second: { type: 'number' },
      },
      required: ['first'],
    },
  }
}
