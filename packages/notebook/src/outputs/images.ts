import type { OutputPolicy } from './output-policy.ts'
import { type PngFile, parsePng } from './png.ts'
import { readScaled } from './png-reader.ts'
import { encodePng } from './png-writer.ts'
import { type Size, scaleRaster } from './raster.ts'
import type { ImageReading, ImageType } from './reading.ts'

/** An image as a reply may show it, or the reason why it does not. */
export interface FittedImage {
  /** Base64; of an SVG its text. */
  readonly data?: string
  /** It is shown as it was, or nobody wants it shown. */
  readonly isWhole: boolean
  /** What was done to it, for the reader. */
  readonly note?: string
  /** Of the image as it was, where it could be read. */
  readonly bytes?: number
  readonly width?: number
  readonly height?: number
}

/** The media types by the names that people use. */
const IMAGE_NAMES: Readonly<Record<ImageType, string>> = Object.freeze({
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/gif': 'GIF',
  'image/svg+xml': 'SVG',
})

const LARGEST_SOURCE = 32 * 1024 * 1024
/** For all images of one reply together: what it takes to scale them is bounded too. */
const MOST_PIXELS = 40_000_000
const LONGEST_SIDE = 65_535
const LARGEST_SVG = 16 * 1024
const ATTEMPTS = 5
const DAMAGED = 'its data are damaged'
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const SIGNATURES = { 'image/jpeg': 'ffd8ff', 'image/gif': '47494638' } as const

/** Fits the images of one reply, one after the other. Never throws: an image that cannot be shown is a note. */
export function createImageFitter(policy: OutputPolicy, mostPixels = MOST_PIXELS) {
  let images = 0
  let pixels = mostPixels

  async function fit({ mime, data }: ImageReading): Promise<FittedImage> {
    const name = IMAGE_NAMES[mime]
    if (!policy.images) return { isWhole: true, note: `[Image Output (${name}) - Image display disabled]` }
    if (images >= policy.maxImages) return leftOut(name, `a reply holds at most ${policy.maxImages} images`)
    const fitted = await fitOne(name, mime, data)
    if (fitted.data !== undefined) images += 1
    return fitted
  }

  async function fitOne(name: string, mime: ImageType, data: string): Promise<FittedImage> {
    if (data.length > LARGEST_SOURCE) return leftOut(name, `it has ${count(data.length)} bytes`)
    if (mime === 'image/svg+xml') return fitSvg(data)
    const bytes = base64Bytes(data)
    if (!bytes) return leftOut(name, DAMAGED)
    if (mime === 'image/png') return fitPng(bytes)
    if (!bytes.toString('hex', 0, 4).startsWith(SIGNATURES[mime])) return leftOut(name, DAMAGED)
    const encoded = bytes.toString('base64')
    if (encoded.length <= policy.maxImageBytes) return { data: encoded, isWhole: true, bytes: bytes.length }
    return { ...leftOut(name, `it has ${count(bytes.length)} bytes`), bytes: bytes.length }
  }

  /** It is text, and read as text. */
  function fitSvg(text: string): FittedImage {
    const bytes = svgBytes(text)
    if (!bytes) return leftOut('SVG', DAMAGED)
    const facts = { bytes: bytes.length }
    if (bytes.length > LARGEST_SVG)
      return { ...facts, ...leftOut('SVG', `it has ${count(bytes.length)} bytes`) }
    return { ...facts, data: text, isWhole: true }
  }

  async function fitPng(bytes: Buffer): Promise<FittedImage> {
    const file = parsePng(bytes)
    if (!file) return leftOut('PNG', DAMAGED)
    const { width, height } = file.header
    const facts = { bytes: bytes.length, width, height }
    const encoded = bytes.toString('base64')
    if (Math.max(width, height) <= policy.maxImageSide && encoded.length <= policy.maxImageBytes)
      return { ...facts, data: encoded, isWhole: true }
    if (Math.max(width, height) > LONGEST_SIDE || width * height > pixels)
      return {
        ...facts,
        ...leftOut('PNG', `it has ${width}x${height} pixels, more than are scaled for one reply`),
      }
    pixels -= width * height
    return { ...facts, ...(await scaleDown(file, policy)) }
  }

  return Object.freeze({ fit })
}

async function scaleDown(file: PngFile, policy: OutputPolicy): Promise<FittedImage> {
  const { width, height } = file.header
  let factor = Math.min(1, policy.maxImageSide / Math.max(width, height))
  let raster = await readScaled(file, scaled(file.header, factor))
  if (!raster) return leftOut('PNG', DAMAGED)
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const data = (await encodePng(raster)).toString('base64')
    if (data.length <= policy.maxImageBytes) {
      // What was only compressed better is still the same image.
      if (raster.width === width && raster.height === height) return { data, isWhole: true }
      return {
        data,
        isWhole: false,
        note: `[image scaled from ${width}x${height} to ${raster.width}x${raster.height}]`,
      }
    }
    factor *= 0.9 * Math.sqrt(policy.maxImageBytes / data.length)
    raster = scaleRaster(raster, scaled(file.header, factor))
  }
  return leftOut('PNG', `it does not fit into ${count(policy.maxImageBytes)} bytes`)
}

function scaled({ width, height }: Size, factor: number): Size {
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

function leftOut(name: string, reason: string): FittedImage {
  return { isWhole: false, note: `[${name} image left out: ${reason}]` }
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}

/** Jupyter wraps base64 into lines. */
function base64Bytes(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '')
  if (compact === '' || compact.length % 4 === 1 || !BASE64.test(compact)) return undefined
  return Buffer.from(compact, 'base64')
}

function svgBytes(text: string): Buffer | undefined {
  return /<svg[\s>]/.test(text) ? Buffer.from(text.toWellFormed()) : undefined
}
