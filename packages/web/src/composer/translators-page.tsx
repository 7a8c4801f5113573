import type { Translator, TranslatorList } from '@quire/composer/contract/translator'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { request } from '../services/request.ts'
import { announce } from '../ui/announce.ts'
import { Asked } from '../ui/asked.tsx'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Code } from '../ui/code.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failure } from '../ui/state.tsx'
import { toMoment } from '../ui/time.ts'
import { AddTranslatorDialog } from './add-translator-dialog.tsx'
import { COMPOSER_KEY } from './composer-queries.ts'
import { toSentence } from './to-sentence.ts'
import { TRANSLATOR_KINDS } from './translator-kinds.ts'

const REFRESH_MS = 5_000

export function TranslatorsPage() {
  const [isAdding, setAdding] = useState(false)
  const query = useQuery({
    queryKey: [COMPOSER_KEY, 'translators'],
    queryFn: ({ signal }) => request<TranslatorList>('composer', '/api/v1/translators', { signal }),
    refetchInterval: REFRESH_MS,
  })
  const add = (
    <Button onClick={() => setAdding(true)}>
      <Plus aria-hidden /> Add a translator
    </Button>
  )
  return (
    <Page
      title="Translators"
      note="One server each, by another transport. They live until the composer ends."
      actions={add}
    >
      <Asked query={query} what="the translators">
        {({ translators }) =>
          translators.length === 0 ? (
            <Empty title="There is no translator.">
              Add one to give a program an address, to bring an older server to new clients, or to give a
              client that only starts programs the way to an address.
            </Empty>
          ) : (
            <ul className="flex flex-col gap-4">
              {translators.map((translator) => (
                <li key={translator.id}>
                  <TranslatorCard translator={translator} />
                </li>
              ))}
            </ul>
          )
        }
      </Asked>
      {isAdding && <AddTranslatorDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

const TONES: Readonly<Record<string, Tone>> = {
  running: 'good',
  ready: 'good',
  starting: 'busy',
  crashed: 'bad',
}

function TranslatorCard({ translator }: { readonly translator: Translator }) {
  const { name, type, status, created_at } = translator
  return (
    <Card className="flex flex-col gap-3" aria-label={name}>
      <header className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex min-w-0 flex-wrap items-center gap-3">
          <h2 className="font-semibold break-all">{name}</h2>
          <Badge tone={TONES[status] ?? 'quiet'}>{toSentence(status)}</Badge>
        </div>
        <DeleteTranslator translator={translator} />
      </header>
      <p className="text-sm text-quiet">
        {TRANSLATOR_KINDS[type].label} · since <time dateTime={created_at}>{toMoment(created_at)}</time>
      </p>
      <Addresses translator={translator} />
    </Card>
  )
}

function Addresses({ translator: { type, endpoint, command, url } }: { readonly translator: Translator }) {
  if (type === 'http-to-stdio')
    return (
      <Labelled label="The command for the client">
        <Code text={command ?? ''} label="command for the client" />
      </Labelled>
    )
  const address = endpoint === undefined ? '' : new URL(endpoint, location.origin).href
  return (
    <>
      <p className="font-mono text-sm break-all text-quiet">{command ?? url}</p>
      <Labelled label="Streamable HTTP">
        <Code text={address} label="address" />
      </Labelled>
      <Labelled label="For older clients (SSE)">
        <Code text={address.replace(/\/mcp$/, '/sse')} label="address for older clients" />
      </Labelled>
    </>
  )
}

function Labelled({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="text-sm font-medium">{label}</p>
      {children}
    </div>
  )
}

function DeleteTranslator({ translator: { id, name } }: { readonly translator: Translator }) {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () =>
      request<undefined>('composer', `/api/v1/translators/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    onSuccess: () => announce(`${name} was deleted.`),
    onSettled: () => {
      setAsking(false)
      return queries.invalidateQueries({ queryKey: [COMPOSER_KEY] })
    },
  })
  return (
    <>
      <Button size="small" kind="danger" aria-label={`Delete ${name}`} onClick={() => setAsking(true)}>
        <Trash2 aria-hidden /> Delete
      </Button>
      {remove.isError && <Failure error={remove.error} />}
      {isAsking && (
        <Confirm
          title={`Delete ${name}?`}
          description="What it runs is ended, and clients at its address are cut off."
          action="Delete"
          isBusy={remove.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutate()}
        />
      )}
    </>
  )
}
