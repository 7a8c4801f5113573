/** Which services this page is served with, and below which path each is. */
export type ServiceName = 'composer' | 'runtime' | 'teams' | 'notebook'

export interface Served {
  /** Where the page's own addresses begin, e.g. `/ui`. */
  readonly base: string
  readonly version: string
  readonly services: Readonly<Partial<Record<ServiceName, string>>>
}

/** Written into the page by whoever serves it. */
function readServed(): Served {
  const text = document.getElementById('quire-served')?.textContent
  if (!text)
    return { base: '/', version: 'dev', services: { composer: '', runtime: '', teams: '', notebook: '' } }
  // Written by our own server, in the same file.
  return JSON.parse(text) as Served
}

export const SERVED = readServed()

export function isServed(service: ServiceName): boolean {
  return SERVED.services[service] !== undefined
}

/** Then its first page is the page's first page. */
export function isOnlyServed(service: ServiceName): boolean {
  return isServed(service) && Object.keys(SERVED.services).length === 1
}

/** The path of an endpoint, e.g. `pathOf('composer', '/api/v1/servers')`. */
export function pathOf(service: ServiceName, path: string): string {
  const prefix = SERVED.services[service]
  if (prefix === undefined) throw new Error(`The ${service} service is not part of this server.`)
  return prefix + path
}
