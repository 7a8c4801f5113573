import { useState } from 'react'
import { Code, toPrettyJson } from './code.tsx'
import { LongText } from './long-text.tsx'
import { toText } from './to-text.ts'

type Table = Readonly<Record<string, unknown>>

/** Kinds that browsers show as pictures and never run. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/

/** One block of a tool's answer. */
export function ContentBlock({ block }: { readonly block: unknown }) {
  if (!isTable(block)) return <Code text={toPrettyJson(block)} label="content" className="max-h-96" />
  const { type, text, data, mimeType } = block
  if (type === 'text' && typeof text === 'string') return <LongText text={text} className={BOXED} />
  if (type === 'image' && typeof data === 'string') return <Picture data={data} mimeType={toText(mimeType)} />
  if (type === 'audio' && typeof data === 'string')
    return (
      <p className="text-sm text-quiet">
        {toBytes(data)} of sound ({toText(mimeType)})
      </p>
    )
  if (type === 'resource_link') return <ResourceLink block={block} />
  if (type === 'resource' && isTable(block.resource)) return <Resource resource={block.resource} />
  return <Code text={toPrettyJson(block)} label="content" className="max-h-96" />
}

const BOXED = 'rounded-md border bg-raised p-3'

function Picture({ data, mimeType }: { readonly data: string; readonly mimeType: string }) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken || !PICTURE.test(mimeType))
    return (
      <p className="text-sm text-quiet">
        {toBytes(data)} that this browser cannot show as a picture ({mimeType})
      </p>
    )
  return (
    <img
      src={`data:${mimeType};base64,${data}`}
      alt="From the tool"
      className="max-h-[32rem] max-w-full self-start rounded-md border bg-white object-contain"
      onError={() => setBroken(true)}
    />
  )
}

/** Only addresses of the web become links. */
function ResourceLink({ block }: { readonly block: Table }) {
  const uri = toText(block.uri)
  const name = typeof block.name === 'string' ? block.name : uri
  if (!/^https?:\/\//i.test(uri))
    return (
      <p className="break-words">
        {name} <code className="font-mono text-sm break-all text-quiet">{uri}</code>
      </p>
    )
  return (
    <a href={uri} target="_blank" rel="noopener noreferrer" className="break-all underline">
      {name}
    </a>
  )
}

function Resource({ resource }: { readonly resource: Table }) {
  const { uri, text, blob, mimeType } = resource
  return (
    <section className="flex flex-col gap-1">
      <p className="font-mono text-sm break-all text-quiet">{toText(uri)}</p>
      {typeof text === 'string' && <LongText text={text} className={BOXED} />}
      {typeof blob === 'string' && <Picture data={blob} mimeType={toText(mimeType)} />}
    </section>
  )
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toBytes(base64: string): string {
  return `${Math.floor((base64.length * 3) / 4).toLocaleString()} bytes`
}
