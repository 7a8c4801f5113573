import { useQuery } from '@tanstack/react-query'
import { use } from 'react'
import { A2uiSurfaces } from '../a2ui/a2ui-surfaces.tsx'
import { parseMessages, toSurfaces } from '../a2ui/surface.ts'
import type { CallPart } from '../chat/chat-item.ts'
import { ProposeContext, toProposal } from '../chat/propose.ts'
import { toolAppsQuery } from '../queries.ts'
import { McpApp } from './mcp-app.tsx'
import { userInterfacesOf } from './user-interfaces.ts'

export interface ToolAppsProps {
  readonly call: CallPart
  readonly result: Readonly<Record<string, unknown>>
  readonly conversationId: string
}

/** Tools are called `toolset__tool`. */
const BETWEEN = '__'

export function ToolApps({ call, result, conversationId }: ToolAppsProps) {
  const [toolset = ''] = call.name.split(BETWEEN)
  const propose = use(ProposeContext)
  const { data: announced } = useQuery(toolAppsQuery)
  return userInterfacesOf(result, announced?.get(call.name)).map((shown) =>
    shown.kind === 'app' ? (
      <McpApp
        key={shown.uri}
        uri={shown.uri}
        html={shown.html}
        toolset={toolset}
        shownBy={call.name}
        conversationId={conversationId}
        args={call.args}
        result={result}
      />
    ) : (
      <A2uiSurfaces
        key={shown.uri}
        surfaces={toSurfaces(parseMessages(shown.text))}
        onAction={propose && ((action) => propose(toProposal(action)))}
      />
    ),
  )
}
