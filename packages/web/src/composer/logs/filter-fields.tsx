import { Search } from 'lucide-react'
import { Select, TextInput } from '../../ui/field.tsx'
import { LEVELS, type LogFilter } from './log-filter.ts'

export interface LogFilterFieldsProps {
  readonly filter: LogFilter
  readonly servers: readonly string[]
  readonly onChange: (changes: Partial<LogFilter>) => void
}

export function LogFilterFields({ filter, servers, onChange }: LogFilterFieldsProps) {
  const names =
    filter.server === '' || servers.includes(filter.server) ? servers : [...servers, filter.server]
  return (
    <search className="grid gap-2 sm:grid-cols-[1fr_auto_auto]">
      <div className="relative">
        <Search className="absolute top-2.5 left-3 size-4 text-quiet" aria-hidden />
        <TextInput
          type="search"
          aria-label="Text in the line"
          placeholder="Text in the line"
          className="pl-9"
          value={filter.text}
          onChange={(event) => onChange({ text: event.target.value })}
        />
      </div>
      <Select
        aria-label="Level"
        className="sm:w-48"
        value={filter.level}
        onChange={({ target }) => onChange({ level: LEVELS.find((level) => level === target.value) ?? '' })}
      >
        <option value="">Every level</option>
        {LEVELS.slice(1).map((level) => (
          <option key={level} value={level}>
            {level.charAt(0) + level.slice(1).toLowerCase()}
            {level === 'CRITICAL' ? '' : ' and above'}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Server"
        className="sm:w-48"
        value={filter.server}
        onChange={(event) => onChange({ server: event.target.value })}
      >
        <option value="">Every server</option>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
    </search>
  )
}
