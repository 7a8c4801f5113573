import type { RequestListener } from 'node:http'
import type { Model } from '../model.ts'
import { GUIDE, serve } from '../models.fixture.ts'
import { createModels } from '../models.ts'

export const ID = 'openai-compatible:m'
export const LAST = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
export const DONE = 'data: [DONE]\n\n'

export function say(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
}

/** A model of a server of the test's own. */
export async function openServed(answer: RequestListener): Promise<Model> {
  const environment = { OPENAI_COMPATIBLE_BASE_URL: await serve(answer) }
  return createModels({ environment, guide: GUIDE, retries: 0 }).open(ID)
}
