import { isJsonObject, type JsonObject } from '../json.ts'
import type { ToolMessage } from '../message.ts'
import type { ToolDeclaration } from '../model/model.ts'
import type { ContentBlock } from '../tool.ts'
import { INTENTS } from './intents.ts'
import { boundary, fenced } from './text.ts'
import { findTool } from './tool-names.ts'

const MOST_TEXT = 4000
const NAMES = Object.freeze({
  image: 'an image',
  audio: 'a sound',
  resource: 'a resource',
  resource_link: 'a resource',
})
/** How servers say that work in a notebook begins with opening one. */
const NO_NOTEBOOK =
  /no (?:active )?(?:notebook|kernel)s? (?:is |are |has been )?(?:in use|open|opened|active|activated|connected|used|selected|available|running|yet)|(?:use|open)_notebook|is not connected/i

/** For a person: what a tool answered, and after a failure what to do next. */
export function tellResult({ name, result }: ToolMessage, tools: readonly ToolDeclaration[]): string {
  const { content, structuredContent, isError } = result
  const text = content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim()
  const shown = text === '' && structuredContent ? toJson(structuredContent) : text
  const others = content.flatMap((block) => (block.type === 'text' ? [] : [describe(block)]))
  const head = isError ? `\`${name}\` failed:` : `\`${name}\` answered:`
  const isEmpty = shown === '' && others.length === 0
  return [
    isEmpty ? `${head} it said nothing.` : head,
    ...(shown === '' ? [] : [fenced(cutWithMarker(shown))]),
    ...(others.length === 0 ? [] : [`With it came ${others.join(', ')}.`]),
    ...nextStep(name, shown, isError === true, tools),
  ].join('\n')
}

function cutWithMarker(text: string): string {
  if (text.length <= MOST_TEXT) return text
  const end = boundary(text, MOST_TEXT)
  return `${text.slice(0, end)}\n[cut here: ${text.length - end} characters more]`
}

function describe(block: Exclude<ContentBlock, { type: 'text' }>): string {
  const resource = 'resource' in block && isJsonObject(block.resource) ? block.resource : block
  const about = 'uri' in resource ? resource.uri : resource.mimeType
  return typeof about === 'string' ? `${NAMES[block.type]} (${about.slice(0, 200)})` : NAMES[block.type]
}

function toJson(value: JsonObject): string {
  try {
    return JSON.stringify(value, undefined, 2)
  } catch (error) {
    // What is nested too deep for the stack is nothing that a person could read.
    if (error instanceof RangeError) return '(a structured answer, nested too deep to show)'
    throw error
  }
}

function nextStep(
  name: string,
  text: string,
  isError: boolean,
  tools: readonly ToolDeclaration[],
): readonly string[] {
  const canOpen = INTENTS.open_notebook.tools.some(([tool]) => findTool(tools, tool))
  if (isError && canOpen && NO_NOTEBOOK.test(text.slice(0, 2000))) {
    const look = findTool(tools, 'list_files') ? ' "list files" shows what there is.' : ''
    return [
      `Open a notebook first: say "${INTENTS.open_notebook.example}" with the path of yours, or "${INTENTS.create_notebook.example}".${look} Then say your request again.`,
    ]
  }
  if (!isError) return []
  return [`Change the request and say it again; "describe tool ${name}" shows what the tool takes.`]
}
