import { randomUUID } from 'node:crypto'
import { CallerError } from '@quire/kit/errors'
import { nameOf } from '../folder/api-path.ts'
import type { KernelModel, RunningKernels } from './running-kernels.ts'

/** What the API says of a session: something that was opened, and the kernel that serves it. */
export interface SessionModel {
  readonly id: string
  readonly path: string
  readonly name: string
  readonly type: string
  readonly kernel: KernelModel
  readonly notebook?: { readonly path: string; readonly name: string }
}

export interface SessionRequest {
  readonly path: string
  readonly name: string
  readonly type: string
  readonly kernel: { readonly id?: string | undefined; readonly name?: string | undefined }
}

export interface Sessions {
  list(): readonly SessionModel[]
  /** What has a session keeps it. */
  create(request: SessionRequest): SessionModel
  get(id: string): SessionModel
  change(id: string, request: Partial<SessionRequest>): Promise<SessionModel>
  remove(id: string): Promise<void>
  /** Of files that were renamed, or that are in a folder that was. */
  move(from: string, to: string): void
}

interface Session {
  readonly id: string
  path: string
  name: string
  type: string
  kernelId: string
}

const MOST = 1_000

export function createSessions(kernels: RunningKernels): Sessions {
  const sessions = new Map<string, Session>()

  /** A session ends with its kernel. */
  function live(): Session[] {
    for (const [id, { kernelId }] of sessions) if (!kernels.has(kernelId)) sessions.delete(id)
    return [...sessions.values()]
  }

  function find(id: string): Session {
    const found = live().find((session) => session.id === id)
    if (!found) throw new CallerError('not_found', `Session not found: session_id='${id}'`)
    return found
  }

  function kernelFor({ id, name }: SessionRequest['kernel'], path: string): string {
    return id === undefined ? kernels.start(name, path).id : kernels.get(id).id
  }

  function toModel({ kernelId, ...session }: Session): SessionModel {
    const { path, name, type } = session
    return {
      ...session,
      kernel: kernels.get(kernelId),
      ...(type === 'notebook' && { notebook: { path, name } }),
    }
  }

  return Object.freeze({
    list: () => live().map(toModel),
    create({ path, name, type, kernel }: SessionRequest) {
      const all = live()
      const open = all.find((session) => session.path === path && session.type === type)
      if (open) return toModel(open)
      if (all.length >= MOST) throw new CallerError('unavailable', 'Too many sessions are open: close some.')
      const session = { id: randomUUID(), path, name, type, kernelId: kernelFor(kernel, path) }
      sessions.set(session.id, session)
      return toModel(session)
    },
    get: (id: string) => toModel(find(id)),
    async change(id: string, { path, name, type, kernel }: Partial<SessionRequest>) {
      const session = find(id)
      const before = session.kernelId
      if (kernel && kernel.id !== before && (kernel.id !== undefined || kernel.name !== undefined))
        session.kernelId = kernelFor(kernel, path ?? session.path)
      session.path = path ?? session.path
      session.name = name ?? session.name
      session.type = type ?? session.type
      const model = toModel(session)
      const isUsed = live().some(({ kernelId }) => kernelId === before)
      if (!isUsed && kernels.has(before)) await kernels.remove(before)
      return model
    },
    async remove(id: string) {
      const { kernelId } = find(id)
      sessions.delete(id)
      await kernels.remove(kernelId)
    },
    move(from: string, to: string) {
      for (const session of sessions.values()) {
        if (session.path !== from && !session.path.startsWith(`${from}/`)) continue
        session.path = to + session.path.slice(from.length)
        session.name = nameOf(session.path)
      }
    },
  })
}
