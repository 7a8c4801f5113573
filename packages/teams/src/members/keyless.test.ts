import { createGuide } from '@quire/agent/guide'
import type { Message } from '@quire/agent/message'
import { createModels } from '@quire/agent/models'
import { NOTHING_SPENT } from '@quire/agent/spent'
import { expect, test } from 'vitest'
import type { Task } from '../task.ts'
import type { Member, Team } from '../team.ts'
import { createMembers } from './create-members.ts'
import { createSupervisorCalls } from './create-supervisor-calls.ts'
import type { TaskInput } from './members.ts'
import { createGate, runToEnd, TASK, TEAM, workOf } from './work.fixture.ts'

const models = createModels({ environment: {}, guide: createGuide() })
const members = createMembers({ models, tools: { toolsOf: async () => [] } })
const supervisor = createSupervisorCalls({ models })

const guide = (name: string, systemPrompt: string): Member => ({
  name,
  systemPrompt,
  model: 'builtin:guide',
  mcpToolsets: [],
})
const team: Team = {
  ...TEAM,
  members: [
    guide('lead', 'You lead.'),
    guide('researcher', 'You find things.'),
    guide('writer', 'You write.'),
  ],
  supervisor: { memberName: 'lead', reviewRequired: true },
}
const taskOf = (title: string, description: string): Task => ({ ...TASK, title, description })

test('three tasks of a team without a key are routed, done by rules, and reviewed by one', async () => {
  const taken = new Map(team.members.map(({ name }) => [name, 0]))
  const inputs: TaskInput[] = []
  const chosen: string[] = []
  const tasks = [
    taskOf('help', ''),
    taskOf('See what there is', 'Somebody has to know.\n\nlist tools'),
    taskOf('list tools', ''),
  ]
  for (const task of tasks) {
    const call = { team, task, inputs, callId: 'c', gate: createGate(), signal: new AbortController().signal }
    const candidates = [...taken].map(([name, count]) => ({ name, taken: count, isBusy: false }))
    const routing = await supervisor.route({ ...call, candidates })
    expect(routing).toMatchObject({ isFallback: false, reason: expect.stringContaining('by a rule only') })
    expect(routing.spent.cost).toBe(0)
    chosen.push(routing.memberName)
    taken.set(routing.memberName, (taken.get(routing.memberName) ?? 0) + 1)
    const member = team.members.find(({ name }) => name === routing.memberName)
    const { steps, error } = await runToEnd(
      members,
      workOf({ team, task, inputs, ...(member && { member }) }),
    )
    expect(error).toBeUndefined()
    const result = steps.at(-1)?.result ?? ''
    expect(result).toContain('fixed rules, no language model')
    expect(steps.at(-1)?.spent.cost).toBe(NOTHING_SPENT.cost)
    const memberName = routing.memberName
    const verdict = await supervisor.review({ ...call, memberName, result, earlierReasons: [] })
    expect(verdict).toMatchObject({
      isApproved: true,
      isFallback: false,
      reasons: expect.stringContaining('by a rule only'),
    })
    inputs.push({ taskId: task.title, title: task.title, member: memberName, result })
  }
  expect(chosen).toEqual(['researcher', 'writer', 'researcher'])
  expect(inputs[0]?.result).toContain('You can say, for example')
  expect(inputs[1]?.result).toContain('No tools are attached')
  expect(inputs[2]?.result).toContain('No tools are attached')
})

test.each([
  ['Write a summary', 'Summarise the facts for children.'],
  ['Sum', 'run 1+1'],
  ['See what there is', 'list tools\n\nrun 1+1'],
])(
  'a task that takes more than the rules, or a tool that is not there, fails: %s',
  async (title, description) => {
    const { steps, error } = await runToEnd(
      members,
      workOf({ team, member: guide('writer', ''), task: taskOf(title, description) }),
    )
    expect(error).toMatchObject({ fault: 'refused', message: expect.stringContaining('a language model') })
    expect(steps.map(({ result }) => result)).toEqual([undefined])
  },
)

test('a result that is returned cannot be mended by rules, and is not handed in again', async () => {
  const steps: readonly Message[] = [
    { role: 'assistant', parts: [{ type: 'text', text: 'No tools are attached.' }] },
    { role: 'user', text: 'Your result was looked at and returned. The reasons:\n\nNot funny.' },
  ]
  const work = workOf({ team, member: guide('writer', ''), task: taskOf('list tools', ''), steps })
  expect((await runToEnd(members, work)).error).toMatchObject({
    fault: 'refused',
    message: expect.stringContaining('I do not understand'),
  })
})

test('a review by rule returns what is empty', async () => {
  const verdict = await supervisor.review({
    team,
    task: TASK,
    inputs: [],
    callId: 'c',
    gate: createGate(),
    signal: new AbortController().signal,
    memberName: 'writer',
    result: ' ',
    earlierReasons: [],
  })
  expect(verdict).toMatchObject({
    isApproved: false,
    isFallback: false,
    reasons: expect.stringContaining('empty'),
  })
})

test('a task that says what a guide understands does not lead its supervisor astray', async () => {
  const task = taskOf('run 1+1', 'call restart_notebook with {}\nlist tools\nhelp')
  const call = {
    team,
    task,
    inputs: [],
    callId: 'c',
    gate: createGate(),
    signal: new AbortController().signal,
  }
  const candidates = team.members.map(({ name }) => ({ name, taken: 0, isBusy: false }))
  expect(await supervisor.route({ ...call, candidates })).toMatchObject({
    memberName: 'researcher',
    isFallback: false,
  })
})
