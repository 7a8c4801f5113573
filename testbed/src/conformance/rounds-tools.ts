import {
  acceptedContent,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
} from '@modelcontextprotocol/server'
import { clientCapabilitiesOf } from './client-capabilities.ts'
import { toText } from './samples.ts'

/** How far a conversation of several rounds has come. */
export interface RoundState {
  readonly step: number
}

type Form = Parameters<typeof inputRequired.elicit>[0]['requestedSchema']

const NAME = ask('What is your name?', 'name')
const GREETING = inputRequired.createMessage({
  messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }],
  maxTokens: 50,
})

/** Servers of one process are made anew for each request, and must know each other's seal. */
export function createRoundCodec(key: Uint8Array): RequestStateCodec<RoundState> {
  return createRequestStateCodec<RoundState>({ key })
}

/** Tools of the stateless era that need one or more rounds with the client before they answer. */
export function registerRoundsTools(server: McpServer, codec: RequestStateCodec<RoundState>): void {
  registerSingleQuestions(server)
  registerSealed(server, codec, 'request_state')
  registerSealed(server, codec, 'tampered_state')
  server.registerTool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks three things at once' },
    async ({ mcpReq }) => {
      const keys = ['user_name', 'greeting', 'client_roots']
      if (keys.every((key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing'))
        return toText('Got all that was asked for')
      return inputRequired({
        inputRequests: { user_name: NAME, greeting: GREETING, client_roots: inputRequired.listRoots() },
        requestState: await codec.mint({ step: 1 }),
      })
    },
  )
  server.registerTool(
    'test_input_required_result_multi_round',
    { description: 'Asks a second time after the first answer' },
    async ({ mcpReq }) => {
      const step = mcpReq.requestState<RoundState>()?.step ?? 0
      if (step === 2 && acceptedContent(mcpReq.inputResponses, 'step2'))
        return toText('Both steps are complete')
      const isSecond = step === 1 && acceptedContent(mcpReq.inputResponses, 'step1') !== undefined
      return inputRequired({
        inputRequests: isSecond
          ? { step2: ask('Step 2: What is your favorite color?', 'color') }
          : { step1: ask('Step 1: What is your name?', 'name') },
        requestState: await codec.mint({ step: isSecond ? 2 : 1 }),
      })
    },
  )
}

function registerSingleQuestions(server: McpServer): void {
  server.registerTool(
    'test_input_required_result_elicitation',
    { description: 'Asks the user for a name' },
    ({ mcpReq }) => {
      const content = acceptedContent(mcpReq.inputResponses, 'user_name')
      if (typeof content?.name === 'string') return toText(`Hello, ${content.name}!`)
      return inputRequired({ inputRequests: { user_name: NAME } })
    },
  )
  server.registerTool(
    'test_input_required_result_sampling',
    { description: 'Asks the model for a capital' },
    ({ mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'capital_question')
      if (answer.kind === 'sampling') return toText(JSON.stringify(answer.result.content))
      const capital_question = inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
        maxTokens: 100,
      })
      return inputRequired({ inputRequests: { capital_question } })
    },
  )
  server.registerTool(
    'test_input_required_result_list_roots',
    { description: 'Asks the client for its roots' },
    ({ mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'client_roots')
      if (answer.kind === 'roots') return toText(answer.roots.map(({ uri }) => uri).join(', '))
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    },
  )
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks only what the client can be asked' },
    (context) => {
      if (Object.keys(context.mcpReq.inputResponses ?? {}).length > 0) return toText('Thank you')
      const can = clientCapabilitiesOf(server, context)
      const inputRequests: InputRequests = {
        ...(can.has('elicitation') && { user_name: NAME }),
        ...(can.has('sampling') && { greeting: GREETING }),
        ...(can.has('roots') && { client_roots: inputRequired.listRoots() }),
      }
      if (Object.keys(inputRequests).length === 0) return toText('There is nothing this client can be asked')
      return inputRequired({ inputRequests })
    },
  )
}

/** A state that somebody has changed never comes here: the server refuses it before. */
function registerSealed(server: McpServer, codec: RequestStateCodec<RoundState>, name: string): void {
  server.registerTool(
    `test_input_required_result_${name}`,
    { description: 'Asks for a confirmation and gives a sealed state along' },
    async ({ mcpReq }) => {
      const isConfirmed = acceptedContent(mcpReq.inputResponses, 'confirm') !== undefined
      if (isConfirmed && mcpReq.requestState<RoundState>()?.step === 1) return toText('state-ok')
      const requestedSchema: Form = {
        type: 'object',
        properties: { ok: { type: 'boolean' } },
        required: ['ok'],
      }
      return inputRequired({
        inputRequests: { confirm: inputRequired.elicit({ message: 'Please confirm', requestedSchema }) },
        requestState: await codec.mint({ step: 1 }),
      })
    },
  )
}

function ask(message: string, field: string) {
  const requestedSchema: Form = {
    type: 'object',
    properties: { [field]: { type: 'string' } },
    required: [field],
  }
  return inputRequired.elicit({ message, requestedSchema })
}
