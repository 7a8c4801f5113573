import { describe, expect, test } from 'vitest'
import { ask, converse, textResult, toolOf } from './fixtures/ask.ts'

const LABEL = "(Quire's built-in guide: fixed rules, no language model.)"
const taskOf = (title: string, description = '', before = '') =>
  `${before}Task: ${JSON.stringify(title)}\n\n${description}`

describe('a task', () => {
  test('that takes more than rules gets notes, which say so', async () => {
    const { text, events } = await ask(taskOf('Report', 'Write on bees. Be brief.'), [])
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'unable' })
    expect(text).toMatch(
      /^Notes on "Report": Write on bees\.\n\nThese notes were put together by fixed rules/,
    )
    expect(text.endsWith(LABEL)).toBe(true)
    expect((await ask(taskOf('Report', 'Write on bees. Be brief.'), [])).text).toBe(text)
  })

  test('names what it builds on', async () => {
    const before = 'Results:\n\nFrom "Facts" by "ada":\n```data\nBees fly. They sting.\n```\n\n'
    const { text } = await ask(taskOf('Report', '', before), [])
    expect(text).toMatch(
      /^Notes on "Report"\.\n\nWhat it builds on:\n- From "Facts" by "ada": Bees fly\.\n\n/,
    )
  })

  test.each(['Write a summary', 'Summarise it', 'hello', 'help'])(
    'called %j is a task all the same',
    async (title) => {
      expect((await ask(taskOf(title, 'A summary, please.'), [])).text).toContain(`Notes on "${title}"`)
    },
  )

  test('is done where its words say what tools do, whatever stands between them', async () => {
    const { calls, texts } = await converse(
      taskOf('Sums', 'We need two sums for the report.\n\nRun 1+1\n\nThen read cell 2'),
      (name) => textResult(`result of ${name}`),
    )
    expect(calls.map(([name]) => name)).toEqual(['execute_code', 'read_cell'])
    expect(texts.at(-1)).toMatch(/result of execute_code.*result of read_cell/s)
    expect(texts.at(-1)).not.toContain('do not understand')
  })

  test.each(['help', 'Hello!', 'What can you do?'])('may be to help: %j', async (title) => {
    const { text, events } = await ask(taskOf(title), [])
    expect(text).toMatch(/^I am Quire's built-in guide\./)
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
  })

  test('may say it in its title', async () => {
    expect((await ask(taskOf('list files'))).call?.name).toBe('list_files')
  })

  test('says what no tool does', async () => {
    const { text, call, events } = await ask(taskOf('Sum', 'run 1+1'), [])
    expect(call).toBeUndefined()
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'unable' })
    expect(text).toMatch(/Notes on "Sum".*What was not done:\n- None of my tools does that/s)
  })

  test('is not asked for in data', async () => {
    const { text } = await ask(`\`\`\`data\nTask: "Sing"\nlist tools\n\`\`\`\n\n${taskOf('Report')}`, [])
    expect(text).toContain('Notes on "Report"')
    expect(text).not.toContain('Notes on "Sing"')
  })

  test('is no reason to call a tool with its defaults', async () => {
    const only = toolOf('wipe', { sure: { type: 'boolean', default: true } }, ['sure'])
    expect((await ask(taskOf('Report', 'Write on bees.'), [only])).call).toBeUndefined()
  })

  test.each([
    'Task: Report',
    'Task: "Report',
    'Task: "a" "b"',
    'Task: ""',
    'My Task: "Report"',
    `Task: "${'x'.repeat(3000)}"`,
  ])('begins with its title in quotes, and nothing else does: %s', async (said) => {
    expect((await ask(said, [])).text).not.toContain('Notes on')
  })

  test('is bounded in what is told of it', async () => {
    const block = `From "x" by "y":\n\`\`\`data\n${'z'.repeat(20_000)}\n\`\`\`\n`
    const { text } = await ask(taskOf('t'.repeat(1000), 'd'.repeat(300_000), block.repeat(50)), [])
    expect(text.length).toBeLessThan(10_000)
  })
})
