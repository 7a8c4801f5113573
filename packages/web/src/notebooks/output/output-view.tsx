import type { ReactNode } from 'react'
import { Code, toPrettyJson } from '../../ui/code.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { mathAsCode } from '../math-as-code.ts'
import { Formula } from './formula.tsx'
import { HtmlOutput, ScriptOutput, SvgOutput } from './html-output.tsx'
import { chooseKind, type MediaKind, type Output, toText } from './read-output.ts'
import { TerminalText } from './terminal-text.tsx'

export function OutputView({ output }: { readonly output: Output }) {
  if (output.kind === 'stream')
    return <TerminalText text={output.text} className={output.isError ? 'text-warn' : ''} />
  if (output.kind === 'error') return <Failed {...output} />
  const kind = chooseKind(output.data)
  if (kind === undefined)
    return <p className="text-sm text-quiet">An output of a kind that this page cannot show.</p>
  return toElement(kind, output.data)
}

function toElement(kind: MediaKind, data: Readonly<Record<string, unknown>>): ReactNode {
  const text = toText(data[kind])
  switch (kind) {
    case 'text/html':
      return <HtmlOutput html={text} />
    case 'application/javascript':
      return <ScriptOutput script={text} />
    case 'image/svg+xml':
      return <SvgOutput svg={text} title={toAlternative(data)} />
    case 'image/png':
    case 'image/jpeg':
    case 'image/gif':
    case 'image/webp':
      return <Picture address={`data:${kind};base64,${text.replaceAll(/\s/g, '')}`} data={data} />
    case 'text/markdown':
      return <Markdown text={mathAsCode(text)} />
    case 'text/latex':
      return <Formula tex={text} />
    case 'application/json':
      return <Code text={toPrettyJson(data[kind])} label="JSON" className="max-h-96" />
    default:
      return <TerminalText text={text} />
  }
}

interface PictureProps {
  readonly address: string
  readonly data: Readonly<Record<string, unknown>>
}

function Picture({ address, data }: PictureProps) {
  return (
    <img
      src={address}
      alt={toAlternative(data)}
      // Plots are drawn for white paper.
      className="max-w-full self-start rounded-md bg-white dark:p-2"
    />
  )
}

function toAlternative(data: PictureProps['data']): string {
  return toText(data['text/plain']).slice(0, 200) || 'Picture that the cell made'
}

function Failed({
  name,
  value,
  traceback,
}: {
  readonly name: string
  readonly value: string
  readonly traceback: string
}) {
  return (
    <div className="min-w-0 border-l-2 border-bad pl-3">
      <TerminalText text={traceback === '' ? `${name}: ${value}` : traceback} />
    </div>
  )
}
