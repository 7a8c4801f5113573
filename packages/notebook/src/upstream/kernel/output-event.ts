import { isRecord } from '../../document/json.ts'
import type { Json } from '../../document/nbformat.ts'
import { joinMimeBundle, toOutput } from '../../document/read-output.ts'
import type { ExecutionEvent } from './execution-event.ts'
import { jsonBytes } from './json-bytes.ts'
import type { KernelMessage } from './message.ts'

/** What a message on iopub says about the outputs of its request; undefined when it says nothing about them. */
export function toOutputEvent({ header, content }: KernelMessage): ExecutionEvent | undefined {
  switch (header.msg_type) {
    case 'stream':
    case 'display_data':
    case 'execute_result':
    case 'error':
    case 'update_display_data':
      return Number.isFinite(jsonBytes(content)) ? toEvent(header.msg_type, content) : TOO_DEEP
    case 'clear_output':
      return { type: 'clear', wait: content.wait === true }
    default:
      return undefined
  }
}

function toEvent(type: string, content: Json): ExecutionEvent | undefined {
  const { name, text, data, metadata, execution_count, ename, evalue, traceback, transient } = content
  const displayId =
    isRecord(transient) && typeof transient.display_id === 'string' ? transient.display_id : undefined
  switch (type) {
    case 'stream':
      return output({ output_type: type, name, text })
    case 'display_data':
      return output({ output_type: type, data, metadata }, displayId)
    case 'execute_result':
      return output({ output_type: type, data, metadata, execution_count }, displayId)
    case 'error':
      return output({ output_type: type, ename, evalue, traceback })
    default:
      if (displayId === undefined || !isRecord(data)) return undefined
      return {
        type: 'update_display',
        displayId,
        data: joinMimeBundle(data),
        metadata: isRecord(metadata) ? metadata : {},
      }
  }
}

function output(fields: Json, displayId?: string): ExecutionEvent {
  return { type: 'output', output: toOutput(fields), ...(displayId !== undefined && { displayId }) }
}

const TOO_DEEP: ExecutionEvent = {
  type: 'output',
  output: {
    output_type: 'stream',
    name: 'stderr',
    text: '\n[an output was left out: it is nested too deeply]\n',
  },
}
