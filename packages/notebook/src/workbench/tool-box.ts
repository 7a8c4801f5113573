import type { CallToolResult, ContentBlock, Tool as WireTool } from '@modelcontextprotocol/server'
import type { Logger } from '@quire/kit/log'
import { z } from 'zod'
import { ToolError } from '../tool-error.ts'
import type { Reply, Scope, Tool } from '../tools/tool.ts'
import type { ToolContext } from '../tools/tool-context.ts'
import { parseArguments } from './parse-arguments.ts'

/** As they were sent. */
type RawArguments = Readonly<Record<string, unknown>>

/** The tools that are offered, and the one way to call them. */
export interface ToolBox {
  /** As the protocol lists them. */
  list(): readonly WireTool[]
  has(name: string): boolean
  /** Why a tool is not there. */
  whyNot(name: string): string
  scopesOf(name: string, rawArguments: RawArguments): readonly Scope[]
  /** Every failure is a result that says so. */
  call(name: string, rawArguments: RawArguments | undefined, context: ToolContext): Promise<CallToolResult>
}

/** What `structuredContent` holds when a call has failed. */
const Failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

export function createToolBox(
  tools: readonly Tool[],
  logger: Logger,
  withheld: readonly Tool[] = [],
): ToolBox {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  let listed: readonly WireTool[] | undefined

  return Object.freeze({
    list() {
      listed ??= Object.freeze(tools.map(toWireTool))
      return listed
    },
    has: (name: string) => byName.has(name),
    whyNot(name: string) {
      const isWithheld = withheld.some((tool) => tool.name === name)
      return isWithheld ? `${name} is not offered: this server is read-only.` : `There is no tool "${name}".`
    },
    scopesOf(name: string, rawArguments: RawArguments) {
      const tool = byName.get(name)
      return tool ? [tool.scope, ...(tool.furtherScopes?.(rawArguments) ?? [])] : []
    },
    async call(name: string, rawArguments: RawArguments | undefined, context: ToolContext) {
      const tool = byName.get(name)
      if (!tool) throw new Error(`there is no tool ${name}`)
      try {
        const call = { toolName: name, arguments: rawArguments ?? {}, subject: context.view.workspace.owner }
        const reply = await context.hooks.aroundToolCall(call, async () =>
          tool.run(parseInput(tool, call.arguments), context),
        )
        return toResult(reply)
      } catch (error) {
        return toFailure(name, error, context, logger)
      }
    },
  })
}

function toWireTool({ name, title, description, annotations, input, output }: Tool): WireTool {
  return {
    name,
    title,
    description,
    annotations: { title, ...annotations },
    inputSchema: toObjectSchema(input),
    // Clients of the reference SDK hold failures to the schema as well.
    outputSchema: { type: 'object', anyOf: [jsonSchemaOf(output), jsonSchemaOf(Failure)] },
  }
}

/** zod's type of a JSON schema is wider than the protocol's, which is plain JSON. */
function toObjectSchema(schema: z.ZodObject): WireTool['inputSchema'] {
  return { ...jsonSchemaOf(schema), type: 'object' } as WireTool['inputSchema']
}

function jsonSchemaOf(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', override: simplify })
  return rest
}

/** Every integer in JSON has these bounds, and every model would have to read them. Some providers refuse all tools for one pattern that they cannot compile. */
function simplify({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  delete jsonSchema.pattern
  const { type, description: _, default: __, ...bounds } = jsonSchema
  if (!Array.isArray(type)) return
  // Not every provider knows a list of types.
  for (const key of Object.keys(bounds)) delete jsonSchema[key]
  delete jsonSchema.type
  jsonSchema.anyOf = type.map((one) => (one === 'null' ? { type: one } : { ...bounds, type: one }))
}

function parseInput(tool: Tool, rawArguments: unknown): Record<string, unknown> {
  const parsed = parseArguments(tool.input, rawArguments)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const known = Object.keys(tool.input.shape).join(', ')
      return `unknown parameter ${issue.keys.join(', ')} (known: ${known || 'none'})`
    }
    return `${issue.path.join('.') || 'the arguments'}: ${issue.message}`
  })
  throw new ToolError('invalid_argument', `The arguments of ${tool.name} do not fit: ${faults.join('; ')}.`)
}

function toResult({ content, structured, isError }: Reply<Record<string, unknown>>): CallToolResult {
  return {
    content: typeof content === 'string' ? [text(content)] : [...content],
    structuredContent: structured,
    ...(isError && { isError }),
  }
}

function toFailure(name: string, error: unknown, { signal }: ToolContext, logger: Logger): CallToolResult {
  const { code, message } = describeFailure(name, error, signal, logger)
  return { content: [text(message)], structuredContent: { error: { code, message } }, isError: true }
}

function describeFailure(
  name: string,
  error: unknown,
  signal: AbortSignal,
  logger: Logger,
): { code: string; message: string } {
  if (error instanceof ToolError) return error
  if (signal.aborted) return { code: 'cancelled', message: `${name} was cancelled.` }
  logger.error({ err: error, tool: name }, 'a tool failed')
  return {
    code: 'internal',
    message: `${name} failed for a reason on our side; the log of the notebook service has it.`,
  }
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}
