// The echo over stdio.
import { answerTo } from './echo.ts'
import { onLines } from './lines.ts'

onLines(process.stdin, (line) => {
  const answer = answerTo(line)
  if (answer !== undefined) process.stdout.write(`${answer}\n`)
})
