import { expect, test } from 'vitest'
import { createScriptedTurns, type Script } from '../turns/scripted-turns.fixture.ts'
import { AGENTS, asked, call, result, text } from './transports.fixture.ts'
import { type TurnStep, turnSteps } from './turn-steps.ts'

async function stepsOf(script: Script, after?: string): Promise<TurnStep[]> {
  const scripted = createScriptedTurns((id) => AGENTS.find((agent) => agent.id === id))
  scripted.play(script)
  const turn = await scripted.turns.prompt({ owner: 'ada', agentId: 'guide', message: 'hello' })
  await turn.result()
  const steps: TurnStep[] = []
  for await (const step of turnSteps(turn, { after })) steps.push(step)
  return steps
}

const outline = (steps: readonly TurnStep[]) =>
  steps.map((step) => {
    if (step.type === 'end')
      return `end ${step.result.status} ${step.pending.map(({ id }) => id).join(' ')}`.trim()
    return step.type === 'approval' ? `approval ${step.call.id}` : `${step.type} ${step.messageId}`
  })

test('a text opens and closes, and shares its message with the calls that follow it', async () => {
  const steps = await stepsOf({
    acts: [text('Let '), text('me see'), call('c1'), call('c2'), result('c1'), result('c2'), text('Three.')],
  })
  expect(outline(steps)).toEqual([
    'text_start t1.1',
    'text t1.1',
    'text t1.1',
    'text_end t1.1',
    'tool_call t1.1',
    'tool_call t1.1',
    'tool_result t1.4',
    'tool_result t1.5',
    'text_start t1.6',
    'text t1.6',
    'text_end t1.6',
    'end complete',
  ])
})

test('calls without a text are one message too, named after the first', async () => {
  const steps = await stepsOf({ acts: [call('c1'), call('c2'), result('c1'), result('c2'), call('c3')] })
  expect(outline(steps)).toEqual([
    'tool_call t1.1',
    'tool_call t1.1',
    'tool_result t1.3',
    'tool_result t1.4',
    'tool_call t1.5',
    'end complete',
  ])
})

test('the end tells which calls wait, and no others', async () => {
  const steps = await stepsOf({
    acts: [call('c1'), asked('c1'), result('c1'), call('c2'), call('c3'), asked('c2'), asked('c3')],
  })
  expect(outline(steps).slice(-3)).toEqual(['approval c2', 'approval c3', 'end waiting c2 c3'])
})

test('whoever goes on in the middle of a text is told again which it is', async () => {
  const script = { acts: [text('one '), text('two')] }
  const [, first] = await stepsOf(script)
  const place = first?.type === 'text' ? first.place : undefined
  expect(await stepsOf(script, place)).toMatchObject([
    { type: 'text_start', messageId: 't1.1' },
    { type: 'text', messageId: 't1.1', text: 'two' },
    { type: 'text_end' },
    { type: 'end' },
  ])
})

test('two messages in a row are two texts', async () => {
  const scripted = createScriptedTurns((id) => AGENTS.find((agent) => agent.id === id))
  scripted.play({ acts: [] })
  const turn = await scripted.turns.prompt({ owner: 'ada', agentId: 'guide', message: 'hello' })
  async function* frames() {
    yield { id: 't.1.3', frame: text('one') }
    yield { id: 't.2.3', frame: text('two') }
  }
  const steps: TurnStep[] = []
  for await (const step of turnSteps({ ...turn, frames })) steps.push(step)
  expect(outline(steps)).toEqual(['text_start t.1', 'text t.1', 'text_end t.1', 'text_start t.2', 'text t.2'])
})
