import { resolve } from 'node:path'
import { ComposerError } from '../composer-error.ts'
import type { ServerDefinition, StdioDefinition } from '../server-definition.ts'
import type { TranslatorRequest } from '../translator-contract.ts'
import { toRemoteDefinition, toStdioDefinition } from './pass-through-definition.ts'
import { toCommandLine } from './shell-words.ts'

/** Whether this process may run a program for whoever uses the API. */
export type AllowCommand = (program: Pick<StdioDefinition, 'command' | 'env' | 'workingDir'>) => boolean

export interface CommandRules {
  /** Where relative paths begin, and programs run. */
  readonly folder: string
  readonly allowCommand: AllowCommand
}

/** What is to be run, if anything, and what of it may be shown. */
export interface TranslatorPlan {
  readonly definition: ServerDefinition | undefined
  readonly command?: string
  readonly url?: string
}

/** Throws a `ComposerError`: `COMMAND_NOT_ALLOWED`, or `VALIDATION_ERROR` that names the field. */
export function planTranslator(request: TranslatorRequest, rules: CommandRules): TranslatorPlan {
  // A colon cannot stand in the name of a configured server, so nobody's calls are counted as somebody else's.
  const name = `translator:${request.name}`
  switch (request.type) {
    case 'stdio-to-http': {
      const { command, env = {}, working_dir: workingDir } = request
      const [program = '', ...rest] = typeof command === 'string' ? [command] : command
      const args = [...rest, ...(request.args ?? [])]
      if (program === '') throw invalid('command', 'must name a program')
      const { folder, allowCommand } = rules
      const run = {
        command: [program, ...args] as const,
        env,
        workingDir: resolve(folder, workingDir ?? '.'),
      }
      if (!allowCommand(run)) throw notAllowed(program)
      const definition = toStdioDefinition(name, run)
      return { definition, command: toCommandLine([program, ...args]) }
    }
    case 'sse-to-http': {
      const { href, origin, pathname } = toUrl(request.url)
      const headers = toHeaders(request.headers ?? {})
      const definition = toRemoteDefinition(name, { transport: 'sse', url: href, headers })
      // Some servers want their key in the query.
      return { definition, url: `${origin}${pathname}` }
    }
    case 'http-to-stdio': {
      const { href } = toUrl(request.url)
      const command = toCommandLine(['quire', 'composer', 'bridge', '--url', href])
      return { definition: undefined, command, url: href }
    }
  }
}

function toUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw invalid('url', 'must be an address that begins with http:// or https://')
  if (url.username || url.password) throw invalid('url', 'must not hold a password: put it into a header')
  return url
}

function toHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers().set(name, value)
    } catch {
      // What the runtime says of it quotes the value.
      throw invalid('headers', 'must be names and values that HTTP allows')
    }
  }
  return headers
}

function notAllowed(program: string): ComposerError {
  return new ComposerError(
    'COMMAND_NOT_ALLOWED',
    `The command "${program}" may not be run by way of the API. Start the composer with --allow-command ${program}, or put the server into its configuration file.`,
  )
}

function invalid(field: string, message: string): ComposerError {
  const errors = [{ path: `body.${field}`, message }]
  return new ComposerError('VALIDATION_ERROR', `"${field}" ${message}.`, { errors })
}
