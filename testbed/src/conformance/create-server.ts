import { McpServer, type RequestStateCodec } from '@modelcontextprotocol/server'
import type { ChangingLists } from './changing-lists.ts'
import { registerContentTools } from './content-tools.ts'
import { registerPrompts } from './prompts.ts'
import { registerQuestionTools } from './question-tools.ts'
import { registerResources } from './resources.ts'
import { type RoundState, registerRoundsTools } from './rounds-tools.ts'
import { toText } from './samples.ts'
import { registerSchemaTools } from './schema-tools.ts'

export interface ConformanceServerOptions {
  readonly lists: ChangingLists
  readonly codec: RequestStateCodec<RoundState>
  /** It outlives a request: its client is told when a list changes. */
  readonly isLasting: boolean
}

/** A server with everything that the conformance suite asks for by name, for both eras. */
export function createConformanceServer({ lists, codec, isLasting }: ConformanceServerOptions): McpServer {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: codec.verify },
    },
  )
  registerContentTools(server)
  registerSchemaTools(server)
  registerQuestionTools(server)
  registerRoundsTools(server, codec)
  registerPrompts(server)
  registerResources(server)
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }))
  registerChanges(server, lists, isLasting)
  return server
}

function registerChanges(server: McpServer, lists: ChangingLists, isLasting: boolean): void {
  server.registerTool('test_trigger_tool_change', { description: 'Adds or removes a tool' }, () => {
    lists.toggle('tools')
    return toText('The list of tools has changed')
  })
  server.registerTool('test_trigger_prompt_change', { description: 'Adds or removes a prompt' }, () => {
    lists.toggle('prompts')
    return toText('The list of prompts has changed')
  })
  const tool = server.registerTool('test_changing_tool', { description: 'Comes and goes' }, () =>
    toText('I am here'),
  )
  const prompt = server.registerPrompt('test_changing_prompt', { description: 'Comes and goes' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'I am here' } }],
  }))
  if (!lists.hasTool) tool.disable()
  if (!lists.hasPrompt) prompt.disable()
  if (!isLasting) return
  const unwatch = lists.watch((kind) => {
    if (kind === 'tools') tool.update({ enabled: lists.hasTool })
    else prompt.update({ enabled: lists.hasPrompt })
  })
  const { onclose } = server.server
  server.server.onclose = () => {
    unwatch()
    onclose?.()
  }
}
