// The echo over streamable HTTP, without sessions.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { report } from '../child.ts'
import { answerTo } from './echo.ts'

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(405).end()
    return
  }
  let body = ''
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    const answer = answerTo(body)
    if (answer === undefined) response.writeHead(202).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  })
})
server.listen(0, '127.0.0.1', () => report((server.address() as AddressInfo).port))
