import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** What really happened in a process, whatever the database says of it. Times are of the one clock of the machine. */
export type LedgerLine =
  /** A member, or the supervisor, was asked to go on with an attempt. */
  | { readonly kind: 'run'; readonly task: string; readonly attempt: number; readonly at: number }
  /** It came to an end, in whatever way. One that was killed has no such line. */
  | { readonly kind: 'ran'; readonly task: string; readonly attempt: number; readonly at: number }
  /** A tool took effect. */
  | { readonly kind: 'effect'; readonly key: string; readonly task: string; readonly at: number }

export interface Ledger {
  write(line: LedgerLine): void
  close(): void
}

/** A file for each process, so that no two write into one line. */
export function openLedger(folder: string): Ledger {
  const file = openSync(join(folder, `${process.pid}.jsonl`), 'a')
  return Object.freeze({
    write(line: LedgerLine) {
      writeSync(file, `${JSON.stringify(line)}\n`)
      if (line.kind === 'effect') fsyncSync(file)
    },
    close: () => closeSync(file),
  })
}

/** By the process that wrote it. */
export function readLedgers(folder: string): ReadonlyMap<number, readonly LedgerLine[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  return new Map(files.map((name) => [Number.parseInt(name, 10), readLines(join(folder, name))]))
}

function readLines(path: string): readonly LedgerLine[] {
  return (
    readFileSync(path, 'utf8')
      .split('\n')
      // A process that was killed may have left half a line, of which it had told nobody.
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  )
}
