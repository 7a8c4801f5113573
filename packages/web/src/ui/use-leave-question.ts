import { useBlocker } from '@tanstack/react-router'

/** Before what was written and not sent is lost with the page: by a link, the way back, a reload, or the tab's end. */
export function useLeaveQuestion(isUnsent: boolean): void {
  useBlocker({
    shouldBlockFn: () => isUnsent && !window.confirm('Leave, and lose what you have changed here?'),
    enableBeforeUnload: isUnsent,
  })
}
