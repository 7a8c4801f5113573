import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { ExecutionResult } from '../execution/execution-result.ts'
import { ToolError } from '../tool-error.ts'
import { kernelId, timeoutOf, toTimeoutSeconds } from './shared/execution-fields.ts'
import { toInspectCode } from './shared/execution-inspect-snippet.ts'
import { connectTo, requireKernel, requireKernelOf } from './shared/execution-kernel.ts'
import { runInKernel } from './shared/execution-run.ts'
import { Variable, variableTable, variableText } from './shared/execution-variables.ts'
import { notebookName, orDefault } from './shared/fields.ts'
import { defineTool } from './tool.ts'
import type { ToolContext } from './tool-context.ts'

const DEFAULT_SECONDS = 10
const MOST = 1000

export const inspectVariables = defineTool({
  name: 'inspect_variables',
  title: 'Inspect Variables',
  description:
    'Shows the variables of a Python kernel: names, types, sizes or shapes, and short values; with name, one of them in detail. The kernel stays as it is, with its history and execution count. The repr of your own classes is called only for the variable that is named.',
  scope: 'code:execute',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    name: z.string().min(1).nullish().describe('One variable, to be shown in detail.'),
    pattern: z.string().min(1).max(200).nullish().describe("Only names that fit it, such as 'df_*'."),
    limit: orDefault(z.int().min(1).max(MOST), 100).describe(`How many variables to show, at most ${MOST}.`),
    notebook_name: notebookName,
    kernel_id: kernelId,
    timeout: timeoutOf(DEFAULT_SECONDS, 'Seconds that it may take, waiting for a busy kernel included.'),
  }),
  output: z.object({
    kernel_id: z.string(),
    variables: z.array(Variable),
    total: z.int().describe('How many fit, before the limit'),
    modules: z.array(z.string()).describe('Names that stand for imported modules'),
  }),
  async run(input, context) {
    const { view, signal, config } = context
    const id = input.kernel_id ?? (await requireKernelOf(view.notebook(input.notebook_name), signal))
    await requirePython(id, context)
    const marker = randomBytes(12).toString('hex')
    const { name = null, pattern = null, limit } = input
    const { result } = await runInKernel(context, {
      kernel: await connectTo(id, context),
      code: toInspectCode({ marker, name, pattern, limit }),
      timeoutSeconds: toTimeoutSeconds(input.timeout, config),
      progressInterval: 0,
      report: () => undefined,
      storeHistory: false,
    })
    const answer = readAnswer(result, marker)
    return {
      content: name === null ? listText(answer) : detailText(answer, name),
      structured: { kernel_id: id, ...answer },
    }
  },
})

const Answer = z.object({ variables: z.array(Variable), total: z.int(), modules: z.array(z.string()) })
type Answer = z.infer<typeof Answer>

async function requirePython(id: string, { servers, signal }: ToolContext): Promise<void> {
  const [{ name }, { specs }] = await Promise.all([
    requireKernel(servers.kernels, id, signal),
    servers.kernels.specs(signal),
  ])
  const language = specs.find((spec) => spec.name === name)?.language ?? ''
  if (language === '' || language.toLowerCase() === 'python') return
  throw new ToolError(
    'invalid_argument',
    `inspect_variables knows Python alone, and kernel '${id}' (${name}) runs ${language}. Look at its variables with execute_code, in its own language.`,
  )
}

function readAnswer({ outputs, status, notes }: ExecutionResult, marker: string): Answer {
  const texts = outputs.map((output) =>
    output.output_type === 'stream' && output.name === 'stdout' ? output.text : '',
  )
  const [, answer] = texts.join('').split(marker)
  if (answer !== undefined) return Answer.parse(JSON.parse(answer))
  const error = outputs.find((output) => output.output_type === 'error')
  const why = error ? `The kernel said ${error.ename}: ${error.evalue.slice(0, 500)}.` : notes.join(' ')
  throw new ToolError(
    status === 'timeout' ? 'busy' : 'failing',
    `The variables could not be read (${status}). ${why || 'The kernel printed no answer: its standard output may be redirected.'}`,
  )
}

function listText({ variables, total, modules }: Answer): string {
  const lines = [total === 0 ? 'No variables found' : `Showing ${variables.length} of ${total} variables`]
  if (variables.length > 0) lines.push('', variableTable(variables))
  if (variables.length < total) lines.push('', 'Narrow them down with pattern, or raise limit.')
  if (modules.length > 0) lines.push('', `Imported modules: ${modules.join(', ')}`)
  return lines.join('\n')
}

function detailText({ variables: [variable] }: Answer, name: string): string {
  if (variable) return variableText(variable)
  throw new ToolError(
    'not_found',
    `No variable '${name}' is in the kernel: not found. Call inspect_variables without name to see those that are.`,
  )
}
