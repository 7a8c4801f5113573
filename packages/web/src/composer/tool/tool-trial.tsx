import type { Invocation, ToolDetail } from '@quire/composer/contract'
import { useMutation } from '@tanstack/react-query'
import { Play, Square } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { faultsOf } from '../../services/faults.ts'
import { request } from '../../services/request.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/state.tsx'
import { toolPath } from '../composer-queries.ts'
import { ArgumentsForm, isRawAtFirst } from './arguments-form.tsx'
import { checkArguments } from './check-arguments.ts'
import { startValue } from './schema.ts'
import { ToolResult } from './tool-result.tsx'
import { type Trial, TrialHistory, useTrialHistory } from './trial-history.tsx'

const NO_FAULTS: ReadonlyMap<string, string> = new Map()

/** The form of a tool's arguments, the call, its result, and the calls before it. */
export function ToolTrial({ tool }: { readonly tool: ToolDetail }) {
  const { input_schema: schema } = tool
  const [args, setArgs] = useState<unknown>(() => startValue(schema, schema, true) ?? {})
  const [isRaw, setRaw] = useState(() => isRawAtFirst(schema))
  /** Who writes JSON may want to see what the service says. */
  const faults = isRaw ? NO_FAULTS : checkArguments(schema, args)
  /** They are told once somebody has tried to send them. */
  const [wasTried, setTried] = useState(false)
  /** Fields keep what is typed in them: what is put in from outside draws them anew. */
  const [drawing, setDrawing] = useState(0)
  const [shown, setShown] = useState<Trial>()
  const [history, remember] = useTrialHistory(tool.name)
  const cancelling = useRef<AbortController>(undefined)
  const call = useMutation({
    mutationFn: (body: unknown) => {
      cancelling.current = new AbortController()
      const { signal } = cancelling.current
      return request<Invocation>('composer', `${toolPath(tool.name)}/invoke`, {
        method: 'POST',
        body,
        signal,
      })
    },
    onMutate: () => setShown(undefined),
    onSettled(answer, error, body) {
      if (error instanceof DOMException) return
      const trial: Trial = {
        at: Date.now(),
        args: body,
        ...(answer ? { answer } : { error: error ?? undefined }),
      }
      setShown(trial)
      remember(trial)
    },
  })

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    // They are marked at once, so that the first of them is found.
    flushSync(() => setTried(faults.size > 0))
    if (faults.size === 0) call.mutate(args)
    else event.currentTarget.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }

  function recall(trial: Trial): void {
    call.reset()
    setArgs(trial.args)
    setRaw(isRawAtFirst(schema))
    setTried(false)
    setShown(trial)
    setDrawing(drawing + 1)
  }

  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card aria-labelledby="try" className="flex min-w-0 flex-col gap-4">
        <h2 id="try" className="font-semibold">
          Try it
        </h2>
        <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
          <ArgumentsForm
            key={drawing}
            schema={schema}
            value={args}
            faults={wasTried ? faults : faultsOf(shown?.error)}
            isRaw={isRaw}
            onRaw={setRaw}
            onChange={setArgs}
          />
          <div className="flex gap-2">
            <Button type="submit" kind="primary" isBusy={call.isPending} disabled={tool.trust === 'blocked'}>
              {!call.isPending && <Play aria-hidden />} Call it
            </Button>
            {call.isPending && (
              <Button onClick={() => cancelling.current?.abort()}>
                <Square aria-hidden /> Cancel
              </Button>
            )}
          </div>
        </form>
      </Card>
      <div className="flex min-w-0 flex-col gap-6">
        <section aria-label="Result" aria-live="polite" className="flex flex-col gap-3">
          {shown === undefined && !call.isPending && !call.isError && (
            <p className="rounded-lg border border-dashed p-6 text-center text-sm text-quiet">
              The answer will stand here.
            </p>
          )}
          {shown?.answer && <ToolResult answer={shown.answer} />}
          {shown?.error !== undefined && <Failure error={shown.error} />}
          {call.error instanceof DOMException && <p className="text-quiet">The call was cancelled.</p>}
        </section>
        <TrialHistory trials={history} onRecall={recall} />
      </div>
    </div>
  )
}
