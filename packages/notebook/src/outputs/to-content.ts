import type { ContentBlock } from '@modelcontextprotocol/server'
import type { Output } from '../document/nbformat.ts'
import { describeOutput, type OutputView } from './describe-output.ts'
import { hasAnything, isWhole, type OutputLink, type OutputPart, readParts } from './output-part.ts'
import type { OutputPolicy } from './output-policy.ts'
import type { ImageType } from './reading.ts'

export interface OutputContent {
  /** A text block for each output, never merged; images, with what was done to them; links to what is not shown whole. */
  readonly content: ContentBlock[]
  /** The same outputs for programs. */
  readonly views: OutputView[]
  /** Something was cut, scaled down or left out. */
  readonly truncated: boolean
  /** How many are in the content. */
  readonly images: number
}

/** Outputs as a reply may hold them: within the policy, with a visible mark and a link wherever it shows less than the whole. */
export async function outputsToContent(
  outputs: readonly Output[],
  policy: OutputPolicy,
  link: OutputLink = () => undefined,
): Promise<OutputContent> {
  const parts = await readParts(outputs, policy, link)
  const content = parts.flatMap(toBlocks)
  return {
    content,
    views: parts.filter(hasAnything).map(describeOutput),
    truncated: parts.length < outputs.length || !parts.every(isWhole),
    images: content.filter(({ type }) => type === 'image' || type === 'resource').length,
  }
}

function toBlocks(part: OutputPart): ContentBlock[] {
  const { skipped, reading, image, shown, uri, index } = part
  const blocks: ContentBlock[] = []
  if (skipped > 0) blocks.push(toText(`[... ${skipped.toLocaleString('en-US')} outputs cut ...]`))
  if (reading.type === 'image' && image?.data !== undefined)
    blocks.push(toImage(reading.mime, image.data, uri))
  if (image?.note !== undefined) blocks.push(toText(image.note))
  if (shown.text !== '' && image?.data === undefined) blocks.push(toText(shown.text))
  if (uri !== undefined && (!isWhole(part) || reading.type === 'html' || reading.type === 'other'))
    blocks.push({
      type: 'resource_link',
      uri,
      name: `output ${index}`,
      description: 'The whole of this output',
    })
  return blocks
}

/** Models take no SVG for an image, and some end the conversation over one: it goes as a resource of its own type. */
function toImage(mimeType: ImageType, data: string, uri = 'notebook-output:svg'): ContentBlock {
  if (mimeType !== 'image/svg+xml') return { type: 'image', data, mimeType }
  return { type: 'resource', resource: { uri, mimeType, text: data } }
}

function toText(text: string): ContentBlock {
  return { type: 'text', text }
}
