import type { ClientAction } from '@quire/runtime/contract/a2ui'
import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { toText } from '../../ui/to-text.ts'
import { isTable } from '../apps/user-interfaces.ts'
import { ActionButton } from './action-button.tsx'
import { ChoicePicker } from './choice-picker.tsx'
import { Icon } from './icon.tsx'
import { CheckBox, DateTimeInput, Slider, TextField } from './inputs.tsx'
import { type Child, Column, Divider, List, Row } from './layout.tsx'
import { Film, Picture, Sound } from './media.tsx'
import { Modal } from './modal.tsx'
import { entryOf, type Part } from './part.ts'
import { readAt } from './pointer.ts'
import type { Component, Surface } from './surface.ts'
import { Tabs } from './tabs.tsx'
import { createTextBudget } from './text-budget.ts'
import { readText, toAbsolute } from './values.ts'

export interface A2uiSurfaceProps {
  readonly surface: Surface
  readonly onWrite: (path: string, value: unknown) => void
  readonly onAction: ((action: ClientAction) => void) | undefined
}

interface Place {
  readonly base: string
  readonly depth: number
}

const MOST_DEEP = 32
/** Components may be used again and again, also by themselves: a few of them can ask for more than any page has room for. */
const MOST_SHOWN = 2_000
const MOST_CHARACTERS = 200_000
/** Those that show more than their own texts, or cut them. */
const ROOMY: readonly string[] = ['Text', 'Row', 'Column', 'List', 'Card', 'Tabs', 'Modal']
const TEXTS: Readonly<Record<string, string>> = {
  h1: 'text-xl font-semibold',
  h2: 'text-lg font-semibold',
  h3: 'font-semibold',
  h4: 'font-semibold',
  h5: 'font-medium',
  caption: 'text-sm text-quiet',
}

/** All components of the basic catalog. One that is not there yet is left out, as it may still come. */
export function A2uiSurface({ surface, onWrite, onAction }: A2uiSurfaceProps): ReactNode {
  let left = MOST_SHOWN
  const budget = createTextBudget(MOST_CHARACTERS)
  const shown = show('root', { base: '', depth: 0 })
  return left < 0 ? (
    <>
      {shown}
      <p className="mt-3 text-sm text-quiet">There is more on this surface than can be shown.</p>
    </>
  ) : (
    shown
  )

  function show(id: unknown, place: Place): ReactNode {
    const component = surface.components.get(toText(id))
    if (!component || place.depth > MOST_DEEP) return undefined
    left -= 1
    return left < 0 ? undefined : toElement(component, place)
  }

  function toElement(component: Component, { base, depth }: Place): ReactNode {
    const part: Part = {
      component,
      surfaceId: surface.id,
      scope: { data: surface.data, base },
      onWrite,
      onAction,
    }
    const inside = { base, depth: depth + 1 }
    // Where a picture is, and what a button sends, is not shown.
    const { url: _url, action: _action, ...said } = component
    if (!ROOMY.includes(component.component) && !budget.take(Object.values(said), part.scope)) return '…'
    switch (component.component) {
      case 'Text':
        return (
          <Markdown
            text={budget.cut(() => readText(component.text, part.scope))}
            className={entryOf(TEXTS, component.variant) ?? ''}
          />
        )
      case 'Image':
        return <Picture part={part} />
      case 'Icon':
        return <Icon part={part} />
      case 'Video':
        return <Film part={part} />
      case 'AudioPlayer':
        return <Sound part={part} />
      case 'Row':
        return <Row component={component} items={childrenOf(component, inside)} />
      case 'Column':
        return <Column component={component} items={childrenOf(component, inside)} />
      case 'List':
        return <List component={component} items={childrenOf(component, inside)} />
      case 'Card':
        return <Card className="min-w-0 bg-raised">{show(component.child, inside)}</Card>
      case 'Divider':
        return <Divider component={component} />
      case 'Tabs':
        return <Tabs tabs={tabsOf(component, part, inside)} />
      case 'Modal':
        return toModal(component, part, inside)
      case 'Button':
        return <ActionButton part={part}>{show(component.child, inside)}</ActionButton>
      case 'TextField':
        return <TextField part={part} />
      case 'CheckBox':
        return <CheckBox part={part} />
      case 'ChoicePicker':
        return <ChoicePicker part={part} />
      case 'Slider':
        return <Slider part={part} />
      case 'DateTimeInput':
        return <DateTimeInput part={part} />
      default:
        return <p className="text-sm wrap-anywhere text-quiet">{component.component} cannot be shown here.</p>
    }
  }

  function childrenOf({ children }: Component, place: Place): readonly Child[] {
    const one = (id: unknown, base: string, key: string): Child => {
      const weight = surface.components.get(toText(id))?.weight
      return {
        key,
        node: show(id, { ...place, base }),
        weight: typeof weight === 'number' && weight > 0 ? weight : undefined,
      }
    }
    if (Array.isArray(children))
      return children.slice(0, MOST_SHOWN).map((id, index) => one(id, place.base, `${index}`))
    if (!isTable(children)) return []
    const path = toAbsolute(toText(children.path), place.base)
    const list = readAt(surface.data, path)
    const length = Array.isArray(list) ? Math.min(list.length, MOST_SHOWN) : 0
    return Array.from({ length }, (_, index) => one(children.componentId, `${path}/${index}`, `${index}`))
  }

  function tabsOf({ tabs }: Component, { scope }: Part, place: Place) {
    const known = Array.isArray(tabs) ? tabs.filter(isTable).slice(0, MOST_SHOWN) : []
    return known.map(({ title, child }) => ({
      title: budget.cut(() => readText(title, scope)),
      content: show(child, place),
    }))
  }

  function toModal({ trigger, content }: Component, part: Part, place: Place): ReactNode {
    const pressed = surface.components.get(toText(trigger))
    const isButton = pressed?.component === 'Button'
    const label = show(isButton ? pressed.child : trigger, place)
    const button = { ...part, component: isButton ? pressed : { id: part.component.id, component: 'Button' } }
    return (
      <Modal
        title={nameOf(trigger, part) || 'More'}
        trigger={(open) => (
          <ActionButton part={button} onPress={open}>
            {label}
          </ActionButton>
        )}
      >
        {show(content, place)}
      </Modal>
    )
  }

  /** The text that somebody presses. */
  function nameOf(id: unknown, { scope }: Part): string {
    const component = surface.components.get(toText(id))
    const text =
      component?.component === 'Button' ? surface.components.get(toText(component.child)) : component
    return text?.component === 'Text' ? budget.cut(() => readText(text.text, scope)) : ''
  }
}
