import type { ToolDeclaration } from '../model/model.ts'
import { missingFrom, propertiesOf } from './arguments.ts'
import { INTENTS, type Intent } from './intents.ts'
import { exampleCall } from './missing-text.ts'
import { bulletsOf, firstSentence, listOf } from './text.ts'
import { findTool, plain } from './tool-names.ts'

type Tools = readonly ToolDeclaration[]

const MOST_NAMES = 20
const MOST_LISTED = 50
const GROUPS: readonly (readonly [title: string, pattern: RegExp])[] = Object.freeze([
  ['Running code', /execut|kernel|run_|variables|code/],
  ['Cells', /cell/],
  ['Files', /file|folder|director/],
  ['Finding tools', /tool/],
  ['Notebooks', /notebook/],
  ['Other', /./],
])
const NO_TOOLS = "No tools are attached to this agent. Toolsets are attached with the agent's `mcp_toolsets`."

export function helpText(tools: Tools): string {
  return [
    "I am Quire's built-in guide. I follow fixed rules and am no language model: I understand simple requests and use the tools of this agent for them.",
    tools.length === 0 ? NO_TOOLS : `What I can use:\n${grouped(tools)}`,
    `You can say, for example:\n${bulletsOf(examplesFor(tools))}`,
    'Several requests go on lines of their own, or are joined by "then". Any tool can be called: "call NAME with {"key": "value"}".',
    "For a real language model set the agent's `model`: such as `openai:gpt-…` with OPENAI_API_KEY, `anthropic:claude-…` with ANTHROPIC_API_KEY, or `ollama:NAME` for one that Ollama runs on your own machine, without a key.",
  ].join('\n\n')
}

/** Three that fit the tools at hand. */
export function examplesFor(tools: Tools): readonly string[] {
  const intents: readonly Intent[] = Object.values(INTENTS)
  const known = intents.filter((intent) => intent.tools.some(([name]) => findTool(tools, name)))
  const others = tools.slice(0, 1).map(exampleCall)
  return [...known.map(({ example }) => example), ...others, 'list tools', 'help', 'what can you do'].slice(
    0,
    3,
  )
}

export function listTools(tools: Tools, query = ''): string {
  if (tools.length === 0) return NO_TOOLS
  const words = plain(query)
    .split('_')
    .filter((word) => word.length > 1)
  const found = tools.filter((tool) => {
    const text = plain(`${tool.name} ${tool.description.slice(0, 2000)}`)
    return words.every((word) => text.includes(word))
  })
  if (found.length === 0) return 'No tool fits these words. Say "list tools" to see all of them.'
  const lines = found
    .slice(0, MOST_LISTED)
    .map((tool) => `- \`${tool.name}\`: ${firstSentence(tool.description, 160)}`)
  const more = found.length > MOST_LISTED ? `\nand ${found.length - MOST_LISTED} more.` : ''
  return `${found.length} of ${tools.length} tools:\n${lines.join('\n')}${more}`
}

export function describeTool(tool: ToolDeclaration): string {
  const required = new Set(missingFrom(tool, {}))
  const lines = [...propertiesOf(tool)].slice(0, MOST_LISTED).map(([name, { description }]) => {
    const about = typeof description === 'string' ? `: ${firstSentence(description, 200)}` : ''
    return `- \`${name}\`${required.has(name) ? ' (needed)' : ''}${about}`
  })
  return [
    `\`${tool.name}\`: ${firstSentence(tool.description, 500)}`,
    ...(lines.length > 0 ? lines : ['It takes no arguments.']),
  ].join('\n')
}

/** Those that simple requests lead to. */
function usefulFirst(tools: Tools): Tools {
  const intents: readonly Intent[] = Object.values(INTENTS)
  const useful = new Set(
    intents.flatMap((intent) => intent.tools.flatMap(([name]) => findTool(tools, name) ?? []).slice(0, 1)),
  )
  return [...useful, ...tools.filter((tool) => !useful.has(tool))]
}

function grouped(tools: Tools): string {
  const groups = new Map<string, string[]>()
  for (const { name } of usefulFirst(tools).slice(0, MOST_NAMES)) {
    const [title] = GROUPS.find(([, pattern]) => pattern.test(plain(name))) ?? ['Other']
    groups.set(title, [...(groups.get(title) ?? []), name])
  }
  const lines = GROUPS.flatMap(([title]) => {
    const names = groups.get(title)
    return names ? [`- ${title}: ${listOf(names)}`] : []
  })
  const more = tools.length - MOST_NAMES
  return [...lines, ...(more > 0 ? [`- and ${more} more: say "list tools"`] : [])].join('\n')
}
