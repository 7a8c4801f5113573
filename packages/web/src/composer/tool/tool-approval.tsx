import type { ToolDetail, ToolDone } from '@quire/composer/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { request } from '../../services/request.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { toPrettyJson } from '../../ui/code.tsx'
import { Failure } from '../../ui/state.tsx'
import { COMPOSER_KEY, toolPath } from '../composer-queries.ts'
import { Difference } from '../configuration/difference.tsx'
import { isTable, type Schema } from './schema.ts'

/** A definition that is another than the one first seen: what differs, and the word that it is good. */
export function ToolApproval({ tool }: { readonly tool: ToolDetail }) {
  const queries = useQueryClient()
  const approve = useMutation({
    mutationFn: () =>
      request<ToolDone>('composer', `${toolPath(tool.name)}/approve`, {
        method: 'POST',
        body: { hash: tool.hash },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: [COMPOSER_KEY] }),
  })
  const { approved_definition: before } = tool
  return (
    <Card aria-labelledby="approval" className="flex flex-col gap-3">
      <h2 id="approval" className="font-semibold">
        {tool.trust === 'blocked' ? 'It may not be called until somebody approves it' : 'It has changed'}
      </h2>
      <p className="text-sm text-quiet">
        Its server now defines it in another way than when it was first seen. Look whether that is meant.
      </p>
      {before && <WhatDiffers tool={tool} before={before} />}
      {approve.isError && <Failure error={approve.error} />}
      <Button className="self-start" isBusy={approve.isPending} onClick={() => approve.mutate()}>
        Approve this definition
      </Button>
    </Card>
  )
}

function WhatDiffers({ tool, before }: { readonly tool: ToolDetail; readonly before: Schema }) {
  const { title, description, inputSchema, outputSchema, annotations } = before
  const [old, now] = [
    { title, description, inputSchema, outputSchema, annotations },
    {
      title: tool.title,
      description: tool.description,
      inputSchema: tool.input_schema,
      outputSchema: tool.output_schema,
      annotations: tool.annotations,
    },
  ].map((definition) => toPrettyJson(sortKeys(definition)))
  if (old === undefined || now === undefined || old === now)
    return <p className="text-sm text-warn">What differs is in a part of it that is not shown here.</p>
  return <Difference before={old} after={now} label="How its definition differs" />
}

/** What was approved is kept in an order of its own, which means nothing. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isTable(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, sortKeys(inner)] as const)
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}
