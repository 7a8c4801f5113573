import { defineSettings } from '@quire/kit/config/settings'
import { z } from 'zod'
import { DEFAULT_URL } from '../resolve-targets.ts'
import { ServerUrl } from '../server-url.ts'

/** What clients write for a setting that they have no value for. */
export const UNSET = ['none', 'null']
/** Goes before the name of the variable in the help. */
export const SEEN = 'others on this machine can see a flag: better set'

const url = { value: 'URL', unset: UNSET, schema: ServerUrl.optional() }
const text = { unset: UNSET, schema: z.string().optional() }
const secret = { value: 'TEXT', unset: UNSET, secret: true }
const password = { ...secret, schema: z.string().optional() }
const token = {
  ...secret,
  schema: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'may hold only visible ASCII characters: it is sent in a header')
    .optional(),
}
/** Which notebook servers the tools work on. */
export const upstreamSettings = defineSettings({
  notebookUrl: {
    ...url,
    flag: 'notebook-url',
    flagAliases: ['jupyter-url'],
    env: ['NOTEBOOK_URL', 'JUPYTER_URL'],
    help: `the notebook server, for documents and for code (default ${DEFAULT_URL})`,
  },
  notebookToken: {
    ...token,
    flag: 'notebook-token',
    flagAliases: ['jupyter-token'],
    env: ['NOTEBOOK_TOKEN', 'JUPYTER_TOKEN'],
    help: `its token; ${SEEN}`,
  },
  notebookPassword: {
    ...password,
    flag: 'notebook-password',
    flagAliases: ['jupyter-password'],
    env: ['NOTEBOOK_PASSWORD', 'JUPYTER_PASSWORD'],
    help: `its password, which beats the token; ${SEEN}`,
  },
  documentUrl: {
    ...url,
    flag: 'document-url',
    env: ['DOCUMENT_URL'],
    help: 'the server that stores documents, where it is another one',
  },
  documentToken: {
    ...token,
    flag: 'document-token',
    env: ['DOCUMENT_TOKEN'],
    help: `its token; ${SEEN}`,
  },
  documentPassword: {
    ...password,
    flag: 'document-password',
    env: ['DOCUMENT_PASSWORD'],
    help: `its password; ${SEEN}`,
  },
  documentId: {
    ...text,
    flag: 'document-id',
    value: 'PATH',
    env: ['DOCUMENT_ID'],
    help: 'a notebook that is open from the start, under the name "default"',
  },
  codeSandboxUrl: {
    ...url,
    flag: 'code-sandbox-url',
    env: ['CODE_SANDBOX_URL'],
    help: 'the server that runs code, where it is another one',
  },
  codeSandboxToken: {
    ...token,
    flag: 'code-sandbox-token',
    env: ['CODE_SANDBOX_TOKEN'],
    help: `its token; ${SEEN}`,
  },
  codeSandboxPassword: {
    ...password,
    flag: 'code-sandbox-password',
    env: ['CODE_SANDBOX_PASSWORD'],
    help: `its password; ${SEEN}`,
  },
  codeSandboxId: {
    ...text,
    flag: 'code-sandbox-id',
    value: 'ID',
    env: ['CODE_SANDBOX_ID'],
    help: 'the kernel that this notebook is attached to',
  },
  documentProvider: {
    flag: 'document-provider',
    flagAliases: ['provider'],
    value: 'NAME',
    env: ['DOCUMENT_PROVIDER', 'PROVIDER'],
    schema: z.literal('jupyter', 'must be jupyter: no other provider is known').optional(),
    help: 'what kind of server stores documents; only "jupyter" is known',
  },
  allowTokenInUrl: {
    env: ['NOTEBOOKHUB_ALLOW_TOKEN_IN_URL', 'JUPYTERHUB_ALLOW_TOKEN_IN_URL'],
    schema: z.stringbool('must be 1 or 0').default(false),
    help: 'lets a token go into the address of a WebSocket whose header was refused, as some hubs need',
  },
})
