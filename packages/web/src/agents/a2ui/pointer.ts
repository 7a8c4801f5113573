const MOST_STEPS = 32

function stepsOf(path: string): string[] {
  return path
    .split('/')
    .filter((step) => step !== '')
    .slice(0, MOST_STEPS)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** What stands at a JSON pointer. A path without a slash before it begins at `base`. */
export function readAt(data: unknown, path: string, base = ''): unknown {
  const steps = stepsOf(path.startsWith('/') ? path : `${base}/${path}`)
  return steps.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string, unknown>)[step]
        : undefined,
    data,
  )
}

/** A copy with another value there. */
export function writeAt(data: unknown, path: string, value: unknown): unknown {
  const [step, ...rest] = stepsOf(path)
  if (step === undefined) return value
  const inner = writeAt(readAt(data, `/${escapeStep(step)}`), `/${rest.map(escapeStep).join('/')}`, value)
  if (Array.isArray(data) && /^\d{1,6}$/.test(step)) {
    const copy: unknown[] = [...data]
    copy[Math.min(Number(step), copy.length)] = inner
    return copy
  }
  const entries = typeof data === 'object' && data !== null ? Object.entries(data) : []
  return Object.fromEntries([...entries, [step, inner]])
}

function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
