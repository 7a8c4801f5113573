import type { FieldError } from '@quire/kit/errors'
import { ComposerError } from '../composer-error.ts'
import type { Path } from './toml/layout.ts'
import { writeKey } from './toml/write-value.ts'

/** One thing that is wrong with a configuration, or, as a warning, only looks so. Never holds a value of the file. */
export interface ConfigFault {
  /** Such as `servers.proxied.stdio[0].command`; empty where it is about the whole file. */
  readonly path: string
  /** Both count from 1. */
  readonly line: number
  readonly column: number
  /** Goes on where the path ends: `must be a whole number from 1 to 65535`. */
  readonly message: string
}

/** A fault before it is known where in the text it stands. */
export interface PathFault {
  readonly path: Path
  readonly message: string
  /** What within the value is wrong, if it is not all of it. */
  readonly word?: string
}

/** Tells of a fault and goes on. */
export type Tell = (path: Path, message: string) => void

export function pathName(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`
      return index === 0 ? writeKey(part) : `.${writeKey(part)}`
    })
    .join('')
}

/** Its faults still know where they stand. */
export class ConfigFaulty extends ComposerError {
  readonly faults: readonly ConfigFault[]

  constructor(message: string, errors: readonly FieldError[], faults: readonly ConfigFault[]) {
    super('CONFIG_INVALID', message, { errors })
    this.faults = faults
  }
}

/** The whole list as one sentence and, for machines, one by one. */
export function configError(subject: string, faults: readonly ConfigFault[]): ConfigFaulty {
  const lines = faults.map((fault) => `- ${faultLine(fault)}`)
  const errors = faults.map(({ path, line, column, message }) => ({
    path,
    message: `${message} (line ${line}, column ${column})`,
  }))
  return new ConfigFaulty([`${subject} cannot be used:`, ...lines].join('\n'), errors, faults)
}

function faultLine({ path, line, column, message }: ConfigFault): string {
  return `line ${line}, column ${column}: ${path || 'the file'} ${message}`
}
