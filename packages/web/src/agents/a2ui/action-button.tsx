import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { toText } from '../../ui/to-text.ts'
import { isTable } from '../apps/user-interfaces.ts'
import { faultIn, nameIn, type Part, type PartProps } from './part.ts'
import { readText, readValue } from './values.ts'

export interface ActionButtonProps extends PartProps {
  readonly children: ReactNode
  /** What it does beside its action. */
  readonly onPress?: () => void
}

const WEB = /^https?:\/\//i
const LOOKS = { primary: 'primary', borderless: 'quiet' } as const

/** Tells the agent that it was pressed, or goes to another page. */
export function ActionButton({ part, children, onPress }: ActionButtonProps) {
  const { variant } = part.component
  const act = actOf(part)
  const fault = faultIn(part)
  const name = nameIn(part)
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <Button
        size="small"
        kind={variant === 'primary' || variant === 'borderless' ? LOOKS[variant] : 'plain'}
        className="h-auto min-h-8 max-w-full py-1 text-left whitespace-normal"
        aria-label={name === '' ? undefined : name}
        disabled={fault !== undefined || (act === undefined && onPress === undefined)}
        onClick={() => {
          act?.()
          onPress?.()
        }}
      >
        {children}
      </Button>
      {fault !== undefined && <p className="text-sm text-quiet">{fault}</p>}
    </div>
  )
}

function actOf({ component, surfaceId, scope, onAction }: Part): (() => void) | undefined {
  const { event, functionCall } = isTable(component.action) ? component.action : {}
  if (isTable(functionCall) && functionCall.call === 'openUrl') {
    const url = readText(isTable(functionCall.args) ? functionCall.args.url : undefined, scope)
    return WEB.test(url) ? () => void open(url, '_blank', 'noopener,noreferrer') : undefined
  }
  if (!isTable(event) || onAction === undefined) return undefined
  const context = isTable(event.context) ? Object.entries(event.context) : []
  return () =>
    onAction({
      name: toText(event.name),
      surfaceId,
      sourceComponentId: component.id,
      timestamp: new Date().toISOString(),
      context: Object.fromEntries(context.map(([name, value]) => [name, readValue(value, scope)])),
    })
}
