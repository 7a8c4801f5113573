// A server on stdio with ten thousand tools, told in pages.
import { answerTo } from './echo.ts'
import { onLines } from './lines.ts'
import { TOOL_COUNT, toTool } from './many-tools.ts'

const PAGE = 1000

onLines(process.stdin, (line) => {
  const answer = answerTo(line, {
    list({ params }) {
      const start = Number(params?.cursor ?? 0)
      const tools = Array.from({ length: PAGE }, (_, index) => toTool(start + index))
      const isLast = start + PAGE >= TOOL_COUNT
      return JSON.stringify({ tools, ...(!isLast && { nextCursor: String(start + PAGE) }) })
    },
    call: (payload) => payload,
  })
  if (answer !== undefined) process.stdout.write(`${answer}\n`)
})
