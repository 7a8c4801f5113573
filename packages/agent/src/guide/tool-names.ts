import type { ToolDeclaration } from '../model/model.ts'

type Tools = readonly ToolDeclaration[]

/** The tool of that name, else the first that has it behind the prefix of a toolset, such as `jupyter_` or `composer__notebook__`. */
export function findTool(tools: Tools, name: string): ToolDeclaration | undefined {
  return toolsNamed(tools, name)[0]
}

/** All that may be meant by a name. */
export function toolsNamed(tools: Tools, name: string): Tools {
  const exact = tools.find((tool) => tool.name === name)
  if (exact) return [exact]
  const wanted = plain(name)
  const whole = tools.filter((tool) => plain(tool.name) === wanted)
  return whole.length > 0 ? whole : tools.filter((tool) => plain(tool.name).endsWith(`_${wanted}`))
}

/** `executeCode`, `execute-code` and `execute_code` are one name. */
export function plain(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]/g, '_')
    .toLowerCase()
}
