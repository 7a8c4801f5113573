import {
  acceptedContent,
  fromJsonSchema,
  type GetPromptResult,
  inputRequired,
  type McpServer,
} from '@modelcontextprotocol/server'
import { PNG } from './samples.ts'

type Content = GetPromptResult['messages'][number]['content']

export function registerPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments' }, () =>
    toMessages({ type: 'text', text: 'This is a simple prompt for testing.' }),
  )
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with two arguments',
      argsSchema: fromJsonSchema<{ arg1: string; arg2: string }>({
        type: 'object',
        properties: {
          arg1: { type: 'string', description: 'First test argument' },
          arg2: { type: 'string', description: 'Second test argument' },
        },
        required: ['arg1', 'arg2'],
      }),
    },
    ({ arg1, arg2 }) =>
      toMessages({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'A prompt that holds a resource',
      argsSchema: fromJsonSchema<{ resourceUri: string }>({
        type: 'object',
        properties: { resourceUri: { type: 'string', description: 'URI of the resource to embed' } },
        required: ['resourceUri'],
      }),
    },
    ({ resourceUri }) => {
      const text = 'Embedded resource content for testing.'
      return toMessages(
        { type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text } },
        { type: 'text', text: 'Please process the embedded resource above.' },
      )
    },
  )
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt that holds an image' }, () =>
    toMessages(
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'text', text: 'Please analyze the image above.' },
    ),
  )
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks the user first' },
    ({ mcpReq }) => {
      const content = acceptedContent(mcpReq.inputResponses, 'user_context')
      if (content !== undefined)
        return toMessages({ type: 'text', text: `Use this context: ${String(content.context)}` })
      const user_context = inputRequired.elicit({
        message: 'What context should the prompt use?',
        requestedSchema: {
          type: 'object',
          properties: { context: { type: 'string' } },
          required: ['context'],
        },
      })
      return inputRequired({ inputRequests: { user_context } })
    },
  )
}

function toMessages(...contents: readonly Content[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) }
}
