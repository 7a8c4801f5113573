import type { A2uiMessage } from '@quire/runtime/contract/a2ui'
import { isTable } from '../apps/user-interfaces.ts'
import { writeAt } from './pointer.ts'

export type Component = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly component: string
}

export interface Surface {
  readonly id: string
  readonly components: ReadonlyMap<string, Component>
  readonly data: unknown
}

/** One message a line, or a list of them, or one alone. What is none of ours is left out. */
export function parseMessages(text: string): readonly A2uiMessage[] {
  const whole = parse(text)
  const values = whole === undefined ? text.split('\n').map(parse) : [whole].flat()
  return values.filter(isMessage)
}

export type Surfaces = ReadonlyMap<string, Surface>

export function toSurfaces(messages: readonly A2uiMessage[]): Surfaces {
  return messages.reduce(takeMessage, new Map<string, Surface>() as Surfaces)
}

export function takeMessage(before: Surfaces, message: A2uiMessage): Surfaces {
  const surfaces = new Map(before)
  if ('createSurface' in message) {
    const { surfaceId: id } = message.createSurface
    surfaces.set(id, { id, components: new Map(), data: {} })
  } else if ('updateComponents' in message) {
    change(surfaces, message.updateComponents.surfaceId, ({ components, ...surface }) => {
      const known = message.updateComponents.components.filter(isComponent)
      return {
        ...surface,
        components: new Map([...components, ...known.map((one) => [one.id, one] as const)]),
      }
    })
  } else if ('updateDataModel' in message) {
    const { surfaceId, path = '/', value } = message.updateDataModel
    change(surfaces, surfaceId, (surface) => ({ ...surface, data: writeAt(surface.data, path, value) }))
  } else {
    surfaces.delete(message.deleteSurface.surfaceId)
  }
  return surfaces
}

function change(surfaces: Map<string, Surface>, id: string, to: (surface: Surface) => Surface): void {
  const surface = surfaces.get(id)
  if (surface) surfaces.set(id, to(surface))
}

const KINDS = ['createSurface', 'updateComponents', 'updateDataModel', 'deleteSurface'] as const

export function isMessage(value: unknown): value is A2uiMessage {
  if (!isTable(value)) return false
  const inner = KINDS.map((kind) => value[kind]).find(isTable)
  if (typeof inner?.surfaceId !== 'string') return false
  return value.updateComponents === undefined || Array.isArray(inner.components)
}

function isComponent(value: unknown): value is Component {
  return isTable(value) && typeof value.id === 'string' && typeof value.component === 'string'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
