import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const NEAR_PIXELS = 96

/** Keeps the end of the page in sight while `what` grows, unless somebody has scrolled away from it. */
export function useFollow(what: unknown): { readonly isAtEnd: boolean; readonly goToEnd: () => void } {
  const [isAtEnd, setAtEnd] = useState(true)
  const isFollowing = useRef(true)

  const goToEnd = useCallback(() => {
    isFollowing.current = true
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
  }, [])

  useEffect(() => {
    function look(): void {
      const { scrollHeight, clientHeight } = document.documentElement
      isFollowing.current = scrollHeight - clientHeight - scrollY < NEAR_PIXELS
      setAtEnd(isFollowing.current)
    }
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: after each growth
  useLayoutEffect(() => {
    if (isFollowing.current) goToEnd()
  }, [what, goToEnd])

  return { isAtEnd, goToEnd }
}
