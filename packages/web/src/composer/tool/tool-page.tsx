import type { ToolDetail } from '@quire/composer/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { request } from '../../services/request.ts'
import { Asked } from '../../ui/asked.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Code, toPrettyJson } from '../../ui/code.tsx'
import { LongText } from '../../ui/long-text.tsx'
import { Page } from '../../ui/page.tsx'
import { COMPOSER_KEY, toolPath } from '../composer-queries.ts'
import { ToolTrust } from '../tool-trust.tsx'
import { ToolApproval } from './tool-approval.tsx'
import { ToolTrial } from './tool-trial.tsx'

/** What a tool says of itself; only clients that trust the server may believe it. */
const HINTS: readonly (readonly [string, boolean, string])[] = [
  ['readOnlyHint', true, 'Changes nothing'],
  ['destructiveHint', true, 'May destroy'],
  ['idempotentHint', true, 'May be repeated'],
  ['openWorldHint', true, 'Reaches out'],
]

export function ToolPage() {
  const { name = '' }: { name?: string } = useParams({ strict: false })
  const query = useQuery({
    queryKey: [COMPOSER_KEY, 'tools', name],
    queryFn: ({ signal }) => request<ToolDetail>('composer', toolPath(name), { signal }),
  })
  const note = (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link to="/tools" className="underline">
        All tools
      </Link>
      {query.data && (
        <Link to="/servers/$id" params={{ id: query.data.server }} className="underline">
          Server {query.data.server}
        </Link>
      )}
    </span>
  )
  return (
    <Page title={name} note={note}>
      <Asked query={query} what="the tool">
        {(tool) => (
          <>
            <About tool={tool} />
            {tool.trust !== 'known' && <ToolApproval tool={tool} />}
            <ToolTrial key={`${tool.name} ${tool.hash}`} tool={tool} />
          </>
        )}
      </Asked>
    </Page>
  )
}

function About({ tool }: { readonly tool: ToolDetail }) {
  const hints = HINTS.filter(([key, value]) => tool.annotations?.[key] === value)
  return (
    <section aria-label="About this tool" className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2 empty:hidden">
        <ToolTrust trust={tool.trust} />
        {hints.map(([key, , label]) => (
          <Badge key={key} title="It says so of itself">
            {label}
          </Badge>
        ))}
      </div>
      {tool.title !== undefined && <p className="font-medium break-words">{tool.title}</p>}
      <LongText
        text={tool.description === '' ? 'It says nothing of itself.' : tool.description}
        most={1_000}
        className="max-w-prose"
      />
      <details>
        <summary className="cursor-pointer text-sm text-quiet">Definition</summary>
        <div className="mt-2 flex flex-col gap-3">
          <p className="text-sm text-quiet">
            Over MCP it is called <code className="font-mono break-all text-ink">{tool.mcp_name}</code>.
          </p>
          <Code text={toPrettyJson(tool.input_schema)} label="schema of its arguments" className="max-h-80" />
          {tool.output_schema && (
            <Code
              text={toPrettyJson(tool.output_schema)}
              label="schema of its results"
              className="max-h-80"
            />
          )}
        </div>
      </details>
    </section>
  )
}
