import * as Y from 'yjs'
import { Badge, type Tone } from '../ui/badge.tsx'
import { useKernel } from './kernel.ts'
import { useValue } from './live/hooks.ts'
import type { SharedNotebook } from './live/shared-notebook.ts'

export interface KernelBadgeProps {
  readonly path: string
  readonly shared: SharedNotebook
  readonly isRunning: boolean
}

const TONES: Readonly<Record<string, Tone>> = { busy: 'busy', starting: 'busy', dead: 'bad' }
const LONGEST_NAME = 40

/** Which kernel it is, and how it is. */
export function KernelBadge({ path, shared, isRunning }: KernelBadgeProps) {
  const kernel = useKernel(path)
  const named = nameIn(useValue(shared.meta, 'metadata'))
  const state = isRunning ? 'busy' : kernel?.state
  const name = kernel?.name ?? named
  if (name === undefined && state === undefined) return undefined
  return (
    <Badge
      tone={TONES[state ?? ''] ?? 'quiet'}
      title={
        state === undefined
          ? 'No kernel is known to run yet: the first cell that is run starts one.'
          : undefined
      }
    >
      <span className="sr-only">Kernel: </span>
      {(name ?? 'Kernel').slice(0, LONGEST_NAME)}
      {state !== undefined && <span>· {state}</span>}
    </Badge>
  )
}

/** Of the notebook's own metadata, whichever way they are kept. */
function nameIn(metadata: unknown): string | undefined {
  const spec = read(metadata, 'kernelspec')
  const name = read(spec, 'display_name')
  return typeof name === 'string' && name !== '' ? name : undefined
}

function read(from: unknown, key: string): unknown {
  if (from instanceof Y.Map) return from.get(key)
  return typeof from === 'object' && from !== null
    ? Object.entries(from).find(([name]) => name === key)?.[1]
    : undefined
}
