import { readFile } from 'node:fs/promises'
import { askSettings } from '@quire/composer/settings'
import { CommandFailure } from '../../command-failure.ts'
import { configFrom } from '../../config.ts'
import { askComposer, detailOf } from './ask-composer.ts'

/** Calls one tool, and prints its result as JSON. */
export async function runComposerInvoke(
  flags: Record<string, unknown>,
  call: { readonly name: string; readonly given: string },
  output: NodeJS.WritableStream,
): Promise<void> {
  const settings = configFrom(askSettings, flags)
  const body = await readArguments(call.given)
  const composer = await askComposer(settings, serverIn(call.name))
  try {
    const path = `/tools/${encodeURIComponent(call.name)}/invoke`
    const answer = await composer.ask('POST', path, body)
    if (answer.status !== 200) throw new CommandFailure(detailOf(answer.body))
    const { result, is_error: isError } = answer.body as { result: unknown; is_error: boolean }
    output.write(`${settings.json ? JSON.stringify(result) : readable(result)}\n`)
    if (isError) process.exitCode = 1
  } finally {
    await composer.close()
  }
}

/** Aliases and names of MCP clients do not say it. */
function serverIn(name: string): string | undefined {
  return /^([^:]+):/.exec(name)?.[1]
}

async function readArguments(given: string): Promise<string> {
  const text = given.startsWith('@') ? await readArgumentFile(given.slice(1)) : given
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text
  } catch {
    // Said below, in the same words as for JSON that is no object.
  }
  throw new CommandFailure(
    `The arguments must be a JSON object, such as '{"path": "notes.txt"}', and are: ${text.slice(0, 100)}`,
  )
}

async function readArgumentFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new CommandFailure(`The arguments in ${file} cannot be read: ${String(error)}`, { cause: error })
  }
}

/** Text for a person, where the result is nothing else. */
function readable(result: unknown): string {
  const { content } = result as { content?: { type: string; text?: string }[] }
  const texts = content?.every(({ type }) => type === 'text') ? content.map(({ text }) => text ?? '') : []
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(result, null, 2)
}
