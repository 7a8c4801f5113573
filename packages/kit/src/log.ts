import { createRequire } from 'node:module'
import type { DestinationStream, Logger as PinoLogger } from 'pino'
import { createRedactor, type Redactor } from './redact.ts'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const LINE_BREAKS = /\s*[\r\n\u2028\u2029]\s*/g

type Write = {
  (message: string): void
  /** An Error belongs under `err`: it is written with its stack and its whole chain of causes. */
  (fields: object, message?: string): void
}

export type Logger = Readonly<Record<Exclude<LogLevel, 'silent'>, Write>> & {
  /** At level info, for the one line of every request: the caller vouches that no field can hold a secret, and redaction is left out. */
  vouched(fields: object, message: string): void
  child(bindings: Record<string, unknown>): Logger
  isLevelEnabled(level: LogLevel): boolean
}

export type LoggerOptions = {
  level: LogLevel
  /** For a terminal; JSON lines otherwise. */
  pretty: boolean
  /** Of pretty lines, by default true. Without them each entry is one plain line, as files want it. */
  colors?: boolean
  /** Standard error by default. */
  destination?: DestinationStream
  redactor?: Redactor
}

export function createLogger(options: LoggerOptions): Logger {
  const { level, pretty, colors = true, destination, redactor } = options
  // Loaded when the first logger is made: who only wants to know the levels, or never writes a line, need not wait for it.
  const pino: typeof import('pino').default = createRequire(import.meta.url)('pino')
  const redact = redactor ?? createRedactor()
  // Synchronous: a line that was logged before a crash must not be lost with it.
  const output = destination ?? pino.destination({ dest: 2, sync: true })
  const stream = pretty ? prettyDestination(output, colors) : output
  const common = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const unredacted = pino(common, stream)
  const logger = pino(
    {
      ...common,
      // Errors are plain objects by then: the hook below has seen them first.
      serializers: { err: (error) => error },
      hooks: {
        logMethod([first, ...rest], method) {
          const fields = first instanceof Error ? { err: first } : first
          Reflect.apply(method, this, [redact.value(fields), ...rest.map((part) => redact.value(part))])
        },
      },
    },
    stream,
  )
  const createChild = logger.child
  const vouched = (fields: object, message: string) => unredacted.info(fields, message)
  return Object.assign(logger, {
    vouched,
    child(this: PinoLogger, bindings: Record<string, unknown>): Logger {
      // pino's child inherits from its parent, this method and `vouched` included, which its type does not know.
      return createChild.call(this, redact.record(bindings)) as unknown as Logger
    },
  })
}

function prettyDestination(output: DestinationStream, colors: boolean): DestinationStream {
  // Loaded on demand: it costs as much start-up time as the logger itself.
  const { prettyFactory }: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty')
  if (colors) {
    const prettify = prettyFactory({ colorize: true, translateTime: 'SYS:HH:MM:ss.l' })
    return { write: (line) => output.write(prettify(withoutControlCharacters(line))) }
  }
  // An error is a field like any other: its own layout takes several lines.
  const prettify = prettyFactory({
    colorize: false,
    singleLine: true,
    translateTime: false,
    errorLikeObjectKeys: [],
  })
  return { write: (line) => output.write(toOneLine(prettify(withoutControlCharacters(line)))) }
}

function toOneLine(text: string): string {
  return `${text.trimEnd().replace(LINE_BREAKS, ' ')}\n`
}

/** Text of others must not steer the operator's terminal. Escaped backslashes are matched only to be skipped. */
function withoutControlCharacters(jsonLine: string): string {
  return jsonLine.replace(/\\\\|\\u00[01][0-9a-f]|[\u007f-\u009f]/g, (match) =>
    match === '\\\\' ? match : '\ufffd',
  )
}
