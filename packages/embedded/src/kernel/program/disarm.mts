import { syncBuiltinESMExports } from 'node:module'
import type { Socket } from 'node:net'
import os from 'node:os'

/** Of `process`: a signal reaches every process of the user, and SIGUSR1 makes a Node.js process open its debugger to whoever connects. */
const SIGNALS = ['kill', '_kill', '_debugProcess', '_debugEnd'] as const

/** Of a socket that is a file: Docker's, or that of the user's service manager, would start any program for whoever connects. */
const SOCKET_FILES = ['connect', 'bind', 'listen'] as const

/**
 * Takes away what the permission model of Node 24 leaves open and no flag closes. To be called before any code of a notebook runs, with one of the pipes to the
 * host: the handle of such a pipe is what connects to socket files too.
 */
export function disarm(pipe: Socket): void {
  for (const name of SIGNALS) refuse(process, name)
  refuse(os, 'setPriority')
  const handles: object = Object.getPrototypeOf(Reflect.get(pipe, '_handle'))
  for (const name of SOCKET_FILES) refuse(handles, name)
  syncBuiltinESMExports()
}

function refuse(owner: object, name: string): void {
  Object.defineProperty(owner, name, {
    configurable: false,
    writable: false,
    value: () => {
      throw new Error(`${name} is not available in this kernel`)
    },
  })
}
