import { z } from 'zod'
import { ServerUrl } from './server-url.ts'

export const SCOPES = ['notebooks:read', 'notebooks:write', 'code:execute', 'server:manage'] as const

export const KernelStatus = z.enum(['alive', 'dead', 'not_initialized', 'unknown', 'error'])
export type KernelStatus = z.infer<typeof KernelStatus>

/** Answer of `GET /api/healthz`. */
export const Health = z.object({
  success: z.literal(true),
  service: z.literal('notebook-tool-server'),
  status: z.literal('healthy'),
  message: z.string(),
  kernel_status: KernelStatus,
})
export type Health = z.infer<typeof Health>

const LONGEST_TEXT = 4096

/** Null, an empty text and the words for nothing that clients in other languages write all mean that the field is absent. */
const OptionalText = z
  .string()
  .max(LONGEST_TEXT, `must not be longer than ${LONGEST_TEXT} characters`)
  .nullish()
  .transform((text) => (text == null || /^(?:none|null)?$/i.test(text) ? undefined : text))

const OptionalUrl = OptionalText.pipe(ServerUrl.optional())

const Provider = OptionalText.pipe(z.literal('jupyter', 'must be jupyter: no other is known').optional())

/** Body of `PUT /api/connect`. Without a `document_url` documents are on the server that runs code. */
export const ConnectRequest = z.strictObject({
  code_sandbox_url: OptionalText.pipe(ServerUrl),
  code_sandbox_id: OptionalText,
  code_sandbox_token: OptionalText,
  code_sandbox_password: OptionalText,
  document_url: OptionalUrl,
  document_id: OptionalText,
  document_token: OptionalText,
  document_password: OptionalText,
  document_provider: Provider,
  /** An older name of `document_provider`. */
  provider: Provider,
})
export type ConnectRequest = z.infer<typeof ConnectRequest>

export const Done = z.object({ success: z.literal(true) })
export type Done = z.infer<typeof Done>

/** What connect and stop could not do. */
export const Failure = z.object({ success: z.literal(false), error: z.string() })
export type Failure = z.infer<typeof Failure>

/** Why a request was not let in, and every other error. */
export const Refusal = z.object({ error: z.string(), error_description: z.string().optional() })
export type Refusal = z.infer<typeof Refusal>
