import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Asked } from '../ui/asked.tsx'
import { Field, Select, TextInput } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty } from '../ui/state.tsx'
import { useAddressValues } from '../ui/use-address-values.ts'
import { useServers, useTools } from './composer-queries.ts'
import { ToolRow } from './tool-row.tsx'

const PER_PAGE = 20
const TYPING_MS = 250

export function ToolsPage() {
  const [read, write] = useAddressValues()
  const [search, server] = [read('search'), read('server')]
  const offset = (Math.max(1, Math.trunc(Number(read('page'))) || 1) - 1) * PER_PAGE
  const query = useTools({ search, server, offset, limit: PER_PAGE })
  return (
    <Page title="Tools" note="What all running servers offer, to look at and to try.">
      <search className="flex flex-col gap-3 sm:flex-row">
        <div className="flex-1">
          <SearchField value={search} onChange={(next) => write({ search: next, page: '' })} />
        </div>
        <div className="sm:w-56">
          <ServerField value={server} onChange={(next) => write({ server: next, page: '' })} />
        </div>
      </search>
      <Asked query={query} what="the tools">
        {({ tools, total, offset: first, limit }) =>
          total === 0 ? (
            <NoTools isNarrowed={search !== '' || server !== ''} />
          ) : (
            <>
              <ul className="divide-y rounded-lg border bg-surface">
                {tools.map((tool) => (
                  <ToolRow key={tool.name} tool={tool} isServerShown />
                ))}
              </ul>
              <Pager
                total={total}
                offset={first}
                limit={limit}
                what="tools"
                onMove={(next) => write({ page: next === 0 ? '' : String(next / PER_PAGE + 1) })}
              />
            </>
          )
        }
      </Asked>
    </Page>
  )
}

interface ChoiceProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The address follows when the typing pauses. */
function SearchField({ value, onChange }: ChoiceProps) {
  const [typed, setTyped] = useState(value)
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return (
    <Field label="Search">
      {(ids) => (
        <TextInput
          {...ids}
          type="search"
          placeholder="In names and descriptions"
          maxLength={256}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </Field>
  )
}

function ServerField({ value, onChange }: ChoiceProps) {
  const servers = useServers().data?.servers.map(({ id }) => id) ?? []
  const choices = value === '' || servers.includes(value) ? servers : [...servers, value]
  return (
    <Field label="Server">
      {(ids) => (
        <Select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">All servers</option>
          {choices.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </Select>
      )}
    </Field>
  )
}

function NoTools({ isNarrowed }: { readonly isNarrowed: boolean }) {
  if (isNarrowed) return <Empty title="No tool is like this.">Search for less, or in all servers.</Empty>
  return (
    <Empty title="No tool is offered yet.">
      Tools come from running servers:{' '}
      <Link to="/servers" className="underline">
        see how yours are
      </Link>
      .
    </Empty>
  )
}
