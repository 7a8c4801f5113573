import type { Gateway } from './gateway.ts'

const LISTS: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
])

/** The same gateway, whose lists wait until the servers are there: clients list when they come, and many never again. Everything else is answered at once. */
export function createPatientGateway(gateway: Gateway, isReady: Promise<unknown>): Gateway {
  return Object.freeze({
    ...gateway,
    async handle(request) {
      if (LISTS.has(request.method)) await isReady
      return gateway.handle(request)
    },
  } satisfies Gateway)
}
