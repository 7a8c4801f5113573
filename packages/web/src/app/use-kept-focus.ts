import { useEffect } from 'react'

/** What has siblings of its kind that are as good a place to be. */
const ITEMS = 'li, fieldset, button'
const REACHABLE = 'a[href], summary, [tabindex], :is(button, input, select, textarea):enabled'

/** When what has the focus is taken off the page, the focus goes to what stands next to it, or to the page's heading: a browser would drop it. */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | undefined

    function onFocus({ target }: FocusEvent): void {
      last = target instanceof Element ? target : undefined
    }
    function onBlur(): void {
      const left = last
      // Some browsers tell it of what is being removed, too, just before it is.
      queueMicrotask(() => {
        if (left === last && left?.isConnected && document.activeElement !== left) last = undefined
      })
    }
    const watch = new MutationObserver((records) => {
      if (last === undefined || last.isConnected || document.activeElement !== document.body) return
      const lost = last
      last = undefined
      const record = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(lost)))
      placeAfter(record)?.focus()
    })

    document.addEventListener('focusin', onFocus)
    document.addEventListener('focusout', onBlur)
    watch.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('focusout', onBlur)
      watch.disconnect()
    }
  }, [])
}

function placeAfter(record: MutationRecord | undefined): HTMLElement | undefined {
  for (const near of record ? around(record) : []) {
    const place = near.isConnected && firstIn(near)
    if (place) return place
  }
  return document.querySelector<HTMLElement>('main h1') ?? undefined
}

/** From the nearest: the next item and the one before, then all that it stood in. */
function* around({ nextSibling, previousSibling, target }: MutationRecord): Iterable<Element> {
  for (const sibling of [nextSibling, previousSibling])
    if (sibling instanceof Element && sibling.matches(ITEMS)) yield sibling
  let outer = target instanceof Element ? target : null
  for (; outer && !outer.matches('main, body'); outer = outer.parentElement) yield outer
}

function firstIn(element: Element): HTMLElement | undefined {
  return [element, ...element.querySelectorAll(REACHABLE)].find(
    (one): one is HTMLElement =>
      one instanceof HTMLElement && one.matches(REACHABLE) && one.checkVisibility(),
  )
}
