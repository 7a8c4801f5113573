export interface ConfigFault {
  /** The setting by the name a person would use: its flag, else its variable. */
  readonly setting: string
  /** Where the value came from. */
  readonly origin: string
  readonly message: string
}

/** A configuration that the service will not start with. Its text is for the person who wrote it. */
export class ConfigError extends Error {
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(({ setting, origin, message }) => `${setting} (${origin}): ${message}`).join('\n'))
    this.name = 'ConfigError'
    this.faults = Object.freeze([...faults])
  }
}
