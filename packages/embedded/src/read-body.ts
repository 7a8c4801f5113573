import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { Context } from 'hono'
import type { z } from 'zod'
import { exceedsDepth } from './json.ts'

/** A notebook with its pictures, or a file in base64. */
const LARGEST = 100 * 1024 * 1024
const DEEPEST = 220

/** The JSON body of a request, of a shape, within bounds. Undefined where there is none. */
export async function readBody<Schema extends z.ZodType>(
  c: Context<ServiceEnv>,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  const text = await readText(c)
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new CallerError('body_syntax', 'Invalid JSON in body of request', { cause: error })
  }
  if (exceedsDepth(value, DEEPEST)) throw new CallerError('body_shape', 'The body is nested too deeply.')
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') || 'the body'
  throw new CallerError('validation', `${where}: ${issue?.message ?? 'is not valid'}`, { status: 400 })
}

async function readText(c: Context<ServiceEnv>): Promise<string> {
  if (Number(c.req.header('content-length') ?? 0) > LARGEST) throw tooLarge()
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > LARGEST) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof CallerError) throw error
    throw new CallerError('body_syntax', 'The body ended before all of it was sent.', { cause: error })
  }
  return Buffer.concat(chunks).toString('utf8')
}

function tooLarge(): CallerError {
  return new CallerError('body_size', `The body is larger than ${LARGEST} bytes.`, {
    headers: { connection: 'close' },
  })
}
