import { z } from '@hono/zod-openapi'
import { flag, label, list, object, text, wholeNumber } from '@quire/kit/app/request-fields'
import { checkMember } from './team-rules.ts'

export const LONGEST_NAME = 100
export const LONGEST_TEXT = 256 * 1024
const LONGEST_URL = 2_048
const MOST_TOOLSETS = 64
const MOST_STEPS = 100

const Model = text(256).regex(/^[a-z0-9][a-z0-9-]*:\S+$/, {
  error: 'must be "provider:model", such as "openai:gpt-5" or "builtin:guide"',
})
const AgentUrl = text(LONGEST_URL).regex(/^https?:\/\/[\x21-\x7e]+$/, {
  error: 'must be the address of an agent, such as "http://127.0.0.1:8765/api/v1/agents/guide"',
})

/** Null is as good as absent, in all that may be absent. */
export const NewMember = object({
  name: label(LONGEST_NAME).openapi({ description: 'Unique in the team', example: 'Ada' }),
  model: Model.nullish().openapi({
    description: '`provider:model`. Absent: the default model, unless there is `agent_url`',
    example: 'builtin:guide',
  }),
  system_prompt: text(LONGEST_TEXT, 0).nullish().openapi({ example: 'You find sources and quote them.' }),
  mcp_toolsets: list(label(LONGEST_NAME), MOST_TOOLSETS)
    .nullish()
    .openapi({ description: 'Names of toolsets of this service', example: [] }),
  max_steps: wholeNumber(1, MOST_STEPS)
    .nullish()
    .openapi({ description: 'How often the model is asked at the most in one attempt' }),
  agent_url: AgentUrl.nullish().openapi({
    description: 'In place of a model: an agent of an agent runtime, at an address that this service allows',
  }),
})
  .superRefine(checkMember)
  .openapi('NewMember')

export const NewSupervisor = object({
  member_name: label(LONGEST_NAME).openapi({ description: 'One of the members', example: 'Ada' }),
  review_required: flag().nullish().openapi({
    description: 'Whether results go to the supervisor before a task is complete; false by default',
  }),
}).openapi('NewSupervisor')

export const Member = z
  .object({
    name: z.string(),
    model: z.string().optional(),
    system_prompt: z.string(),
    mcp_toolsets: z.array(z.string()),
    max_steps: z.int().optional(),
    agent_url: z.string().optional(),
  })
  .openapi('Member')

export const Supervisor = z
  .object({ member_name: z.string(), review_required: z.boolean() })
  .openapi('Supervisor')
