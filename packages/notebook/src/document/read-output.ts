import { isRecord } from './json.ts'
import type { Json, MimeBundle, Output } from './nbformat.ts'

/** What an output must have is filled in where it is missing; keys that we do not know stay. */
export function toOutput(output: Json): Output {
  const { output_type, metadata } = output
  switch (output_type) {
    case 'stream': {
      const name = output.name === 'stderr' ? 'stderr' : 'stdout'
      return { ...output, output_type, name, text: toText(output.text) }
    }
    case 'display_data':
      return { ...output, output_type, data: toMimeBundle(output.data), metadata: toRecord(metadata) }
    case 'execute_result': {
      const count = toCount(output.execution_count)
      const data = toMimeBundle(output.data)
      return { ...output, output_type, data, metadata: toRecord(metadata), execution_count: count }
    }
    case 'error': {
      const { ename, evalue, traceback } = output
      const lines = Array.isArray(traceback) ? traceback.map(toText) : []
      return { ...output, output_type, ename: toText(ename), evalue: toText(evalue), traceback: lines }
    }
    default:
      // Of a kind that the type does not have, from a newer format or a careless writer: carried along untouched.
      return output as unknown as Output
  }
}

export function toCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null
}

/** A text in lines becomes one; what is neither stays. */
export function joinLines(value: unknown): unknown {
  return Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('') : value
}

export function joinMimeBundle(bundle: Json): MimeBundle {
  return Object.fromEntries(
    Object.entries(bundle).map(([type, value]) => [type, isJsonType(type) ? value : joinLines(value)]),
  )
}

function toMimeBundle(value: unknown): MimeBundle {
  return isRecord(value) ? joinMimeBundle(value) : {}
}

function toText(value: unknown): string {
  const text = joinLines(value)
  return typeof text === 'string' ? text : ''
}

function toRecord(value: unknown): Json {
  return isRecord(value) ? value : {}
}

function isJsonType(type: string): boolean {
  return type === 'application/json' || /^application\/.*\+json$/.test(type)
}
