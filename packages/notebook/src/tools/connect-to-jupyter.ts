import { z } from 'zod'
import { ServerUrl } from '../server-url.ts'
import { orDefault } from './shared/fields.ts'
import { defineTool } from './tool.ts'

const secret = z.string().nullish()

export const connectToJupyter = defineTool({
  name: 'connect_to_jupyter',
  title: 'Connect to Jupyter',
  description:
    'Points everything at another Jupyter server, for documents and for code. The new server is tried first: when it does not answer, or refuses, the old connection stays. Otherwise all notebooks in use are let go, and kernels that were started for them are shut down. Credentials of the old server are never sent to the new one.',
  scope: 'server:manage',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    jupyter_url: ServerUrl.describe(
      'Address of the server with its path prefix, such as http://localhost:8888, without a token in it.',
    ),
    jupyter_token: secret.describe('Its token.'),
    jupyter_password: secret.describe(
      'Its login password. It is used instead of the token when both are given.',
    ),
    document_provider: orDefault(z.literal('jupyter'), 'jupyter').describe('Only jupyter.'),
  }),
  output: z.object({
    jupyter_url: z.string(),
    document_provider: z.string(),
    authentication: z.enum(['token', 'password', 'none']),
    /** The notebooks that were in use on the old server. */
    released_notebooks: z.array(z.string()),
  }),
  async run(input, { view, connect, servers }) {
    const { jupyter_url: url, document_provider } = input
    const token = input.jupyter_token || undefined
    const password = input.jupyter_password || undefined
    const { allowTokenInUrl } = servers.targets.document
    const target = Object.freeze({ url, token, password, allowTokenInUrl })
    const released = view.workspace.all().map(({ name }) => name)
    await connect({ document: target, sandbox: target })
    const authentication: keyof typeof AUTHENTICATION = password ? 'password' : token ? 'token' : 'none'
    const lines = [
      `Connected to Jupyter server ${url}.`,
      `Document provider: ${document_provider}`,
      `Authentication: ${AUTHENTICATION[authentication]}`,
    ]
    if (released.length > 0) {
      const names = released.map((name) => `'${name}'`).join(', ')
      lines.push(`Notebooks of the old server that were let go: ${names}. Open notebooks with use_notebook.`)
    }
    return {
      content: lines.join('\n'),
      structured: { jupyter_url: url, document_provider, authentication, released_notebooks: released },
    }
  },
})

const AUTHENTICATION = {
  token: 'Token-based',
  password: 'Password-based',
  none: 'None (anonymous)',
} as const
