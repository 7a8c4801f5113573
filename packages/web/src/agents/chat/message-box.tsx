import { ArrowUp, Square } from 'lucide-react'
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'

export interface MessageBoxProps {
  readonly initial: string
  /** Of the agent. */
  readonly name: string
  readonly isBusy: boolean
  readonly isWaiting: boolean
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
}

const MOST_PIXELS = 240

/** Enter sends, Shift and Enter begins a new line. What is written stays while the agent is at work. */
export function MessageBox({ initial, name, isBusy, isWaiting, onSend, onCancel }: MessageBoxProps) {
  const [text, setText] = useState(initial)
  const box = useRef<HTMLTextAreaElement>(null)
  const canSend = text.trim() !== '' && !isBusy

  useEffect(() => box.current?.focus({ preventScroll: true }), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: as tall as what is written
  useLayoutEffect(() => {
    if (box.current === null) return
    box.current.style.height = 'auto'
    box.current.style.height = `${Math.min(box.current.scrollHeight, MOST_PIXELS)}px`
  }, [text])

  function send(): void {
    if (!canSend) return
    onSend(text)
    setText('')
  }

  function onKeyDown(event: KeyboardEvent): void {
    // While an input method composes a character, Enter is its own.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <div className="flex items-end gap-2 rounded-xl border bg-surface p-2 shadow-sm focus-within:border-accent">
      <textarea
        ref={box}
        dir="auto"
        rows={1}
        aria-label={`Message to ${name}`}
        placeholder={isWaiting ? 'It waits for you above.' : `Ask ${name} …`}
        title="Enter sends, Shift and Enter begins a new line"
        className="min-w-0 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none placeholder:text-quiet"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {isBusy ? (
        <Button size="icon" aria-label="Stop" onClick={onCancel}>
          <Square aria-hidden />
        </Button>
      ) : (
        <Button size="icon" kind="primary" aria-label="Send" disabled={!canSend} onClick={send}>
          <ArrowUp aria-hidden />
        </Button>
      )}
    </div>
  )
}
