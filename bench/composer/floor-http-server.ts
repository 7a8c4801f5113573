// The floor in front of an HTTP server: the body goes on as it comes, over connections that are kept. `node floor-http-server.ts PORT URL`
import { Agent, createServer, request } from 'node:http'

const [, , port, target = ''] = process.argv
const agent = new Agent({ keepAlive: true })

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
server.listen(Number(port), '127.0.0.1')
