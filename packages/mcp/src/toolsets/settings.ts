import { defineSettings } from '@quire/kit/config/settings'
import { z } from 'zod'

const notEmpty = z.string().min(1, 'must not be empty')

/** Which toolsets a service has. `prefix` is the one of its environment variables. */
export function toolsetSettings({ prefix }: { readonly prefix: string }) {
  return defineSettings({
    mcpConfig: {
      flag: 'mcp-config',
      value: 'FILE',
      env: [`${prefix}_MCP_CONFIG`],
      schema: notEmpty.optional(),
      help: 'the file that names the MCP servers of the toolsets (default: mcp.json in the data folder, where there is one)',
    },
    requiredToolsets: {
      flag: 'require-toolset',
      value: 'NAME',
      env: [`${prefix}_REQUIRE_TOOLSETS`],
      list: true,
      schema: z.array(notEmpty).default([]),
      help: 'be ready only when this toolset is; may be given several times',
    },
  })
}
