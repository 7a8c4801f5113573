import type { SseMessage } from '@quire/kit/stream/sse-frame'
import type { RpcId } from './json-rpc.ts'
import type { OpenStream } from './methods.ts'
import {
  hasResult,
  isEnded,
  type TaskMoment,
  toArtifact,
  toMetadata,
  toWireStatus,
  toWireTask,
} from './wire-task.ts'

/** The task as it stands, each of its states once, its result, and how it ended. */
export async function* toResponses(
  { task, contextId, changes }: OpenStream,
  id: RpcId,
  signal: AbortSignal,
): AsyncGenerator<SseMessage> {
  const ids = { taskId: task.id, contextId }
  const say = (result: object, seq?: number): SseMessage => ({
    data: JSON.stringify({ jsonrpc: '2.0', id, result }),
    ...(seq !== undefined && { id: seq }),
  })
  yield say({ task: toWireTask({ task }, contextId) })
  if (isEnded(task)) return
  let told = wordsOf({ task }, contextId)
  for await (const moment of changes(signal)) {
    const words = wordsOf(moment, contextId)
    if (words === told) continue
    told = words
    if (hasResult(moment.task))
      yield say({
        artifactUpdate: { ...ids, artifact: toArtifact(moment.task.result), append: false, lastChunk: true },
      })
    const status = toWireStatus(moment, contextId)
    const metadata = isEnded(moment.task) && { metadata: toMetadata(moment.task) }
    yield say({ statusUpdate: { ...ids, status, ...metadata } }, moment.seq)
  }
}

/** What a reader would notice of it. */
function wordsOf(moment: TaskMoment, contextId: string): string {
  const { state, message } = toWireStatus(moment, contextId)
  return `${state} ${message?.parts[0]?.text}`
}
