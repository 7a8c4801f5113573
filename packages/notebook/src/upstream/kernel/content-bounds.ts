import { isRecord } from '../../document/json.ts'

/** More than is kept of one execution. */
const LARGEST_OUTPUT = 10 * 1024 * 1024
const LARGEST_OTHER = 1024 * 1024

const OUTPUTS: ReadonlySet<unknown> = new Set([
  'stream',
  'display_data',
  'execute_result',
  'error',
  'update_display_data',
  'execute_reply',
])
/**
 * Code in a kernel can send what it likes, and to parse a hundred megabytes stops everything else for half a minute. What is larger than anybody needs is
 * not parsed; an output becomes a line that says so.
 */
export function toContent(
  header: unknown,
  bytes: number,
  parse: () => unknown,
): { readonly header: unknown; readonly content: unknown } {
  const type = isRecord(header) ? header.msg_type : undefined
  if (bytes <= (OUTPUTS.has(type) ? LARGEST_OUTPUT : LARGEST_OTHER)) return { header, content: parse() }
  return OUTPUTS.has(type) && type !== 'execute_reply' ? tooLarge(header, bytes) : { header, content: {} }
}

function tooLarge(header: unknown, bytes: number) {
  const text = `\n[an output of ${bytes} bytes was left out: at most ${LARGEST_OUTPUT} are taken, save what is larger to a file]\n`
  return {
    header: { ...(isRecord(header) && header), msg_type: 'stream' },
    content: { name: 'stderr', text },
  }
}
