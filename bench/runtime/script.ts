/** How the scripted model answers; it is asked for by the model's name. */
export type Pace =
  /** Each chunk in a packet of its own, as models send them. */
  | 'apart'
  /** All chunks at once: what is left is the work on them. */
  | 'burst'
  /** Silence after the first chunk, until it is told to go on. */
  | 'held'

const CHUNKS = 20
/** Between two chunks that come apart: a model of 500 tokens a second. */
export const CHUNK_GAP_MS = 2
export const REST: readonly string[] = Object.freeze(
  Array.from({ length: CHUNKS - 1 }, (_, index) => `word ${index} `),
)

const REST_TEXT = REST.join('')
const SENT_AT = /@(\d+)@/

/** The first chunk tells whose answer it is, and when it left: the clock is the machine's, and all processes have the same. */
export function firstChunk(prompt: string): string {
  return `${prompt} @${process.hrtime.bigint()}@ `
}

/** In nanoseconds; undefined as long as the first chunk is not there. */
export function sentAt(received: string): bigint | undefined {
  const digits = SENT_AT.exec(received)?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}

/** Throws where it is not the whole answer to this very prompt. */
export function assertAnswer(prompt: string, text: string): void {
  if (text.replace(SENT_AT, '@') === `${prompt} @ ${REST_TEXT}`) return
  throw new Error(`not the answer to "${prompt}": ${JSON.stringify(text.slice(0, 400))}`)
}
