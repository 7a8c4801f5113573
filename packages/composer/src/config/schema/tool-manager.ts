import { z } from 'zod'
import { CONFLICT_STRATEGIES } from '../config.ts'
import { choice, filledLine, flag, line } from './fields.ts'

/** Over MCP every client takes such a name. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/
const PLACEHOLDERS = /^(?:[A-Za-z0-9_-]|\{server_name\}|\{tool_name\})*$/
const VERSION_SUFFIX = /^[A-Za-z0-9_.-]*\{version\}[A-Za-z0-9_.-]*$/

export const strategy = choice(CONFLICT_STRATEGIES)

export const ToolManager = z.strictObject({
  conflict_resolution: strategy.optional(),
  mode: choice(['full', 'search']).prefault('full'),
  tool_overrides: z
    .array(z.strictObject({ tool_pattern: filledLine(), resolution: strategy }), {
      error: 'must be written as [[tool_manager.tool_overrides]]',
    })
    .prefault([]),
  custom_template: z
    .strictObject({
      template: line()
        .regex(PLACEHOLDERS, 'may hold letters, digits, "_", "-", {server_name} and {tool_name}')
        .refine(
          (text) => text.includes('{tool_name}'),
          'must hold {tool_name}, or all tools of a server have one name',
        )
        .prefault('{server_name}_{tool_name}'),
    })
    .prefault({}),
  aliases: z
    .record(
      z.string().regex(TOOL_NAME, 'is no name of a tool: letters, digits, "_", "-", 64 at most'),
      filledLine(),
      {
        error: 'must be a table: alias = "server:tool"',
      },
    )
    .prefault({}),
  versioning: z
    .strictObject({
      enabled: flag().prefault(false),
      allow_multiple_versions: flag().prefault(false),
      version_suffix_format: line()
        .regex(VERSION_SUFFIX, 'must hold {version}, and besides letters, digits, "_", "." and "-"')
        .prefault('_v{version}'),
    })
    .prefault({}),
})
