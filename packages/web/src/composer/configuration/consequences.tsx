import type { ConfigChanges } from '@quire/composer/contract'

export interface ConsequencesProps {
  readonly changes: ConfigChanges
  readonly restartRequired: readonly string[]
  /** Where no server is concerned. */
  readonly otherwise: string
}

const FACTS = [
  ['Added', 'added'],
  ['Removed', 'removed'],
  ['Started again', 'changed'],
] as const

/** What a change does, before it is made and after, as the service tells it. */
export function Consequences({ changes, restartRequired, otherwise }: ConsequencesProps) {
  const told = FACTS.filter(([, kind]) => changes[kind].length > 0)
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm break-words">
      {told.length === 0 && <p>{otherwise}</p>}
      {told.map(([label, kind]) => (
        <p key={kind}>
          {label}: {changes[kind].join(', ')}
        </p>
      ))}
      {restartRequired.length > 0 && (
        <p className="text-warn">
          Takes effect when the composer is started again: {restartRequired.join(', ')}
        </p>
      )}
    </div>
  )
}
