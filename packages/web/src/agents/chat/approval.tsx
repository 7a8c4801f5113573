import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Code, toPrettyJson } from '../../ui/code.tsx'
import { Field, TextArea, TextInput } from '../../ui/field.tsx'
import type { CallPart } from './chat-item.ts'
import type { Decision } from './create-chat.ts'
import { parseArguments } from './parse-arguments.ts'

export interface ApprovalProps {
  readonly call: CallPart
  readonly onDecide: (callId: string, decision: Decision) => Promise<void>
}

type Mode = 'asking' | 'editing' | 'refusing'

/** A person decides: as it is, with other arguments, or not at all. */
export function Approval({ call, onDecide }: ApprovalProps) {
  const [mode, setMode] = useState<Mode>('asking')
  const [isBusy, setBusy] = useState(false)
  const [text, setText] = useState(() => toPrettyJson(call.args))
  const [reason, setReason] = useState('')
  const parsed = parseArguments(text)

  async function decide(decision: Decision): Promise<void> {
    setBusy(true)
    await onDecide(call.id, decision)
    setBusy(false)
  }

  return (
    <section
      aria-label={`Decide on ${call.name}`}
      className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn/10 p-3"
    >
      <p className="text-sm break-words">
        May it call <code className="font-mono">{call.name}</code>
        {mode === 'asking' && ' with this?'}
        {mode === 'editing' && ' with what you write?'}
        {mode === 'refusing' && '? You are about to refuse.'}
      </p>
      {mode === 'asking' && <Code text={toPrettyJson(call.args)} label="arguments" className="max-h-64" />}
      {mode === 'editing' && (
        <Field label="Arguments" error={parsed.error}>
          {(ids) => (
            <TextArea
              {...ids}
              rows={Math.min(text.split('\n').length + 1, 14)}
              spellCheck={false}
              className="font-mono"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      )}
      {mode === 'refusing' && (
        <Field label="Reason" hint="The model is told. It may be left empty.">
          {(ids) => <TextInput {...ids} value={reason} onChange={(event) => setReason(event.target.value)} />}
        </Field>
      )}
      <div className="flex flex-wrap gap-2">
        {mode === 'asking' && (
          <>
            <Button
              kind="primary"
              size="small"
              isBusy={isBusy}
              onClick={() => void decide({ approved: true })}
            >
              Approve
            </Button>
            <Button size="small" onClick={() => setMode('refusing')}>
              Refuse …
            </Button>
            <Button size="small" onClick={() => setMode('editing')}>
              Edit arguments
            </Button>
          </>
        )}
        {mode === 'editing' && (
          <Button
            kind="primary"
            size="small"
            isBusy={isBusy}
            disabled={parsed.args === undefined}
            onClick={() => parsed.args && void decide({ approved: true, args: parsed.args })}
          >
            Approve with these
          </Button>
        )}
        {mode === 'refusing' && (
          <Button
            kind="danger"
            size="small"
            isBusy={isBusy}
            onClick={() =>
              void decide(reason.trim() === '' ? { approved: false } : { approved: false, reason })
            }
          >
            Refuse
          </Button>
        )}
        {mode !== 'asking' && (
          <Button size="small" onClick={() => setMode('asking')}>
            Back
          </Button>
        )}
      </div>
    </section>
  )
}
