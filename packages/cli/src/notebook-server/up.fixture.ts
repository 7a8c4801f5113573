import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { type Environment, LAUNCHER, openSession } from '../notebook.fixture.ts'

export const TOKEN = 'a-token-of-my-own-making-0123456789'
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
const DEADLINE_MS = 60_000

export interface UpFolder {
  readonly path: string
  readonly notebooks: string
  /** `quire up`, under way. */
  spawn(args?: readonly string[], env?: Environment): RunningProcess
  /** Waits until it says where it is. */
  start(args?: readonly string[], env?: Environment): Promise<RunningUp>
  /** Ends what was started. */
  remove(): Promise<void>
}

export interface RunningUp extends RunningProcess {
  readonly url: string
  readonly session: () => ReturnType<typeof openSession>
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, which the tests look into
  send(method: string, path: string, body?: object): Promise<any>
  /** Of an agent, to the end of its turn. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  prompt(message: string, agent?: string): Promise<any>
}

/** A data folder of a machine on which nothing is found. */
export async function createUpFolder(): Promise<UpFolder> {
  const path = await mkdtemp(join(tmpdir(), 'quire-up-'))
  const running: RunningProcess[] = []

  function spawn(args: readonly string[] = [], env: Environment = {}): RunningProcess {
    const own = {
      QUIRE_TOKEN: TOKEN,
      QUIRE_DATA_DIR: join(path, 'data'),
      HOME: path,
      PATH: join(path, 'none'),
    }
    const one = startProcess(process.execPath, [LAUNCHER, 'up', '--port', '0', ...args], {
      env: { ...own, ...env },
    })
    running.push(one)
    return one
  }

  return {
    path,
    notebooks: join(path, 'data', 'notebooks'),
    spawn,
    async start(args, env) {
      const one = spawn(args, env)
      const [, url = ''] = await one.waitFor(
        /Quire is at (\S+)\/ .*\nNotebooks are .*\n/,
        'stdout',
        DEADLINE_MS,
      )
      const send: RunningUp['send'] = async (method, where, body) => {
        const answer = await fetch(url + where, {
          method,
          headers: HEADERS,
          ...(body && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(DEADLINE_MS),
        })
        return answer.json()
      }
      return {
        ...one,
        url,
        session: () => openSession(`${url}/notebook`, TOKEN),
        send,
        prompt: (message, agent = 'guide') =>
          send('POST', `/runtime/api/v1/agents/${agent}/prompt/sync`, { message }),
      }
    },
    async remove() {
      await Promise.all(running.map((one) => one.stop('SIGKILL')))
      await rm(path, { recursive: true, force: true })
    },
  }
}
