import type { ClientAction } from '@quire/runtime/contract/a2ui'
import { useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { FaultBoundary } from '../../ui/fault-boundary.tsx'
import { A2uiSurface } from './a2ui-surface.tsx'
import { writeAt } from './pointer.ts'
import type { Surface, Surfaces } from './surface.ts'

export interface A2uiSurfacesProps {
  readonly surfaces: Surfaces
  /** Somebody used a component. Absent: its buttons do nothing. */
  readonly onAction?: ((action: ClientAction) => void) | undefined
}

/** Surfaces of A2UI, built of our own elements: what they say is data, and nothing of it is run. */
export function A2uiSurfaces({ surfaces, onAction }: A2uiSurfacesProps) {
  return [...surfaces.values()].map((surface) => (
    <FaultBoundary key={surface.id} message="This surface cannot be shown.">
      <OneSurface surface={surface} onAction={onAction} />
    </FaultBoundary>
  ))
}

interface OneSurfaceProps extends Pick<A2uiSurfacesProps, 'onAction'> {
  readonly surface: Surface
}

function OneSurface({ surface, onAction }: OneSurfaceProps) {
  const [written, setWritten] = useState<readonly (readonly [string, unknown])[]>([])
  const data = written.reduce((before, [path, value]) => writeAt(before, path, value), surface.data)
  return (
    <Card aria-label="Surface" className="min-w-0">
      <A2uiSurface
        surface={{ ...surface, data }}
        onWrite={(path, value) =>
          setWritten((before) => [...before.filter(([one]) => one !== path), [path, value]])
        }
        onAction={onAction}
      />
    </Card>
  )
}
