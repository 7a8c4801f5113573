import type { ConfigFault, ConfigVerdict } from '@quire/composer/contract'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'

export interface FaultsProps {
  readonly verdict: ConfigVerdict
  readonly onShow: (line: number) => void
}

export function Faults({ verdict, onShow }: FaultsProps) {
  const { warnings } = verdict
  const errors = [...verdict.errors, ...(verdict.refused ?? [])]
  if (errors.length + warnings.length === 0)
    return (
      <p className="flex items-center gap-2 text-sm text-good">
        <CircleCheck className="size-4" aria-hidden /> It is in order.
      </p>
    )
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {errors.map((fault, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two faults may be alike
        <FaultLine key={index} fault={fault} isError onShow={onShow} />
      ))}
      {warnings.map((fault, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <FaultLine key={index} fault={fault} isError={false} onShow={onShow} />
      ))}
    </ul>
  )
}

interface FaultLineProps {
  readonly fault: ConfigFault
  readonly isError: boolean
  readonly onShow: (line: number) => void
}

function FaultLine({ fault, isError, onShow }: FaultLineProps) {
  const { line, column, path, message } = fault
  const Icon = isError ? CircleAlert : TriangleAlert
  return (
    <li className="flex items-start gap-2">
      <Icon
        className={isError ? 'mt-0.5 size-4 shrink-0 text-bad' : 'mt-0.5 size-4 shrink-0 text-warn'}
        aria-label={isError ? 'Error' : 'Warning'}
      />
      <span className="min-w-0 break-words">
        {line !== undefined && (
          <button type="button" className="underline tabular-nums" onClick={() => onShow(line)}>
            Line {line}
            {path === '' && column !== undefined && `, column ${column}`}
          </button>
        )}{' '}
        {path !== '' && <code className="font-mono break-all">{path}</code>} {message}
      </span>
    </li>
  )
}
