import { isTable, planField, resolveSchema, type Schema } from './schema.ts'

/** What can be told of the arguments before they are sent, by where it is: `a[0].b`. The service knows more, and has the last word. */
export function checkArguments(schema: Schema, value: unknown): ReadonlyMap<string, string> {
  const faults = new Map<string, string>()
  check(schema, value, '', 0)
  return faults

  function check(given: Schema, value: unknown, path: string, depth: number): void {
    const here = resolveSchema(given, schema)
    const plan = planField(here, schema, depth)
    if (plan.kind === 'number') {
      const fault = faultOfNumber(value, here, plan.isWhole)
      if (fault !== undefined) faults.set(path, fault)
    } else if (plan.kind === 'list' && Array.isArray(value))
      for (const [index, item] of value.entries())
        checkRequired(plan.item, item, `${path}[${index}]`, depth + 1)
    else if (plan.kind === 'object')
      for (const field of plan.fields) {
        const inner = isTable(value) && Object.hasOwn(value, field.name) ? value[field.name] : undefined
        const place = path === '' ? field.name : `${path}.${field.name}`
        if (field.isRequired) checkRequired(field.schema, inner, place, depth + 1)
        else if (inner !== undefined) check(field.schema, inner, place, depth + 1)
      }
  }

  function checkRequired(given: Schema, value: unknown, path: string, depth: number): void {
    const isObject = planField(given, schema, depth).kind === 'object'
    // What an object lacks is told at its fields.
    if (value === undefined && !isObject) faults.set(path, 'This is required.')
    else check(given, value, path, depth)
  }
}

function faultOfNumber(value: unknown, { minimum, maximum }: Schema, isWhole: boolean): string | undefined {
  if (typeof value !== 'number') return undefined
  if (isWhole && !Number.isInteger(value)) return 'This has to be a whole number.'
  if (typeof minimum === 'number' && value < minimum) return `The least is ${minimum}.`
  if (typeof maximum === 'number' && value > maximum) return `The most is ${maximum}.`
  return undefined
}
