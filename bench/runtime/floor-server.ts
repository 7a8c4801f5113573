// The floor: a bare relay. The bytes of the model's stream go on as they come, and nothing is kept.
import { Agent, createServer, request } from 'node:http'
import { report } from '../child.ts'

const agent = new Agent({ keepAlive: true })
const target = `${process.env.OPENAI_COMPATIBLE_BASE_URL}/chat/completions`

const server = createServer((incoming, response) => {
  const { 'content-type': type = '', 'content-length': length = '0' } = incoming.headers
  const headers = { 'content-type': type, 'content-length': length }
  const outgoing = request(target, { method: 'POST', agent, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] ?? '' })
    answer.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  incoming.pipe(outgoing)
})
server.listen(0, '127.0.0.1', 4096, () => {
  const address = server.address()
  report(typeof address === 'object' && address ? address.port : 0)
})
