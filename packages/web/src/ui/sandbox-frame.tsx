import { type RefObject, useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react'
import { isDark } from '../app/theme.ts'
import { joinClasses } from './join-classes.ts'

export interface SandboxFrameProps {
  /** Whatever it does, it does to itself. */
  readonly html: string
  readonly title: string
  readonly mostPixels?: number
  /** `page`: on the page's own ground, light or dark as that is. `paper`: on white, whatever the page is. */
  readonly look?: 'page' | 'paper'
  /** Of what is inside, beside the frame's own. */
  readonly onMessage?: (data: unknown, reply: (data: unknown) => void) => void
}

const MOST_PIXELS = 800
const LEAST_PIXELS = 24
/** No content has more to say; one that goes on would take the page's time. */
const MOST_MESSAGES_A_SECOND = 500

/** HTML that is not ours, in a frame with a policy of its own and without an origin. */
export function SandboxFrame({
  html,
  title,
  mostPixels = MOST_PIXELS,
  look = 'paper',
  onMessage,
}: SandboxFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const pageScheme = useScheme()
  const [isStopped, setStopped] = useState(false)
  const height = useFrame(frame, {
    html,
    scheme: look === 'page' ? pageScheme : 'light',
    onMessage,
    onFlood: () => setStopped(true),
  })
  if (isStopped) return <p className="text-sm text-quiet">{title} was stopped: it kept this page busy.</p>
  return (
    <iframe
      ref={frame}
      title={title}
      src="frame"
      sandbox="allow-scripts"
      // A frame of another scheme than its element's is not transparent.
      className={joinClasses(
        'w-full rounded-md border-0',
        look === 'paper' ? 'scheme-light bg-white' : 'bg-transparent',
      )}
      style={{ height: Math.min(Math.max(height, LEAST_PIXELS), mostPixels) }}
    />
  )
}

interface Shown {
  readonly html: string
  readonly scheme: 'light' | 'dark'
  readonly onMessage: SandboxFrameProps['onMessage']
  /** It says more than anybody could want to hear. */
  readonly onFlood: () => void
}

function useFrame(
  frame: RefObject<HTMLIFrameElement | null>,
  { html, scheme, onMessage, onFlood }: Shown,
): number {
  const [height, setHeight] = useState(LEAST_PIXELS)
  const isShown = useRef(false)
  const isFlood = useRef(createFloodGauge())
  const told = useRef<{ height: number; request: number } | undefined>(undefined)

  /** Once for each time that the page is drawn. */
  function tellHeight(next: number): void {
    if (told.current) told.current.height = next
    else
      told.current = {
        height: next,
        request: requestAnimationFrame(() => {
          setHeight(told.current?.height ?? LEAST_PIXELS)
          told.current = undefined
        }),
      }
  }

  const receive = useEffectEvent(({ source, data }: MessageEvent) => {
    const inside = frame.current?.contentWindow
    if (!inside || source !== inside) return
    if (isFlood.current()) return onFlood()
    // Without an origin there is none to name: what is inside is known by its window.
    const reply = (message: unknown) => inside.postMessage(message, '*')
    if (data?.type === 'quire/ready') {
      // Only the frame's own page says so, before it shows anything.
      if (!isShown.current) reply({ type: 'quire/show', html, scheme })
      isShown.current = true
    } else if (data?.type === 'quire/height') tellHeight(typeof data.height === 'number' ? data.height : 0)
    else onMessage?.(data, reply)
  })

  useEffect(() => {
    const listen = (event: MessageEvent) => receive(event)
    addEventListener('message', listen)
    return () => {
      removeEventListener('message', listen)
      if (told.current) cancelAnimationFrame(told.current.request)
      told.current = undefined
      isShown.current = false
    }
  }, [])

  const isFirst = useRef(true)
  useEffect(() => {
    // It shows one document in its life; for the next one it begins anew.
    if (isFirst.current) isFirst.current = false
    else if (html !== '') {
      isShown.current = false
      frame.current?.setAttribute('src', 'frame')
    }
  }, [html, frame])

  useEffect(() => {
    frame.current?.contentWindow?.postMessage({ type: 'quire/scheme', scheme }, '*')
  }, [scheme, frame])

  return height
}

function createFloodGauge(): () => boolean {
  let second = 0
  let messages = 0
  return () => {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) [second, messages] = [now, 0]
    messages += 1
    return messages > MOST_MESSAGES_A_SECOND
  }
}

function useScheme(): 'light' | 'dark' {
  return useSyncExternalStore(watchTheme, () => (isDark() ? 'dark' : 'light'))
}

function watchTheme(tell: () => void): () => void {
  const watch = new MutationObserver(tell)
  watch.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => watch.disconnect()
}
