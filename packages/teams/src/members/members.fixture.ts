import type { Tool } from '@quire/agent/tool'
import { createMembers } from './create-members.ts'
import {
  createScriptedModels,
  type ScriptedAnswers,
  type ScriptedModelsOptions,
} from './scripted-model.fixture.ts'

/** Members whose model says what is written, with tools that are there at once. */
export function openMembers(
  script: ScriptedAnswers,
  tools: readonly Tool[] = [],
  options: ScriptedModelsOptions = {},
) {
  const models = createScriptedModels({ 'test:writer': script }, options)
  return { models, members: createMembers({ models, tools: { toolsOf: async () => tools } }) }
}

export function toolNamed(name: string, execute: Tool['execute']): Tool {
  return { name, description: name, inputSchema: { type: 'object' }, execute }
}

export async function answered() {
  return { content: [{ type: 'text', text: 'seen' } as const] }
}

/** A model that wants the tool `look`. */
export const CALLS = { calls: [{ id: 'c1', name: 'look', args: { at: 'bees' } }] }
