import type { ServerDetail } from '@quire/composer/contract'
import { Card } from '../ui/card.tsx'
import { Code } from '../ui/code.tsx'
import { toMoment } from '../ui/time.ts'
import { toSentence } from './to-sentence.ts'

export interface ServerFailureProps {
  readonly failure: NonNullable<ServerDetail['failure']>
  /** It is why the server is down; otherwise it is over. */
  readonly isCurrent: boolean
}

export function ServerFailure({ failure, isCurrent }: ServerFailureProps) {
  const { reason, exit_code, signal, stderr, at } = failure
  return (
    <Card aria-labelledby="failure" className="flex flex-col gap-3">
      <h2 id="failure" className="font-semibold">
        {isCurrent ? 'Why it is down' : 'Why it failed last'}
      </h2>
      <p className={isCurrent ? 'break-words text-bad' : 'break-words'}>{toSentence(reason)}</p>
      <p className="text-sm text-quiet">
        <time dateTime={at}>{toMoment(at)}</time>
        {exit_code !== null && !reason.includes(`exit code ${exit_code}`) && ` · exit code ${exit_code}`}
        {signal !== null && !reason.includes(signal) && ` · ${signal}`}
      </p>
      {stderr.length > 0 && (
        <Code text={stderr.join('\n')} label="last lines of its standard error" className="max-h-56" />
      )}
    </Card>
  )
}
