import type { ClientAction } from '@quire/runtime/contract/a2ui'
import { createContext } from 'react'

/** Puts a text into the box, where a person sends it or not: a tool never speaks for anybody. */
export const ProposeContext = createContext<((text: string) => void) | undefined>(undefined)

const SEND = 'send_message'
const LONGEST = 4_000

/** What somebody did on a surface, as they would say it. */
export function toProposal({ name, context }: ClientAction): string {
  if (name === SEND && typeof context.message === 'string') return context.message.slice(0, LONGEST)
  const details = Object.keys(context).length > 0 ? `: ${JSON.stringify(context)}` : ''
  return `I chose ${name}${details}`.slice(0, LONGEST)
}
