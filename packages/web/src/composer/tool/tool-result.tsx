import type { Invocation } from '@quire/composer/contract'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Code, toPrettyJson } from '../../ui/code.tsx'
import { ContentBlock } from '../../ui/content-block.tsx'

/** What a tool answered: texts as texts, pictures as pictures, data as data. */
export function ToolResult({ answer }: { readonly answer: Invocation }) {
  const { result, is_error, execution_time_ms } = answer
  const { content, structuredContent } = result
  const blocks: readonly unknown[] = Array.isArray(content) ? content : []
  return (
    <Card aria-label="Answer" className="flex flex-col gap-3">
      <header className="flex flex-wrap items-center gap-3">
        <h2 className="font-semibold">Answer</h2>
        {is_error ? <Badge tone="warn">The tool says that it failed</Badge> : <Badge tone="good">Done</Badge>}
        <span className="text-sm text-quiet tabular-nums">{execution_time_ms} ms</span>
      </header>
      {blocks.length === 0 && structuredContent === undefined && (
        <p className="text-quiet">It answered with nothing.</p>
      )}
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change
        <ContentBlock key={index} block={block} />
      ))}
      {structuredContent !== undefined && (
        <section aria-label="Structured content" className="flex flex-col gap-1">
          <h3 className="text-sm font-medium">Structured content</h3>
          <Code text={toPrettyJson(structuredContent)} label="structured content" className="max-h-96" />
        </section>
      )}
      <details>
        <summary className="cursor-pointer text-sm text-quiet">As it came</summary>
        <Code text={toPrettyJson(result)} label="the whole answer" className="mt-2 max-h-96" />
      </details>
    </Card>
  )
}
