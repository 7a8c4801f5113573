// A server on stdio that writes numbered lines to stderr for a while when its tool is called.
import { answerTo } from './echo.ts'
import { onLines } from './lines.ts'

onLines(process.stdin, (line) => {
  const answer = answerTo(line, {
    list: () => JSON.stringify({ tools: [{ name: 'talk', inputSchema: { type: 'object' } }] }),
    call: talk,
  })
  if (answer !== undefined) process.stdout.write(`${answer}\n`)
})

/** The payload is `LINES PER_SECOND`. */
function talk(payload: string): string {
  const [lines = 0, perSecond = 1] = payload.split(' ').map(Number)
  let count = 0
  const timer = setInterval(() => {
    count += 1
    process.stderr.write(`line ${count}\n`)
    if (count === lines) clearInterval(timer)
  }, 1000 / perSecond)
  return payload
}
