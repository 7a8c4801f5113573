import { startModel } from './contenders.ts'
import { benchHeldStreams } from './held-streams.ts'
import { benchPrompts } from './prompts.ts'
import { benchStoredConversations } from './stored-conversations.ts'

/** What the agent runtime adds to a prompt, beside a bare relay and the `ai` package; and what it stands. */
export async function benchRuntime(): Promise<string[]> {
  const model = await startModel()
  const lines: string[] = []
  try {
    for (const bench of [benchPrompts, benchHeldStreams, benchStoredConversations]) {
      // What has been measured so far is told all the same.
      const told = await bench(model.port).catch((error: unknown) => [
        `${bench.name} failed: ${String(error)}`,
      ])
      lines.push(...told, '')
    }
  } finally {
    await model.stop()
  }
  return lines
}
