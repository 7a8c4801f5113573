import type { z } from 'zod'
import { ToolError } from '../tool-error.ts'
import type { JupyterServer } from './server.ts'

/** Reads an answer as what it should be. `what` is a noun with its article, such as `a kernel`. */
export function parseModel<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  { what, server }: { readonly what: string; readonly server: JupyterServer },
): z.output<Schema> {
  const { data, error } = schema.safeParse(answer)
  if (data !== undefined) return data
  const fault = error?.issues[0]
  const where = fault && fault.path.length > 0 ? ` (at "${fault.path.join('.').slice(0, 80)}")` : ''
  throw new ToolError(
    'failing',
    `${server.url} answered something that is not ${what}${where}: it does not look like a Jupyter server, or it is one of a kind that is not supported.`,
    { cause: error },
  )
}
