import type { Configuration } from './types.ts'

export type Models = Configuration['models']

const ANY_MODEL = /:\*$/

/** What has to be set before a model can answer; undefined where nothing is known to be missing. */
export function needsOf(model: string, models: Models): readonly string[] | undefined {
  const provider = model.split(':')[0]
  const known =
    models.find(({ id }) => id === model) ??
    models.find(({ id }) => ANY_MODEL.test(id) && id.split(':')[0] === provider)
  return known && !known.available ? known.requires : undefined
}

/** As it is written before its name is chosen. */
export function toStart(id: string): string {
  return id.replace(ANY_MODEL, ':')
}

/** The variables of providers that are not set up, each once. */
export function keysToSet(models: Models): readonly string[] {
  return [...new Set(models.flatMap(({ available, requires }) => (available ? [] : requires.slice(0, 1))))]
}
