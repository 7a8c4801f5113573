import { isRecord } from '../document/json.ts'
import type { MimeBundle, Output } from '../document/nbformat.ts'
import { toPlainText } from './plain-text.ts'

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/svg+xml'

export interface TextReading {
  readonly type: 'text' | 'json' | 'html' | 'error' | 'other'
  readonly text: string
  readonly mime?: string
  readonly stream?: 'stdout' | 'stderr'
}

export interface ImageReading {
  readonly type: 'image'
  readonly mime: ImageType
  /** Base64, or the text of an SVG. */
  readonly data: string
  /** What the output says of itself in plain text. */
  readonly alternative: string
}

/** What one output has to say to a reader. */
export type Reading = TextReading | ImageReading

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/svg+xml'] as const
const TEXT_TYPES = ['text/markdown', 'text/latex', 'application/json', 'text/plain'] as const
const KEYS_SHOWN = 20
const LONGEST_NAME = 100

/** Outputs come from files and kernels of others: there is a reading for whatever shape they have. */
export function readOutput(output: Output): Reading {
  const type: unknown = output?.output_type
  switch (output?.output_type) {
    case 'stream':
      return {
        type: 'text',
        text: toPlainText(joined(output.text)),
        stream: output.name === 'stderr' ? 'stderr' : 'stdout',
      }
    case 'display_data':
    case 'execute_result':
      return readData(output.output_type, isRecord(output.data) ? output.data : {})
    case 'error':
      return { type: 'error', text: textOfError(output.traceback, output.ename, output.evalue) }
    default:
      return { type: 'other', text: `[Unknown output type: ${shortName(type)}]` }
  }
}

function readData(outputType: string, data: MimeBundle): Reading {
  const image = IMAGE_TYPES.find((mime) => joined(data[mime]) !== '')
  if (image) {
    const alternative = toPlainText(joined(data['text/plain']))
    return { type: 'image', mime: image, data: joined(data[image]), alternative }
  }
  const mime = TEXT_TYPES.find((candidate) => data[candidate] !== undefined)
  if (mime === 'application/json') return { type: 'json', mime, text: prettyJson(data[mime]) }
  if (mime) return { type: 'text', mime, text: toPlainText(joined(data[mime])) }
  if (data['text/html'] !== undefined) return { type: 'html', mime: 'text/html', text: '[HTML Output]' }
  return { type: 'other', text: `[${outputType} Data: keys=[${shownKeys(data)}]]` }
}

function textOfError(traceback: unknown, name: unknown, value: unknown): string {
  const lines = Array.isArray(traceback) ? traceback.map(joined) : [joined(traceback)]
  const text = toPlainText(lines.join('\n'))
  if (text.trim() !== '') return text
  const parts = [name, value].map((part) => toPlainText(joined(part))).filter((part) => part !== '')
  return parts.join(': ') || '[Error output with no details]'
}

function prettyJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2).toWellFormed()
  } catch (error) {
    // JSON.stringify is recursive where JSON.parse is not.
    if (error instanceof RangeError) return '[JSON Output: nested too deeply to be shown]'
    throw error
  }
}

function shownKeys(data: MimeBundle): string {
  const keys = Object.keys(data)
  const shown = keys.slice(0, KEYS_SHOWN).map((key) => `'${shortName(key)}'`)
  return [...shown, ...(keys.length > KEYS_SHOWN ? ['...'] : [])].join(', ')
}

function shortName(name: unknown): string {
  return toPlainText(String(name)).slice(0, LONGEST_NAME).toWellFormed()
}

/** nbformat also writes a text as a list of its lines. */
function joined(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join('') : ''
}
