import { isRecord } from '@quire/mcp/json'
import { pathName, type Tell } from '../config-fault.ts'
import { isOn, valueAt } from '../server-entries.ts'
import type { Path } from '../toml/layout.ts'
import type { TomlDocument } from '../toml/parse-toml.ts'

interface Place {
  readonly path: Path
  readonly by: string
  readonly enabled: Path
  readonly isOn: boolean
}

const PLACES: readonly Place[] = [
  { path: ['api', 'path_prefix'], by: '/api/v1', enabled: ['api', 'enabled'], isOn: true },
  {
    path: ['transport', 'streamable_http_path'],
    by: '/mcp',
    enabled: ['transport', 'streamable_http_enabled'],
    isOn: true,
  },
  { path: ['transport', 'sse_path'], by: '/sse', enabled: ['transport', 'sse_enabled'], isOn: false },
  { path: ['ui', 'path'], by: '/ui', enabled: ['ui', 'enabled'], isOn: true },
  {
    path: ['monitoring', 'metrics', 'endpoint'],
    by: '/metrics',
    enabled: ['monitoring', 'metrics', 'enabled'],
    isOn: true,
  },
]
/** What has its place whatever the file says. */
const TAKEN = ['/docs', '/redoc', '/openapi.json', '/ws', '/translators', '/.well-known']

export function checkPaths(document: TomlDocument, tell: Tell): void {
  const used: { place: string; name: string }[] = TAKEN.map((place) => ({
    place,
    name: `the fixed path ${place}`,
  }))
  for (const { path, by, enabled, isOn: byDefault } of PLACES) {
    const place = valueAt(document, path) ?? by
    if (typeof place !== 'string' || !isOn(valueAt(document, enabled), byDefault)) continue
    // The API may stand at the root, between the others.
    if (place === '' || place === '/') continue
    const other = used.find((one) => overlaps(one.place, place))
    if (other) tell(path, `overlaps with ${other.name}: give it another place`)
    used.push({ place, name: pathName(path) })
  }
}

function overlaps(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)
}

export function checkPorts({ composer, api }: TomlDocument, tell: Tell): void {
  if (!isRecord(composer) || !isRecord(api)) return
  const ports = [composer.port, api.port].filter((port) => port !== undefined)
  if (ports.length === 2 && Number(ports[0]) !== Number(ports[1]))
    tell(
      ['api', 'port'],
      'is another port than composer.port: everything is served on one, leave one of them out',
    )
}

export function checkLogging({ composer, monitoring }: TomlDocument, tell: Tell): void {
  const logging = valueAt(monitoring, ['logging'])
  if (!isRecord(logging)) return
  if (logging.output === 'both' && logging.log_file === undefined)
    tell(['monitoring', 'logging', 'output'], 'is "both", which needs log_file')
  const levels = [valueAt(composer, ['log_level']), logging.level].map((level) => String(level).toLowerCase())
  if (!levels.includes('undefined') && levels[0] !== levels[1])
    tell(
      ['monitoring', 'logging', 'level'],
      'is another level than composer.log_level: leave one of them out',
    )
}
