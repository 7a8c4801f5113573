import type { Server } from '@quire/composer/contract'
import { Badge, type Tone } from '../ui/badge.tsx'
import { toCount } from '../ui/count.ts'
import { toDuration } from '../ui/duration.ts'
import { toSentence } from './to-sentence.ts'

const TONES: Readonly<Record<Server['state'], Tone>> = {
  starting: 'busy',
  running: 'good',
  stopping: 'warn',
  stopped: 'quiet',
  crashed: 'bad',
}

export function ServerStateBadge({ state }: Pick<Server, 'state'>) {
  return <Badge tone={TONES[state]}>{toSentence(state)}</Badge>
}

/** It stands in no file, so that nobody can take it out of one. */
export function BuiltInBadge() {
  return <Badge>part of Quire</Badge>
}

/** The command or the address; whoever may not see it sees the way it is spoken to. */
export function toWhatRuns({ built_in, transport, command, args = [], url, module }: Server): string {
  if (built_in) return 'It runs within Quire, and stands in no file.'
  if (transport === 'stdio' && command !== undefined) return [command, ...args].join(' ')
  return url ?? module ?? transport
}

/** Without the folders of the program, which are long and much alike. */
export function toShortCommand(server: Server): string {
  const program = server.command?.split('/').at(-1)
  return toWhatRuns(program === undefined ? server : { ...server, command: program })
}

/** Empty where it offers nothing. */
export function toOffers({ tools_count, prompts_count, resources_count }: Server): string {
  const offers = [
    { count: tools_count, noun: 'tool' },
    { count: prompts_count, noun: 'prompt' },
    { count: resources_count, noun: 'resource' },
  ].filter(({ count }) => count > 0)
  return offers.map(({ count, noun }) => toCount(count, noun)).join(' · ')
}

export function toHistory({ uptime_seconds, restart_count, retry_in_seconds }: Server): string {
  return [
    ...(uptime_seconds === null ? [] : [`up ${toDuration(uptime_seconds)}`]),
    ...(restart_count === 0
      ? []
      : [`started again ${restart_count === 1 ? 'once' : `${restart_count} times`}`]),
    ...(retry_in_seconds === null ? [] : [`next try in ${Math.ceil(retry_in_seconds)} s`]),
  ].join(' · ')
}
