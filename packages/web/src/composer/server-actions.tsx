import type { Server } from '@quire/composer/contract'
import { Play, RotateCw, Square } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import type { ServerOperation, useServerOperation } from './composer-queries.ts'

const LOOKS = {
  start: { label: 'Start', icon: Play },
  restart: { label: 'Restart', icon: RotateCw },
  stop: { label: 'Stop', icon: Square },
} as const

export interface ServerActionsProps {
  readonly server: Server
  readonly operation: ReturnType<typeof useServerOperation>
}

/** What can be done to a server as it is now. Whoever shows them shows the failure of `operation` too. */
export function ServerActions({ server, operation }: ServerActionsProps) {
  return possible(server).map((name) => {
    const { label, icon: Icon } = LOOKS[name]
    return (
      <Button
        key={name}
        size="small"
        isBusy={operation.isPending && operation.variables === name}
        disabled={operation.isPending}
        aria-label={`${label} ${server.name}`}
        onClick={() => operation.mutate(name)}
      >
        <Icon aria-hidden /> {label}
      </Button>
    )
  })
}

function possible({ state, retry_in_seconds }: Server): readonly ServerOperation[] {
  if (state === 'stopped') return ['start']
  if (state === 'crashed') return retry_in_seconds === null ? ['start'] : ['start', 'stop']
  return state === 'stopping' ? [] : ['restart', 'stop']
}
