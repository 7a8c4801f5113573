import { toText as toLine } from '../../ui/to-text.ts'

/** An output of a cell, in a document that anybody may have written to. */
export type Output =
  | { readonly kind: 'stream'; readonly isError: boolean; readonly text: string }
  | { readonly kind: 'error'; readonly name: string; readonly value: string; readonly traceback: string }
  | { readonly kind: 'data'; readonly data: Readonly<Record<string, unknown>> }

/** The first of them that is there is shown: from the richest to the plainest. */
const KINDS = [
  'text/html',
  'application/javascript',
  'image/svg+xml',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'text/markdown',
  'application/json',
  'text/latex',
  'text/plain',
] as const

export type MediaKind = (typeof KINDS)[number]

export function readOutput(value: unknown): Output | undefined {
  if (!isRecord(value)) return undefined
  if (value.output_type === 'stream')
    return { kind: 'stream', isError: value.name === 'stderr', text: toText(value.text) }
  if (value.output_type === 'error') {
    const traceback = Array.isArray(value.traceback) ? value.traceback.map(toLine).join('\n') : ''
    return { kind: 'error', name: toText(value.ename), value: toText(value.evalue), traceback }
  }
  return isRecord(value.data) ? { kind: 'data', data: value.data } : undefined
}

export function chooseKind(data: Readonly<Record<string, unknown>>): MediaKind | undefined {
  return KINDS.find((kind) => Object.hasOwn(data, kind))
}

/** Texts may come as lists of lines. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : ''
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
