import { setTimeout as delay } from 'node:timers/promises'
import { calls, ends, says, startProcess, toolNamed } from './turns.fixture.ts'

/** A process that prompts until it is killed. Arguments: address, conversation, lease. Writes a line for each acknowledged prompt and each complete answer. */
const [url = '', conversationId = '', leaseMs = '500'] = process.argv.slice(2)
const { prompt } = await startProcess(url, {
  leaseMs: Number(leaseMs),
  async *script({ messages }) {
    for (let word = 0; word < 20; word++) {
      yield says(`${word} `)
      await delay(Math.random() * 40)
    }
    if (messages.at(-1)?.role === 'user') yield calls(`call-${messages.length}`, 'wait')
    yield says('end')
    yield ends()
  },
  toolList: [
    toolNamed('wait', async () => {
      await delay(Math.random() * 200)
      return { content: [] }
    }),
  ],
})

for (let count = 0; ; count++) {
  const text = `${process.pid} ${count}`
  const turn = await prompt(text, conversationId)
  process.stdout.write(`asked ${text}\n`)
  await turn.result()
  process.stdout.write(`answered ${text}\n`)
}
