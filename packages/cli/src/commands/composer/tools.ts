import { askSettings } from '@quire/composer/settings'
import { CommandFailure } from '../../command-failure.ts'
import { configFrom } from '../../config.ts'
import { type AskedComposer, askComposer, detailOf } from './ask-composer.ts'

interface ListedTool {
  readonly name: string
  readonly description?: string
}

const PAGE = 1000
const DESCRIPTION_WIDTH = 100

/** Lists the tools of a composer, one a line. */
export async function runComposerTools(
  flags: Record<string, unknown>,
  filter: { readonly search?: string; readonly server?: string },
  output: NodeJS.WritableStream,
): Promise<void> {
  const settings = configFrom(askSettings, flags)
  const composer = await askComposer(settings, filter.server)
  try {
    const tools = await listTools(composer, filter)
    if (settings.json) output.write(`${JSON.stringify(tools, null, 2)}\n`)
    else for (const tool of tools) output.write(`${lineFor(tool)}\n`)
    if (!settings.json && tools.length === 0) output.write('There are no tools.\n')
  } finally {
    await composer.close()
  }
}

async function listTools(
  composer: AskedComposer,
  { search, server }: { readonly search?: string; readonly server?: string },
): Promise<ListedTool[]> {
  const tools: ListedTool[] = []
  // These two alone: the key is among the options of the command, and never belongs into an address.
  const filter = { ...(search !== undefined && { search }), ...(server !== undefined && { server }) }
  for (;;) {
    const query = new URLSearchParams({ ...filter, limit: String(PAGE), offset: String(tools.length) })
    const { status, body } = await composer.ask('GET', `/tools?${query}`)
    if (status !== 200) throw new CommandFailure(detailOf(body))
    const page = body as { tools: ListedTool[]; total: number }
    tools.push(...page.tools)
    if (page.tools.length === 0 || tools.length >= page.total) return tools
  }
}

function lineFor({ name, description = '' }: ListedTool): string {
  const [first = ''] = description.trim().split('\n')
  const text = first.length > DESCRIPTION_WIDTH ? `${first.slice(0, DESCRIPTION_WIDTH - 1)}…` : first
  // Text of others must not steer the terminal.
  return text === '' ? name : `${name}  ${text.replaceAll(/\p{Cc}/gu, ' ')}`
}
