// The floor: the least that can stand between an HTTP client and a stdio server. `node floor-stdio-server.ts PORT PROGRAM ARGUMENT...`
import { spawn } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import { onLines } from './lines.ts'

const [, , port, program = '', ...args] = process.argv
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map<number, { readonly id: unknown; readonly response: ServerResponse }>()
let count = 0

onLines(child.stdout, (line) => {
  const message = JSON.parse(line)
  const asked = waiting.get(message.id)
  waiting.delete(message.id)
  const answer = JSON.stringify({ ...message, id: asked?.id })
  asked?.response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
})

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    const message = JSON.parse(body)
    count += 1
    if (message.id === undefined) response.writeHead(202).end()
    else waiting.set(count, { id: message.id, response })
    child.stdin.write(`${JSON.stringify(message.id === undefined ? message : { ...message, id: count })}\n`)
  })
})
server.listen(Number(port), '127.0.0.1')
