import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import type { FieldError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { toCheckableSchema, type Watch } from './checkable-schema.ts'
import type { ToolEntry } from './composed-catalog.ts'
import { toFieldErrors } from './schema-faults.ts'

/** What is wrong with the arguments of a call, by the schema of the tool; nothing where the schema cannot be checked. */
export type ArgumentCheck = (entry: ToolEntry, args: unknown) => readonly FieldError[]

export interface ArgumentCheckOptions {
  readonly logger: Logger
  /** How many schemas are kept. */
  readonly maxSchemas?: number | undefined
}

type Check = (args: unknown) => readonly FieldError[]

const MAX_SCHEMAS = 1_000
const LONGEST_CHECK_MS = 250
/** A check of common size never looks at the clock, and so does not depend on how busy the machine is. */
const TICKS_PER_LOOK = 100
const SHORT_ARGUMENTS = 2_048

/**
 * The check spares a caller the way to the server and is no guard: the server checks its arguments itself. So what cannot be checked passes.
 * The validator interprets a schema, where others turn it into code: it is a stranger's. It fetches nothing.
 */
export function createArgumentCheck({
  logger,
  maxSchemas = MAX_SCHEMAS,
}: ArgumentCheckOptions): ArgumentCheck {
  const checks = new Map<string, Check>()
  return function checkArguments(entry, args) {
    const check = checks.get(entry.hash) ?? createCheck(entry, logger)
    checks.delete(entry.hash)
    checks.set(entry.hash, check)
    const [oldest] = checks.keys()
    if (checks.size > maxSchemas && oldest !== undefined) checks.delete(oldest)
    return check(args)
  }
}

function createCheck(entry: ToolEntry, logger: Logger): Check {
  let endsAt = 0
  let ticks = 0
  let isShort = false
  let isTold = false
  const watch: Watch = {
    tick() {
      ticks += 1
      if (ticks % TICKS_PER_LOOK === 0 && performance.now() > endsAt)
        throw new Error(`it takes longer than ${LONGEST_CHECK_MS} ms`)
    },
    get isShort() {
      return isShort
    },
  }
  let validators: ReturnType<typeof createValidators>
  try {
    validators = createValidators(toCheckableSchema(entry.item.inputSchema, watch))
  } catch (error) {
    tell(error)
    return () => []
  }

  return function check(args = {}) {
    isShort = JSON.stringify(args).length <= SHORT_ARGUMENTS
    const first = run(validators.first, args)
    if (first === undefined) return []
    return toFieldErrors(run(validators.every, args) ?? first)
  }

  /** What the validator says of arguments that do not fit; undefined when they do, or when it cannot say. */
  function run(validate: (args: unknown) => string | undefined, args: unknown): string | undefined {
    endsAt = performance.now() + LONGEST_CHECK_MS
    ticks = 0
    try {
      return validate(args)
    } catch (error) {
      tell(error)
      return undefined
    }
  }

  function tell(err: unknown): void {
    if (!isTold)
      logger.warn({ err, tool: entry.id }, 'the arguments of a tool cannot be checked against its schema')
    isTold = true
  }
}

/** To the first fault, which is cheap whatever the arguments are, and to every one. */
function createValidators(schema: Record<string, unknown>) {
  const validatorFor = (shortcircuit: boolean) => {
    const validate = new CfWorkerJsonSchemaValidator({ shortcircuit }).getValidator(schema)
    return (args: unknown) => validate(args).errorMessage
  }
  return { first: validatorFor(true), every: validatorFor(false) }
}
