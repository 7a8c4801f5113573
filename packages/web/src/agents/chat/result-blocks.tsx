import { Code, toPrettyJson } from '../../ui/code.tsx'
import { ContentBlock } from '../../ui/content-block.tsx'

/** What a tool answered, as MCP has it. */
export function ResultBlocks({ result }: { readonly result: Readonly<Record<string, unknown>> }) {
  const { content, structuredContent } = result
  const blocks: readonly unknown[] = Array.isArray(content) ? content : []
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
        <ContentBlock key={index} block={block} />
      ))}
      {structuredContent !== undefined && (
        <Code text={toPrettyJson(structuredContent)} label="structured content" className="max-h-96" />
      )}
      {blocks.length === 0 && structuredContent === undefined && (
        <p className="text-sm text-quiet">It answered with nothing.</p>
      )}
    </div>
  )
}
