import { isJsonObject, type JsonObject } from '../json.ts'
import { isNoise } from './readers.ts'
import type { Block, Wish } from './wish.ts'

const MOST_DEPTH = 64
const TOOL_NAME = /^\s*["'`]?([\w.:/-]{1,200})["'`]?(?:\s+tool(?=\s|$))?/
const BEFORE_ARGUMENTS =
  /^\s*(?:with|using|on|and)?(?:\s+(?:the|these|arguments|args|input|parameters|json))*\s*:?\s*/i

/** `NAME with {…}`, or with the arguments in a block. */
export function readCall(rest: string, block: Block | undefined): Wish | undefined {
  const name = TOOL_NAME.exec(rest.slice(0, 300))
  if (!name?.[1]) return undefined
  const behind = rest.slice(name[0].length)
  const said = behind.slice(BEFORE_ARGUMENTS.exec(behind.slice(0, 300))?.[0].length ?? 0)
  const isSaid = said.trim() !== '' && !isNoise(said)
  if (block && isSaid) return undefined
  const text = isSaid ? said.trim() : (block?.code.trim() ?? '')
  const parsed = text === '' ? {} : parseArguments(text)
  const plainName = name[1].replace(/[.:/-]+$/, '')
  return typeof parsed === 'string'
    ? { kind: 'call', name: plainName, args: undefined, fault: parsed }
    : { kind: 'call', name: plainName, args: parsed }
}

/** Or why it is none. */
function parseArguments(text: string): JsonObject | string {
  const end = text.lastIndexOf('}') + 1
  if (!text.startsWith('{') || !isNoise(text.slice(end))) {
    return 'they are no JSON object, such as {"key": "value"}'
  }
  const json = text.slice(0, end)
  if (isDeeper(json, MOST_DEPTH)) return `they are nested deeper than ${MOST_DEPTH} levels`
  try {
    const value: unknown = JSON.parse(json)
    return isJsonObject(value) ? value : 'they are no JSON object'
  } catch (error) {
    return `they are no JSON (${error instanceof Error ? error.message.slice(0, 100) : 'unreadable'})`
  }
}

function isDeeper(json: string, most: number): boolean {
  let depth = 0
  let isText = false
  for (let index = 0; index < json.length; index += 1) {
    const char = json[index]
    if (isText && char === '\\') index += 1
    else if (char === '"') isText = !isText
    else if (isText) continue
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') depth -= 1
    if (depth > most) return true
  }
  return false
}
