import type { Clause } from './clause.ts'

export type Ledger = {
  readonly clauses: readonly Clause[]
  /** By issue title: clause ids, or `AREA-*` for all clauses of an area. */
  readonly notYetBuilt: Readonly<Record<string, readonly string[]>>
}

export type Citation = { readonly id: string; readonly test: string; readonly passed: boolean }

export type Verdict = {
  readonly summary: string
  /** One plain sentence for each thing to mend; empty when the gate is open. */
  readonly faults: readonly string[]
}

/** Holds the rule of the ledger: a clause is cited by a passing test or listed as not yet built, never both. */
export function judge(ledger: Ledger, citations: readonly Citation[]): Verdict {
  const ids = new Set<string>(ledger.clauses.map((clause) => clause.id))
  const proven = new Set(citations.filter((citation) => citation.passed).map((citation) => citation.id))
  const entries = Object.entries(ledger.notYetBuilt).flatMap(([issue, patterns]) =>
    patterns.map((pattern) => ({ issue, pattern, ids: [...ids].filter((id) => matches(id, pattern)) })),
  )
  const listed = new Set(entries.flatMap((entry) => entry.ids))
  const open = ledger.clauses.filter(({ id }) => !proven.has(id) && !listed.has(id))
  const beyond = open.filter((clause) => clause.needs !== undefined)

  return {
    summary: summarise(ledger, proven, entries, beyond),
    faults: [
      ...citations
        .filter((citation) => !ids.has(citation.id))
        .map((citation) => `"${citation.test}" cites ${citation.id}, which is no clause`),
      ...entries.flatMap((entry) => faultsOfEntry(entry, proven)),
      ...[...listed]
        .filter((id) => entries.filter((entry) => entry.ids.includes(id)).length > 1)
        .map((id) => `${id} is listed as not yet built more than once`),
      ...open.filter((clause) => clause.needs === undefined).map((clause) => faultOfOpen(clause, citations)),
    ],
  }
}

type Entry = { readonly issue: string; readonly pattern: string; readonly ids: readonly string[] }

function matches(id: string, pattern: string): boolean {
  return (
    id === pattern || (pattern.endsWith('-*') && id.slice(0, id.lastIndexOf('-')) === pattern.slice(0, -2))
  )
}

function faultsOfEntry({ issue, pattern, ids }: Entry, proven: ReadonlySet<string>): string[] {
  if (ids.length === 0) return [`${pattern} is listed as not yet built under "${issue}" but is no clause`]
  const done = ids.filter((id) => proven.has(id))
  if (done.length === 0) return []
  const left = ids.filter((id) => !proven.has(id)).map((id) => `'${id}'`)
  const remedy = left.length === 0 ? 'take it off the list' : `list only ${left.join(', ')}`
  return [
    `${pattern} is listed as not yet built under "${issue}" but tests prove ${done.join(', ')}: ${remedy}`,
  ]
}

function faultOfOpen({ id, text }: Clause, citations: readonly Citation[]): string {
  const attempt = citations.find((citation) => citation.id === id)
  return attempt === undefined
    ? `${id} is neither cited by a passing test nor listed as not yet built: ${text}`
    : `${id} is cited only by tests that did not pass, such as "${attempt.test}": ${text}`
}

function summarise(
  { clauses }: Ledger,
  proven: ReadonlySet<string>,
  entries: readonly Entry[],
  beyond: readonly Clause[],
): string {
  const waiting = new Map<string, Set<string>>()
  for (const { issue, ids } of entries) {
    const name = issue.split(':', 1)[0] ?? issue
    const left = ids.filter((id) => !proven.has(id))
    if (left.length > 0) waiting.set(name, new Set([...(waiting.get(name) ?? []), ...left]))
  }
  const count = new Set([...waiting.values()].flatMap((left) => [...left])).size
  const shares = [...waiting].map(([name, left]) => `${name} ${left.size}`)
  const needs = [...new Set(beyond.map((clause) => clause.needs))]
  return [
    `ledger: ${clauses.filter(({ id }) => proven.has(id)).length} of ${clauses.length} clauses proven`,
    `${count} not yet built${shares.length > 0 ? ` (${shares.join(', ')})` : ''}`,
    ...(beyond.length > 0 ? [`${beyond.length} beyond this test bed (${needs.join(', ')})`] : []),
  ].join(', ')
}
