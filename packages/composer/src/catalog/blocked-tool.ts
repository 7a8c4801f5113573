import { ComposerError } from '../composer-error.ts'
import type { ToolEntry } from './composed-catalog.ts'

/** Why a tool with `trust: 'blocked'` cannot be called, and what to do about it. */
export function blockedTool({ name, id, server, block }: ToolEntry): ComposerError {
  const approval = `Somebody who manages the composer has to look at "${id}" and approve it`
  const text =
    block === 'unremembered'
      ? `its server is pinned, and offers more tools than can be remembered, so that a change of this one would go unnoticed. ${approval}, or leave tools of "${server}" out with exclude_tools.`
      : `its definition has changed since it was approved, and its server is pinned. ${approval}.`
  return new ComposerError('TOOL_BLOCKED', `The tool "${name}" is blocked: ${text}`)
}
