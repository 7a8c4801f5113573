import type { JsonObject } from '../json.ts'
import type { IntentName, Slot } from './intents.ts'

export type Values = Readonly<Partial<Record<Slot, string | number | readonly number[]>>>

/** What somebody wants, as far as the words say it: no tool has been looked for yet. */
export type Wish =
  | { readonly kind: 'do'; readonly intent: IntentName; readonly values: Values }
  | {
      readonly kind: 'call'
      readonly name: string
      readonly args: JsonObject | undefined
      readonly fault?: string
    }
  | { readonly kind: 'describe_tool'; readonly name: string }
  | { readonly kind: 'list_tools' }
  | { readonly kind: 'help' }

export interface Block {
  readonly code: string
}
