import type { Output } from '../document/nbformat.ts'
import { type CutText, cutText } from './cut-text.ts'
import { createImageFitter, type FittedImage } from './images.ts'
import type { OutputPolicy } from './output-policy.ts'
import { type Reading, readOutput } from './reading.ts'
import { shareOut } from './share-out.ts'

/** The resource that holds the whole of an output. */
export type OutputLink = (outputIndex: number) => string | undefined

/** One output on its way into a reply. */
export interface OutputPart extends UncutPart {
  /** Its text, as far as the budget goes. */
  readonly shown: CutText
}

interface UncutPart {
  readonly index: number
  /** How many outputs were left out in front of it. */
  readonly skipped: number
  readonly uri: string | undefined
  readonly reading: Reading
  readonly image: FittedImage | undefined
}

/** An output that is shown gets room for a few lines; of more outputs than that allows, those in the middle are left out. */
const BYTES_PER_OUTPUT = 512
/** So that a traceback survives whatever was printed before it. */
const SHARE_OF_ERRORS = 1 / 4

export async function readParts(
  outputs: readonly Output[],
  policy: OutputPolicy,
  link: OutputLink,
): Promise<OutputPart[]> {
  const fitter = createImageFitter(policy)
  const parts: UncutPart[] = []
  let next = 0
  for (const [index, output] of chooseOutputs(outputs, policy.maxBytes / BYTES_PER_OUTPUT)) {
    const reading = readOutput(output)
    const image = reading.type === 'image' ? await fitter.fit(reading) : undefined
    parts.push({ index, skipped: index - next, uri: link(index), reading, image })
    next = index + 1
  }
  return fitTexts(parts, policy.maxBytes)
}

export function hasAnything({ shown, image }: OutputPart): boolean {
  return shown.text !== '' || image !== undefined
}

/** Images that the policy does not want are whole: nobody asked for more. */
export function isWhole({ shown, image }: OutputPart): boolean {
  return !shown.isCut && (image === undefined || image.isWhole)
}

/** The first and the last, and the last error wherever it stands. */
function chooseOutputs(outputs: readonly Output[], room: number): [number, Output][] {
  const half = Math.max(1, Math.floor(room / 2))
  const lastError = outputs.findLastIndex((output) => output?.output_type === 'error')
  return [...outputs.entries()].filter(
    ([index]) => index < half || index >= outputs.length - half || index === lastError,
  )
}

function fitTexts(parts: readonly UncutPart[], maxBytes: number): OutputPart[] {
  const needs = parts.map((part) => Buffer.byteLength(textOf(part)))
  const errorNeeds = needs.map((need, index) => (parts[index]?.reading.type === 'error' ? need : 0))
  const otherNeeds = needs.map((need, index) => need - (errorNeeds[index] ?? 0))
  const forErrors = Math.min(
    sum(errorNeeds),
    Math.max(maxBytes * SHARE_OF_ERRORS, maxBytes - sum(otherNeeds)),
  )
  const errorShares = shareOut(errorNeeds, forErrors)
  const otherShares = shareOut(otherNeeds, maxBytes - forErrors)
  return parts.map((part, index) => {
    const share = (errorShares[index] ?? 0) + (otherShares[index] ?? 0)
    return { ...part, shown: cutText(textOf(part), share, (cut) => marker(cut, part.uri)) }
  })
}

function textOf({ reading }: UncutPart): string {
  return reading.type === 'image' ? reading.alternative : reading.text
}

function marker(cut: number, uri: string | undefined): string {
  return `[... ${cut.toLocaleString('en-US')} bytes cut${uri === undefined ? ' ...' : `; whole output: ${uri}`}]`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
