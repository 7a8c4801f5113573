import { useQuery } from '@tanstack/react-query'
import { toolsetsQuery } from './queries.ts'
import { ALL_TOOLSETS } from './toolset-badges.tsx'

export interface ToolsetsFieldProps {
  readonly value: readonly string[]
  readonly error: string | undefined
  readonly onChange: (toolsets: readonly string[]) => void
}

export function ToolsetsField({ value, error, onChange }: ToolsetsFieldProps) {
  const { data } = useQuery(toolsetsQuery)
  const isAll = value.includes(ALL_TOOLSETS)
  const names = [...new Set([...Object.keys(data?.servers ?? {}), ...value])].filter(
    (name) => name !== ALL_TOOLSETS,
  )
  function turn(name: string, isOn: boolean): void {
    onChange(isOn ? [...value, name] : value.filter((one) => one !== name))
  }
  return (
    <fieldset className="flex flex-col gap-1.5 text-sm">
      <legend className="pb-1 font-medium">Toolsets</legend>
      <Choice
        label="All of them, also later ones"
        isOn={isAll}
        onTurn={(isOn) => onChange(isOn ? [ALL_TOOLSETS] : [])}
      />
      {names.map((name) => (
        <Choice
          key={name}
          label={name}
          note={noteOf(data?.servers[name])}
          isOn={isAll || value.includes(name)}
          isDisabled={isAll}
          onTurn={(isOn) => turn(name, isOn)}
        />
      ))}
      {error !== undefined && <p className="text-bad">{error}</p>}
    </fieldset>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly note?: string | undefined
  readonly isOn: boolean
  readonly isDisabled?: boolean
  readonly onTurn: (isOn: boolean) => void
}

function Choice({ label, note, isOn, isDisabled = false, onTurn }: ChoiceProps) {
  return (
    <label className="flex items-start gap-2">
      <input
        type="checkbox"
        className="mt-1 accent-accent"
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onTurn(event.target.checked)}
      />
      <span className="min-w-0 break-words">
        {label}
        {note !== undefined && <span className="text-quiet"> · {note}</span>}
      </span>
    </label>
  )
}

function noteOf(server: { ready: boolean; tools: string[]; error: string | null } | undefined): string {
  if (server === undefined) return 'is not there now'
  return server.ready ? `${server.tools.length} tools` : (server.error ?? 'is starting')
}
