import type { ToolResult } from '@quire/agent/tool'
import type { Frame } from '../turns/frame.ts'
import { approvalCard, CALL_STATUS, callBody, callCard, callId } from './call-card.ts'
import type { BasicComponent } from './components.ts'
import { fenced } from './markdown.ts'
import { A2UI_VERSION, type A2uiMessage, BASIC_CATALOG } from './messages.ts'

export interface SurfaceOptions {
  readonly surfaceId: string
  readonly conversationId: string
  /** The renderer has it already: it is brought up to date. */
  readonly isKnown: boolean
}

/** One turn as a user interface, made of its frames: a column of texts and of cards for what the tools do. */
export interface Surface {
  begin(): readonly A2uiMessage[]
  take(frame: Frame): readonly A2uiMessage[]
  /** How long the text is that has grown since it was last told; undefined where none has. */
  grown(): number | undefined
  /** Tells the text that has grown. */
  flush(): readonly A2uiMessage[]
  fail(detail: string): readonly A2uiMessage[]
}

interface TextRun {
  readonly path: string
  text: string
  isTold: boolean
}

interface Call {
  readonly path: string
  isWaiting: boolean
}

export function createSurface({ surfaceId, conversationId, isKnown }: SurfaceOptions): Surface {
  const children: string[] = []
  const calls = new Map<string, Call>()
  let run: TextRun | undefined

  const components = (...list: readonly BasicComponent[]): A2uiMessage => ({
    version: A2UI_VERSION,
    updateComponents: { surfaceId, components: [...list] },
  })
  const data = (path: string, value: unknown): A2uiMessage => ({
    version: A2UI_VERSION,
    updateDataModel: { surfaceId, path, value },
  })
  const root = (): BasicComponent => ({ id: 'root', component: 'Column', children: [...children] })

  /** The first of it is told at once; how it grows, when it is asked for. */
  function addText(content: string): readonly A2uiMessage[] {
    if (run) {
      run.text += content
      run.isTold = false
      return []
    }
    const name = `text-${children.length}`
    run = { path: `/texts/${name}`, text: content, isTold: true }
    children.push(name)
    return [
      data(run.path, run.text),
      components({ id: name, component: 'Text', text: { path: run.path } }, root()),
    ]
  }

  function addCall(call: Extract<Frame, { type: 'tool_call' | 'approval_request' }>): readonly A2uiMessage[] {
    if (calls.has(call.id)) return []
    const path = `/calls/c${calls.size}`
    calls.set(call.id, { path, isWaiting: false })
    children.push(callId(call.id))
    return [
      data(path, { status: CALL_STATUS.running, result: '' }),
      components(...callCard(call, path), root()),
    ]
  }

  function askFor(request: Extract<Frame, { type: 'approval_request' }>): readonly A2uiMessage[] {
    const added = addCall(request)
    const call = calls.get(request.id)
    if (!call) return added
    call.isWaiting = true
    return [
      ...added,
      components(...approvalCard(request.id, conversationId)),
      data(`${call.path}/status`, CALL_STATUS.waiting),
    ]
  }

  function answer(id: string, result: ToolResult): readonly A2uiMessage[] {
    const call = calls.get(id)
    if (!call) return []
    const status = result.isError ? CALL_STATUS.failed : CALL_STATUS.done
    const told = data(call.path, { status, result: fenced(textOf(result)) })
    if (!call.isWaiting) return [told]
    call.isWaiting = false
    return [told, components(callBody(id))]
  }

  function flush(): readonly A2uiMessage[] {
    if (!run || run.isTold) return []
    run.isTold = true
    return [data(run.path, run.text)]
  }

  function fail(detail: string): readonly A2uiMessage[] {
    const name = `error-${children.length}`
    children.push(name)
    return [components({ id: name, component: 'Text', text: `Error: ${detail}` }, root())]
  }

  function show(frame: Exclude<Frame, { type: 'text' }>): readonly A2uiMessage[] {
    if (frame.type === 'tool_call') return addCall(frame)
    if (frame.type === 'approval_request') return askFor(frame)
    if (frame.type === 'tool_result') return answer(frame.tool_call_id, frame.result)
    return frame.type === 'error' ? fail(frame.detail) : []
  }

  return Object.freeze({
    begin: () =>
      isKnown
        ? []
        : [
            { version: A2UI_VERSION, createSurface: { surfaceId, catalogId: BASIC_CATALOG } },
            components(root()),
          ],
    take(frame: Frame) {
      if (frame.type === 'text') return addText(frame.content)
      const told = flush()
      run = undefined
      return [...told, ...show(frame)]
    },
    grown: () => (run && !run.isTold ? run.text.length : undefined),
    flush,
    fail,
  } satisfies Surface)
}

function textOf({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}
