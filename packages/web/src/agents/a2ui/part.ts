import type { ClientAction } from '@quire/runtime/contract/a2ui'
import { toText } from '../../ui/to-text.ts'
import { isTable } from '../apps/user-interfaces.ts'
import type { Component } from './surface.ts'
import { pathOf, readText, readValue, type Scope } from './values.ts'

/** What a component is shown with. */
export interface Part {
  readonly component: Component
  readonly surfaceId: string
  readonly scope: Scope
  readonly onWrite: (path: string, value: unknown) => void
  /** Absent: nobody hears of actions. */
  readonly onAction: ((action: ClientAction) => void) | undefined
}

export interface PartProps {
  readonly part: Part
}

export function textIn({ component, scope }: Part, property: string): string {
  return readText(component[property], scope)
}

/** What it is called for those who do not see it. */
export function nameIn({ component, scope }: Part, property = 'label'): string {
  const label = readText(component[property], scope)
  if (label !== '') return label
  return isTable(component.accessibility) ? readText(component.accessibility.label, scope) : ''
}

/** What stands in an input, and how it is changed; without a path it stays as it is. */
export function boundIn({ component, scope, onWrite }: Part): {
  readonly value: unknown
  readonly write: ((value: unknown) => void) | undefined
} {
  const path = pathOf(component.value, scope.base)
  return {
    value: readValue(component.value, scope),
    write: path === undefined ? undefined : (value) => onWrite(path, value),
  }
}

/** The first thing that is wrong with what was put in. A check that cannot be made here is left to the agent. */
export function faultIn({ component, scope }: Part): string | undefined {
  const checks = Array.isArray(component.checks) ? component.checks.filter(isTable) : []
  const failed = checks.find(({ condition }) => readValue(condition, scope) === false)
  if (failed !== undefined) return readText(failed.message, scope)
  const said = Array.isArray(component.validationErrors) ? component.validationErrors[0] : undefined
  return component.isValid === false ? toText(said ?? 'This cannot be taken.') : undefined
}

/** What a table of ours has under a name of a stranger's. */
export function entryOf(table: Readonly<Record<string, string>>, name: unknown): string | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined
}
