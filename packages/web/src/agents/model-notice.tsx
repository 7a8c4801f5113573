import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { pathOf } from '../services/served.ts'
import { Card } from '../ui/card.tsx'
import { keysToSet, needsOf } from './model-needs.ts'
import { configurationQuery } from './queries.ts'

const MOST_NAMED = 3

/** Before somebody asks in vain: the model has no key here, and where to put one. */
export function ModelNotice({ model }: { readonly model: string }) {
  const { data } = useQuery(configurationQuery)
  const needs = data && needsOf(model, data.models)
  if (needs === undefined) return undefined
  return (
    <div
      role="note"
      className="flex items-start gap-3 rounded-lg border border-warn/40 bg-warn/10 p-3 text-sm"
    >
      <KeyRound className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
      <p className="min-w-0 wrap-anywhere">
        {model} cannot answer yet: set <Names names={needs} /> in the environment of the server, and start it
        again. <SetUpLink />
      </p>
    </div>
  )
}

/** Beside a failure that says the same in the service's words. */
export function ModelHelp({ model }: { readonly model: string }) {
  const { data } = useQuery(configurationQuery)
  return data && needsOf(model, data.models) && <SetUpLink />
}

/** For somebody who has only agents that follow rules. */
export function FirstModel() {
  const { data } = useQuery(configurationQuery)
  const keys = data ? keysToSet(data.models) : []
  if (keys.length === 0) return undefined
  return (
    <Card aria-label="Use a language model" className="flex items-start gap-3 border-dashed bg-transparent">
      <KeyRound className="mt-0.5 size-5 shrink-0 text-quiet" aria-hidden />
      <div className="min-w-0 text-sm">
        <h2 className="text-base font-medium">Use a language model</h2>
        <p className="text-quiet">
          So far every agent follows built-in rules, without a key. For more, set{' '}
          <Names names={keys.slice(0, MOST_NAMED)} /> or another key in the environment of the server and
          start it again, or run one of your own, such as Ollama. Then make an agent that uses it.{' '}
          <SetUpLink />
        </p>
      </div>
    </Card>
  )
}

function Names({ names }: { readonly names: readonly string[] }) {
  return names.map((name, index) => (
    <span key={name}>
      {index > 0 && ', '}
      <code className="font-mono text-[0.875em] text-ink">{name}</code>
    </span>
  ))
}

/** The description of the service, which lists the providers and their variables. */
export function SetUpLink() {
  return (
    <a
      href={pathOf('runtime', '/redoc#section/Models')}
      target="_blank"
      rel="noopener"
      className="whitespace-nowrap text-accent underline underline-offset-2"
    >
      How models are set up
    </a>
  )
}
