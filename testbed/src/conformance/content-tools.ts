import { setTimeout as wait } from 'node:timers/promises'
import type { McpServer } from '@modelcontextprotocol/server'
import { PNG, toText, WAV } from './samples.ts'

/** The suite wants messages to be apart from each other. */
const PAUSE_MS = 50

/** Tools that answer at once, or tell something on the way. */
export function registerContentTools(server: McpServer): void {
  server.registerTool('test_simple_text', { description: 'Answers with a text' }, () =>
    toText('This is a simple text response for testing.'),
  )
  server.registerTool('test_image_content', { description: 'Answers with an image' }, () => ({
    content: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
  }))
  server.registerTool('test_audio_content', { description: 'Answers with a sound' }, () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }))
  server.registerTool('test_embedded_resource', { description: 'Answers with a resource' }, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }))
  server.registerTool('test_multiple_content_types', { description: 'Answers with one of each' }, () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }))
  server.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  registerTellingTools(server)
}

function registerTellingTools(server: McpServer): void {
  server.registerTool(
    'test_tool_with_logging',
    { description: 'Logs three times on the way' },
    async ({ mcpReq }) => {
      await mcpReq.log('info', 'Tool execution started')
      await wait(PAUSE_MS)
      await mcpReq.log('info', 'Tool processing data')
      await wait(PAUSE_MS)
      await mcpReq.log('info', 'Tool execution completed')
      return toText('Tool with logging executed successfully')
    },
  )
  server.registerTool('test_logging_tool', { description: 'Logs once' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'This tool logs')
    return toText('Logged, for whoever asked to hear of it')
  })
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports progress three times' },
    async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progress > 0) await wait(PAUSE_MS)
        if (progressToken === undefined) continue
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
      }
      return toText('Tool with progress executed successfully')
    },
  )
  server.registerTool(
    'test_reconnection',
    { description: 'Closes the stream of its own answer on the way' },
    async ({ http }) => {
      await wait(PAUSE_MS)
      http?.closeSSE?.()
      await wait(PAUSE_MS)
      return toText('Reconnection test completed successfully')
    },
  )
}
