import { textOf, toolCallsOf } from '@quire/agent/message'
import type { StoredStep, StoredTask } from './database.fixture.ts'
import type { LedgerLine } from './ledger.fixture.ts'
import { workPlanOf } from './scripted-work.fixture.ts'

/** What tools did against what is stored of it. */
export function checkEffects(
  tasks: readonly StoredTask[],
  steps: ReadonlyMap<string, readonly StoredStep[]>,
  lines: readonly LedgerLine[],
): string | undefined {
  const effects = Map.groupBy(
    lines.filter((line) => line.kind === 'effect'),
    ({ key }) => key,
  )
  for (const [key, found] of effects)
    if (found.length > 1) return `the call ${key} was made ${found.length} times`
  const calls = new Set<string>()
  for (const [taskId, journal] of steps)
    for (const { attempt, message } of journal) {
      const keyOf = (callId: string) => `${taskId}.${attempt}.${callId}`
      if (message.role === 'assistant') for (const { id } of toolCallsOf(message)) calls.add(keyOf(id))
      if (message.role !== 'tool' || message.result.isError === true) continue
      if (!effects.has(keyOf(message.callId)))
        return `${keyOf(message.callId)} has a result, and was never made`
    }
  for (const key of effects.keys())
    if (!calls.has(key)) return `the call ${key} was made before it was stored`
  for (const task of tasks) {
    const broken = task.status === 'completed' ? checkJournal(task, steps.get(task.id) ?? []) : undefined
    if (broken !== undefined) return `${task.id} is complete, and ${broken}`
  }
  return undefined
}

/** Of the attempt that a task was completed in. */
function checkJournal(task: StoredTask, all: readonly StoredStep[]): string | undefined {
  const steps = all.filter(({ attempt }) => attempt === task.attempts)
  const gap = steps.findIndex(({ number }, index) => number !== index + 1)
  if (gap !== -1) return `its step ${gap + 1} is missing`
  const answered = new Set(steps.flatMap(({ message }) => (message.role === 'tool' ? [message.callId] : [])))
  const messages = steps.map(({ message }) => message)
  const answers = messages.filter((message) => message.role === 'assistant')
  const open = answers.flatMap(toolCallsOf).find(({ id }) => !answered.has(id))
  if (open) return `its call ${open.id} has no result`
  const made = messages.filter((message) => message.role === 'tool' && message.result.isError !== true).length
  const { calls } = workPlanOf(task.description)
  if (made < calls) return `it has ${made} of ${calls} results`
  const last = answers.at(-1)
  if (last === undefined || textOf(last) !== task.result) return 'its result is not its last step'
  return undefined
}
