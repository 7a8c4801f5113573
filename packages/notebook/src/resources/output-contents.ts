import type { ReadResourceResult } from '@modelcontextprotocol/server'
import type { MimeBundle, Output } from '../document/nbformat.ts'
import { toPlainText } from '../outputs/plain-text.ts'
import { ToolError } from '../tool-error.ts'

type Contents = ReadResourceResult['contents']
type Content = Contents[number]

/** A whole output, in every representation that it has. Those beyond the bound are left out, as long as one remains. */
export function outputContents(uri: string, output: Output, maxBytes: number): Contents {
  const all = representations(uri, output)
  let room = maxBytes
  const kept = all.filter((content) => {
    const bytes = sizeOf(content)
    if (bytes > room) return false
    room -= bytes
    return true
  })
  if (kept.length > 0) return kept
  if (all.length === 0) throw new ToolError('not_found', 'This output holds nothing that could be read.')
  throw new ToolError(
    'invalid_argument',
    `This output has ${Math.min(...all.map(sizeOf))} bytes, and at most ${maxBytes} can be read. Open the notebook in Jupyter, or have the code write it to a file.`,
  )
}

function representations(uri: string, output: Output): Contents {
  switch (output.output_type) {
    case 'stream':
      return [{ uri, mimeType: 'text/plain', text: toPlainText(output.text) }]
    case 'error': {
      const traceback = output.traceback.join('\n')
      const text = traceback === '' ? `${output.ename}: ${output.evalue}` : traceback
      return [{ uri, mimeType: 'text/plain', text: toPlainText(text) }]
    }
    case 'display_data':
    case 'execute_result':
      return readBundle(uri, output.data)
    default:
      return []
  }
}

function readBundle(uri: string, data: MimeBundle): Contents {
  return Object.entries(data).map(([mimeType, value]): Content => {
    if (typeof value !== 'string') return { uri, mimeType, text: JSON.stringify(value) }
    if (isText(mimeType))
      return { uri, mimeType, text: mimeType === 'text/plain' ? toPlainText(value) : value }
    return { uri, mimeType, blob: value.replaceAll(/\s/g, '') }
  })
}

/** As nbformat has it: everything that is not text or JSON stands in base64. */
function isText(mimeType: string): boolean {
  return (
    mimeType.startsWith('text/') ||
    mimeType === 'image/svg+xml' ||
    mimeType === 'application/javascript' ||
    /[/+](?:json|xml)$/.test(mimeType)
  )
}

function sizeOf(content: Content): number {
  return 'text' in content ? Buffer.byteLength(content.text) : content.blob.length
}
