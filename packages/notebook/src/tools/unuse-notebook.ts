import { z } from 'zod'
import { ToolError } from '../tool-error.ts'
import { FIRST_NAME, type View } from '../workspace/view.ts'
import { defineTool } from './tool.ts'

export const unuseNotebook = defineTool({
  name: 'unuse_notebook',
  title: 'Unuse Notebook',
  description:
    'Lets a notebook go. Its file stays as it is; a kernel that was started for it here is shut down, with its variables, and any other kernel is left running.',
  scope: 'notebooks:read',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    notebook_name: z.string().describe('The name under which the notebook was opened with use_notebook.'),
  }),
  output: z.object({
    notebook_name: z.string(),
    kernel_id: z.string().nullable(),
    kernel_shut_down: z.boolean(),
    current: z.string().nullable(),
  }),
  async run(input, { view, mayExecute }) {
    const { name, kernel } = view.notebook(input.notebook_name)
    if (kernel.id() !== undefined && !mayExecute) {
      throw new ToolError(
        'forbidden',
        `Notebook '${name}' has a kernel, which may be shut down with it: that takes a token with the scope code:execute.`,
      )
    }
    const wasCurrent = view.current() === name
    const kernelId = kernel.id() ?? null
    const { kernelShutDown } = await view.workspace.remove(name)
    const lines = [`Notebook '${name}' unused successfully.`]
    if (kernelShutDown) lines.push(`Its kernel '${kernelId}' was shut down.`)
    else if (kernelId !== null) lines.push(`Its kernel '${kernelId}' was left running.`)
    if (wasCurrent) lines.push(chooseNext(view))
    return {
      content: lines.join('\n'),
      structured: {
        notebook_name: name,
        kernel_id: kernelId,
        kernel_shut_down: kernelShutDown,
        current: view.current() ?? null,
      },
    }
  },
})

/** The notebook that is open from the start comes first. */
function chooseNext(view: View): string {
  const names = view.own().map(({ name }) => name)
  const next = names.find((name) => name === FIRST_NAME) ?? names[0]
  if (next === undefined) return 'No notebooks remaining.'
  view.makeCurrent(next)
  return `Current notebook switched to '${next}'.`
}
