import type { Tool } from '@quire/composer/contract'
import { Link } from '@tanstack/react-router'
import { ToolTrust } from './tool-trust.tsx'

export interface ToolRowProps {
  readonly tool: Tool
  readonly isServerShown?: boolean
}

export function ToolRow({ tool, isServerShown = false }: ToolRowProps) {
  const name = tool.name.slice(tool.name.indexOf(':') + 1)
  return (
    <li>
      <Link
        to="/tools/$name"
        params={{ name: tool.name }}
        className="flex flex-col gap-0.5 px-4 py-3 hover:bg-raised"
      >
        <span className="flex items-center gap-3">
          <span className="min-w-0 font-mono text-sm font-medium break-all">{name}</span>
          <ToolTrust trust={tool.trust} />
          {isServerShown && <span className="ml-auto text-sm text-quiet">{tool.server}</span>}
        </span>
        <span className="line-clamp-2 text-sm break-words text-quiet empty:hidden">
          {tool.description === '' ? tool.title : tool.description}
        </span>
      </Link>
    </li>
  )
}
