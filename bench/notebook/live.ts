import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess } from '@quire/testbed/process'
import { encodeStateAsUpdate, type Map as SharedMap, type Text as SharedText } from 'yjs'
import { median } from '../child.ts'
import { inTurns } from './in-turns.ts'
import { largeNotebook } from './large-notebook.ts'
import { enterRoom, openRawRoom, type RawRoom } from './raw-room.ts'
import { startToolProcess, type ToolProcess } from './tool-process.ts'

const TOKEN = 'a-token-of-the-benchmark'

interface Bench {
  readonly server: { readonly url: string; readonly token: string }
  /** A room of the same notebook with nothing around it. */
  readonly bare: string
  readonly tools: ToolProcess
}

/** What live documents cost on the embedded server, each beside a bare room of the same notebook. */
export async function benchLive(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-bench-live-'))
  const state = join(folder, 'state.bin')
  const ends: (() => unknown)[] = [() => rm(folder, { recursive: true })]
  try {
    await writeFile(join(folder, 'large.ipynb'), JSON.stringify(largeNotebook()))
    await writeFile(join(folder, 'small.ipynb'), JSON.stringify(largeNotebook(20)))
    const url = `http://127.0.0.1:${await start('embedded-server.ts', [folder, TOKEN], ends)}`
    const server = { url, token: TOKEN }
    const first = await enterRoom(server, 'large.ipynb')
    await writeFile(state, encodeStateAsUpdate(first.doc))
    first.close()
    const bare = `ws://127.0.0.1:${await start('bare-room-server.ts', [state], ends)}`
    const tools = await startToolProcess(server)
    ends.push(() => tools.close())
    const bench = { server, bare, tools }
    return [
      await editToOther(bench),
      await toolEdit(bench, 'small'),
      await toolEdit(bench, 'large'),
      await opening(bench),
    ]
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

async function start(program: string, args: readonly string[], ends: (() => unknown)[]): Promise<string> {
  const running = startProcess(process.execPath, [join(import.meta.dirname, program), ...args])
  ends.push(() => running.stop())
  const [, port = ''] = await running.waitFor(/port (\d+)\n/)
  return port
}

const open = ({ server }: Bench, name = 'large') => enterRoom(server, `${name}.ipynb`)

function sourceOf({ doc }: RawRoom, index: number): SharedText {
  return (doc.getArray('cells').get(index) as SharedMap<SharedText>).get('source') as SharedText
}

async function editToOther(bench: Bench): Promise<string> {
  const ours = [await open(bench), await open(bench)] as const
  const bare = [await openRawRoom(bench.bare), await openRawRoom(bench.bare)] as const
  const pass = async ([from, to]: readonly [RawRoom, RawRoom]) => {
    const seen = new Promise((resolve) => to.doc.once('update', resolve))
    sourceOf(from, 0).insert(0, 'x')
    await seen
  }
  const times = await inTurns(201, { raw: () => pass(bare), quire: () => pass(ours) })
  for (const room of [...ours, ...bare]) room.close()
  return `an edit reaches a second client        ${(times.quire / 10).toFixed(2)} of 10 ms (aim: at most 1.00); ${times.quire.toFixed(1)} against ${times.raw.toFixed(1)} ms in a bare room`
}

/** Both edits are confirmed by the room. */
async function toolEdit(bench: Bench, name: 'small' | 'large'): Promise<string> {
  const raw = await open(bench, name)
  let serial = 0
  await bench.tools.call('use_notebook', { notebook_name: name, notebook_path: `${name}.ipynb` })
  const times = await inTurns(101, {
    async raw() {
      sourceOf(raw, 1).insert(0, 'x')
      await raw.confirm()
    },
    async quire() {
      serial += 1
      await bench.tools.call('overwrite_cell_source', { cell_index: 2, cell_source: `y = ${serial}` })
    },
  })
  raw.close()
  await bench.tools.call('unuse_notebook', { notebook_name: name })
  return `a tool edits a ${name} live notebook       ${(times.quire - times.raw).toFixed(1)} ms more than the raw edit (aim: at most 3.0); ${times.quire.toFixed(1)} against ${times.raw.toFixed(1)} ms`
}

async function opening(bench: Bench): Promise<string> {
  const bare: number[] = []
  const times = await inTurns(21, {
    async raw() {
      const startedAt = performance.now()
      const alone = await openRawRoom(bench.bare)
      bare.push(performance.now() - startedAt)
      alone.close()
    },
    async quire() {
      const room = await open(bench)
      room.close()
    },
  })
  const tools = await inTurns(21, {
    async raw() {
      const room = await open(bench)
      room.close()
    },
    async quire() {
      await bench.tools.call('use_notebook', { notebook_name: 'n', notebook_path: 'large.ipynb' })
    },
    async after() {
      await bench.tools.call('unuse_notebook', { notebook_name: 'n' })
    },
  })
  return `opening a live notebook of 1,000 cells ${(tools.quire / tools.raw).toFixed(2)} of the raw sync (aim: at most 2.00); ${tools.quire.toFixed(1)} against ${tools.raw.toFixed(1)} ms, and ${median(bare).toFixed(1)} ms in a bare room (${times.quire.toFixed(1)} beside it)`
}
