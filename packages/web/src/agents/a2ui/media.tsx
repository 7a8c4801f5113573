import { ImageIcon, type LucideIcon, Music, Video } from 'lucide-react'
import { useState } from 'react'
import { joinClasses } from '../../ui/join-classes.ts'
import { entryOf, type PartProps, textIn } from './part.ts'

/** Kinds that browsers show as pictures and never run. */
const OWN_PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[\w+/=]+$/i
const WEB = /^https?:\/\//i
const SIZES: Readonly<Record<string, string>> = {
  icon: 'size-6',
  avatar: 'size-10 rounded-full',
  smallFeature: 'max-h-24',
  mediumFeature: 'max-h-48',
  largeFeature: 'max-h-96',
  header: 'max-h-48 w-full',
}
const FITS: Readonly<Record<string, string>> = {
  contain: 'object-contain',
  cover: 'object-cover',
  fill: 'object-fill',
  none: 'object-none',
  scaleDown: 'object-scale-down',
}

/** A picture that came along is shown. */
export function Picture({ part }: PartProps) {
  const [isBroken, setBroken] = useState(false)
  const url = textIn(part, 'url')
  const name = textIn(part, 'description')
  const { variant, fit } = part.component
  if (isBroken || !OWN_PICTURE.test(url))
    return <Elsewhere Icon={ImageIcon} what="Picture" url={url} name={name} />
  return (
    <img
      src={url}
      alt={name}
      className={joinClasses(
        'max-h-96 max-w-full',
        entryOf(SIZES, variant),
        entryOf(FITS, fit) ?? 'object-contain',
      )}
      onError={() => setBroken(true)}
    />
  )
}

export function Film({ part }: PartProps) {
  return <Elsewhere Icon={Video} what="Video" url={textIn(part, 'url')} name="" />
}

export function Sound({ part }: PartProps) {
  return <Elsewhere Icon={Music} what="Sound" url={textIn(part, 'url')} name={textIn(part, 'description')} />
}

interface ElsewhereProps {
  readonly Icon: LucideIcon
  readonly what: string
  readonly url: string
  readonly name: string
}

/** What it is loaded from would learn who looks at it: a person may go there. */
function Elsewhere({ Icon, what, url, name }: ElsewhereProps) {
  const shown = name === '' ? what : name
  const host = hostOf(url)
  return (
    <span className="inline-flex max-w-full items-center gap-2 rounded-md border border-dashed px-3 py-2 text-sm">
      <Icon className="size-4 shrink-0 text-quiet" aria-hidden />
      {host === undefined ? (
        <span className="min-w-0 wrap-anywhere text-quiet">{shown} (cannot be shown here)</span>
      ) : (
        <span className="min-w-0 wrap-anywhere">
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            className="text-accent underline underline-offset-2"
          >
            {shown}
          </a>{' '}
          <span className="text-quiet">at {host}</span>
        </span>
      )}
    </span>
  )
}

function hostOf(url: string): string | undefined {
  return WEB.test(url) && URL.canParse(url) ? new URL(url).host : undefined
}
