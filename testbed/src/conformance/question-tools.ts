import {
  fromJsonSchema,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { toText } from './samples.ts'

type Form = Parameters<typeof inputRequired.elicit>[0]['requestedSchema']

const PERSON: Form = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
}

const DEFAULTS: Form = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
}

const OPTIONS = ['option1', 'option2', 'option3']

const ENUMS: Form = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: {
      type: 'string',
      oneOf: ['First', 'Second', 'Third'].map((name, index) => ({
        const: `value${index + 1}`,
        title: `${name} Option`,
      })),
    },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
    titledMulti: {
      type: 'array',
      items: {
        anyOf: ['First', 'Second', 'Third'].map((name, index) => ({
          const: `value${index + 1}`,
          title: `${name} Choice`,
        })),
      },
    },
  },
}

/** Tools that put one question to the client, in either era. */
export function registerQuestionTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    {
      description: 'Asks the model of the client',
      inputSchema: fromJsonSchema<{ prompt: string }>({
        type: 'object',
        properties: { prompt: { type: 'string', description: 'The prompt to send to the LLM' } },
        required: ['prompt'],
      }),
    },
    ({ prompt }, { mcpReq }) => sample(mcpReq, prompt),
  )
  server.registerTool(
    'test_elicitation',
    {
      description: 'Asks the user of the client',
      inputSchema: fromJsonSchema<{ message: string }>({
        type: 'object',
        properties: { message: { type: 'string', description: 'The message to show the user' } },
        required: ['message'],
      }),
    },
    ({ message }, context) => elicit(context, message, PERSON, 'User response: '),
  )
  server.registerTool(
    'test_elicitation_sep1034_defaults',
    { description: 'Asks with a default for each kind of field' },
    (context) => elicit(context, 'Please review the defaults', DEFAULTS, 'Elicitation completed: '),
  )
  server.registerTool(
    'test_elicitation_sep1330_enums',
    { description: 'Asks with each kind of choice' },
    (context) => elicit(context, 'Please choose', ENUMS, 'Elicitation completed: '),
  )
  server.registerTool(
    'test_streaming_elicitation',
    { description: 'Asks the user while its answer could stream' },
    (context) => elicit(context, 'Please tell who you are', PERSON, 'User response: '),
  )
  server.registerTool(
    'test_missing_capability',
    { description: 'Needs a client whose model can be asked, and is refused without' },
    ({ mcpReq }) => sample(mcpReq, 'Are you there?'),
  )
}

function sample({ inputResponses }: ServerContext['mcpReq'], text: string) {
  const answer = inputResponse(inputResponses, 'reply')
  if (answer.kind === 'sampling') return toText(`LLM response: ${JSON.stringify(answer.result.content)}`)
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text } }]
  return inputRequired({
    inputRequests: { reply: inputRequired.createMessage({ messages, maxTokens: 100 }) },
  })
}

function elicit({ mcpReq }: ServerContext, message: string, requestedSchema: Form, before: string) {
  const answer = inputResponse(mcpReq.inputResponses, 'form')
  if (answer.kind === 'elicit')
    return toText(`${before}action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`)
  return inputRequired({ inputRequests: { form: inputRequired.elicit({ message, requestedSchema }) } })
}
