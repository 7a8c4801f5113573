// The fixture of the conformance suite over stdio, both eras: `node stdio-program.ts`.
import { randomBytes } from 'node:crypto'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createChangingLists } from './changing-lists.ts'
import { createConformanceServer } from './create-server.ts'
import { createRoundCodec } from './rounds-tools.ts'

const lists = createChangingLists()
const codec = createRoundCodec(randomBytes(32))
serveStdio(() => createConformanceServer({ lists, codec, isLasting: true }))
