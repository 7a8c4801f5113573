import { createLogger, LOG_LEVELS, type Logger, type LoggerOptions, type LogLevel } from './log.ts'

/** A logger that is made when its first line is written: a program whose start is waited for need not load one to say nothing. */
export function createLazyLogger(options: LoggerOptions): Logger {
  return createLazily(options.level, () => createLogger(options))
}

function createLazily(level: LogLevel, create: () => Logger): Logger {
  let created: Logger | undefined
  const isLevelEnabled = (candidate: LogLevel) => LOG_LEVELS.indexOf(candidate) >= LOG_LEVELS.indexOf(level)

  function writeAt(candidate: Exclude<LogLevel, 'silent'>, method: keyof Logger = candidate) {
    return (...line: unknown[]): void => {
      if (!isLevelEnabled(candidate)) return
      created ??= create()
      Reflect.apply(created[method], created, line)
    }
  }

  return Object.freeze({
    trace: writeAt('trace'),
    debug: writeAt('debug'),
    info: writeAt('info'),
    warn: writeAt('warn'),
    error: writeAt('error'),
    fatal: writeAt('fatal'),
    vouched: writeAt('info', 'vouched'),
    child: (bindings: Record<string, unknown>) =>
      createLazily(level, () => {
        created ??= create()
        return created.child(bindings)
      }),
    isLevelEnabled,
  })
}
