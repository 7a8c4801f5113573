import type { Output } from '../document/nbformat.ts'
import type { ExecutionEvent } from '../upstream/kernel/execution-event.ts'
import { createOutputCollector, type OutputCollector } from './output-collector.ts'

type Ending = Extract<ExecutionEvent, { type: 'done' | 'lost' }>

/** What is known of one execution while its events come in. */
export interface RunRecord {
  add(event: ExecutionEvent): void
  note(text: string): void
  /** Whether the kernel has taken it up. */
  hasStarted(): boolean
  /** Undefined while it has none. */
  ending(): Ending | undefined
  executionCount(): number | null
  newest(): Output | undefined
  readonly outputs: OutputCollector
  notes(): readonly string[]
}

export interface RunRecordOptions {
  readonly maxBytes?: number
  readonly onOutput?: (output: Output) => void
  /** Called when the kernel has begun, and after each change of the outputs. */
  readonly onChange?: ((outputs: () => readonly Output[], executionCount: number | null) => void) | undefined
}

export function createRunRecord({ maxBytes, onOutput, onChange }: RunRecordOptions): RunRecord {
  const outputs = createOutputCollector(maxBytes === undefined ? {} : { maxBytes })
  const notes: string[] = []
  let hasStarted = false
  let askedForInput = false
  let executionCount: number | null = null
  let ending: Ending | undefined
  let newest: Output | undefined

  return Object.freeze({
    add,
    note: (text: string) => void notes.push(text),
    hasStarted: () => hasStarted,
    ending: () => ending,
    executionCount: () => executionCount,
    newest: () => newest,
    outputs,
    notes: () => [...notes, ...(askedForInput ? [NO_INPUT] : [])],
  })

  function add(event: ExecutionEvent): void {
    switch (event.type) {
      case 'started':
        hasStarted = true
        executionCount = event.executionCount
        onChange?.(outputs.outputs, executionCount)
        return
      case 'output':
      case 'update_display':
      case 'clear':
        addOutput(event)
        return
      case 'input_refused':
        askedForInput = true
        return
      case 'reconnected':
        notes.push(event.mayMissOutputs ? RECONNECTED_WITH_LOSS : RECONNECTED)
        return
      case 'done':
        executionCount = event.executionCount ?? executionCount
        if (event.status === 'aborted') notes.push(ABORTED)
        ending = event
        return
      case 'lost':
        notes.push(event.message)
        ending = event
        return
    }
  }

  function addOutput(event: Parameters<OutputCollector['add']>[0]): void {
    hasStarted = true
    const kept = outputs.add(event)
    onChange?.(outputs.outputs, executionCount)
    if (event.type !== 'output') return
    if (event.output.output_type !== 'stream' || /\S/.test(event.output.text)) newest = event.output
    if (event.output.output_type === 'error' && event.output.ename === 'StdinNotImplementedError')
      askedForInput = true
    if (kept) onOutput?.(kept)
  }
}

const NO_INPUT =
  '[The code asked for input, which cannot be given here: put the value into the code instead of calling input().]'
const ABORTED =
  '[The kernel dropped the code without running it, because code that was queued before it failed. Nothing of it ran: run it again.]'
const RECONNECTED =
  '[The connection to the kernel broke and was made again: nothing is missing, and the code was not sent again.]'
const RECONNECTED_WITH_LOSS =
  '[The connection to the kernel broke and was made again: outputs may be missing, and the code was not sent again.]'
