import type { JsonObject } from '../json.ts'

/** One thing to do: a tool to call, something to say, or the reason why it cannot be done. */
export type Step =
  | { readonly kind: 'call'; readonly name: string; readonly args: JsonObject }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'trouble'; readonly text: string; readonly isUnclear?: true }

export function say(text: string): Step {
  return { kind: 'say', text }
}

export function trouble(text: string): Step {
  return { kind: 'trouble', text }
}
