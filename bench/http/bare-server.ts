// The floor: `node:http` alone, which parses a JSON body and answers with JSON. No routes, no guards, no token, no validation, no log.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { report } from '../child.ts'

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    const { title } = JSON.parse(body) as { title: string }
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ id: '1', title }))
  })
})
server.listen(0, '127.0.0.1', () => report((server.address() as AddressInfo).port))
