export type ParsedArguments =
  | { readonly args: Readonly<Record<string, unknown>>; readonly error?: undefined }
  | { readonly args?: undefined; readonly error: string }

export function parseArguments(text: string): ParsedArguments {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { error: 'The arguments of a tool are an object: {"name": "value"}.' }
    return { args: { ...value } }
  } catch (error) {
    return { error: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}
