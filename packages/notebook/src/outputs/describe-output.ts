import { z } from 'zod'
import { isWhole, type OutputPart } from './output-part.ts'

/** One output for programs. Images are in the content alone, here they are only described. */
export const OutputView = z.object({
  index: z.int().min(0).describe('Its place among the outputs'),
  type: z.enum(['text', 'json', 'html', 'image', 'error', 'other']),
  mime: z.string().optional().describe('The media type that was chosen of those on offer'),
  stream: z.enum(['stdout', 'stderr']).optional(),
  text: z.string().optional().describe('What it says, as far as the reply has room'),
  bytes: z.int().min(0).optional().describe('The size of the whole text or image'),
  width: z.int().optional(),
  height: z.int().optional(),
  truncated: z.boolean().describe('Whether the reply shows less than the whole'),
  uri: z.string().optional().describe('The resource that holds the whole'),
})
export type OutputView = z.infer<typeof OutputView>

export function describeOutput(part: OutputPart): OutputView {
  const { index, reading, image, shown, uri } = part
  return {
    index,
    type: reading.type,
    mime: reading.mime,
    stream: reading.type === 'text' ? reading.stream : undefined,
    text: shown.text === '' ? undefined : shown.text,
    bytes: image ? image.bytes : shown.bytes,
    width: image?.width,
    height: image?.height,
    truncated: !isWhole(part),
    uri,
  }
}
