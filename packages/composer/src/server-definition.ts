import type { Transport } from '@modelcontextprotocol/client'

/** One server, with nothing left open. Equal definitions (deep) mean that nothing is to be restarted. */
export type ServerDefinition = ConfiguredDefinition | BuiltInDefinition

export type ConfiguredDefinition = StdioDefinition | RemoteDefinition | EmbeddedDefinition

export interface CommonDefinition {
  readonly name: string
  /** Started with the composer. */
  readonly autoStart: boolean
  /** Started by the first call; its tools are listed from memory until then. */
  readonly lazy: boolean
  /** A lazy server that nobody calls for so long is stopped; 0: never. */
  readonly idleStopMs: number
  readonly readyMs: number
  readonly restart: RestartSettings
  readonly health: HealthSettings | undefined
  readonly limits: CallLimits
  /** A tool whose definition changes after it was first seen is blocked until somebody approves it. */
  readonly pin: boolean
  /** Glob patterns over the server's own tool names; absent: all. */
  readonly includeTools: readonly string[] | undefined
  readonly excludeTools: readonly string[]
  /** For the versioning of tool names; absent: the version that the server tells in its handshake. */
  readonly version: string | undefined
}

export interface RestartSettings {
  readonly policy: 'never' | 'on-failure' | 'always'
  /** How many restarts in a row before it stays crashed. Absent: five starts in 120 s; a remote without a program is tried without end. */
  readonly maxRestarts: number | undefined
  /** The first delay, which then doubles; absent: 500 ms. */
  readonly delayMs: number | undefined
}

export interface HealthSettings {
  readonly method: 'ping' | 'tool'
  /** With `tool`. */
  readonly tool: string | undefined
  readonly intervalMs: number
  readonly timeoutMs: number
}

export interface CallLimits {
  readonly timeoutMs: number
  /** Progress starts the timeout anew, up to `maxTotalMs`. */
  readonly resetOnProgress: boolean
  readonly maxTotalMs: number
  readonly inFlight: number
  readonly queued: number
  /** So many failures in a row open the circuit; 0: never. */
  readonly breakerFailures: number
  readonly breakerOpenMs: number
}

export interface StdioDefinition extends CommonDefinition {
  readonly transport: 'stdio'
  /** The program, then its arguments. */
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly workingDir: string | undefined
  /** Of the whole process group, in bytes. */
  readonly maxMemoryBytes: number | undefined
  /** Whether what it writes to stderr goes to the logs, and to a file besides. */
  readonly logStderr: boolean
  readonly logFile: string | undefined
}

export interface RemoteDefinition extends CommonDefinition {
  readonly transport: 'http' | 'sse'
  readonly url: string
  /** Credentials among them: never shown, never logged, never sent to another origin. */
  readonly headers: Readonly<Record<string, string>>
  /** A program that serves the URL, supervised with it. */
  readonly program: RemoteProgram | undefined
}

export interface RemoteProgram {
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly workingDir: string | undefined
}

/** A module of this machine, imported into this process. */
export interface EmbeddedDefinition extends CommonDefinition {
  readonly transport: 'embedded'
  /** An absolute path or a package name. */
  readonly module: string
}

/** A part of the program that the composer is in: it stands in no file. */
export interface BuiltInDefinition extends CommonDefinition {
  readonly transport: 'built-in'
  /** Makes one for each start. */
  readonly createServer: () => Connectable | Promise<Connectable>
}

/** What a factory has to make: a server of the SDK, of whichever copy of it the module uses. */
export interface Connectable {
  connect(transport: Transport): Promise<void>
}
