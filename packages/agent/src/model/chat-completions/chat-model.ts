import type { Model, ModelRequest } from '../model.ts'
import type { Prices } from '../prices.ts'
import { createChatAnswer } from './chat-answer.ts'
import type { ChatOptions } from './open-chat.ts'

export interface ChatModelOptions extends ChatOptions {
  readonly id: string
  readonly prices: Prices
}

/** A model of a server that speaks chat completions, over its wire. It asks once: who wants retries puts them round it. */
export function createChatModel({ id, prices, ...options }: ChatModelOptions): Model {
  return Object.freeze({
    id,
    ...prices,
    stream: (request: ModelRequest) => createChatAnswer(request, options),
  })
}
