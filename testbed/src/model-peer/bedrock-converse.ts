import { crc32 } from 'node:zlib'
import type { EventAct, PeerFinish, PeerUsage, Wire } from './script.ts'

const STOP = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  filtered: 'guardrail_intervened',
} as const
const STRING_HEADER = 7

/**
 * Text alone of Bedrock's ConverseStream, in the binary frames of AWS.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export function createBedrockConverse(): Wire {
  return {
    contentType: 'application/vnd.amazon.eventstream',
    begin: () => [frame('messageStart', { role: 'assistant' })],
    encode(act: EventAct) {
      if ('text' in act)
        return [frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: act.text } })]
      throw new Error('This wire is scripted for text alone.')
    },
    end(finish: PeerFinish, { input, output }: PeerUsage) {
      const usage = { inputTokens: input, outputTokens: output, totalTokens: input + output }
      return [
        frame('contentBlockStop', { contentBlockIndex: 0 }),
        frame('messageStop', { stopReason: STOP[finish] }),
        frame('metadata', { usage, metrics: { latencyMs: 1 } }),
      ]
    },
  }
}

/** Lengths and their checksum, headers, payload, checksum of the whole. */
function frame(event: string, body: object): Uint8Array {
  const headers = Buffer.concat([
    header(':message-type', 'event'),
    header(':event-type', event),
    header(':content-type', 'application/json'),
  ])
  const payload = Buffer.from(JSON.stringify(body))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0)
  prelude.writeUInt32BE(headers.length, 4)
  const checked = Buffer.concat([prelude, checksum(prelude), headers, payload])
  return Buffer.concat([checked, checksum(checked)])
}

function header(name: string, value: string): Buffer {
  const size = Buffer.alloc(2)
  size.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([STRING_HEADER]),
    size,
    Buffer.from(value),
  ])
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
