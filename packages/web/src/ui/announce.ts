/** Of the place that screen readers read out when it changes. */
export const ANNOUNCEMENTS_ID = 'announcements'

/** Behind a dialog nothing is read out: the one that asked is gone by then. */
const AFTER_MS = 200

/** Tells those who cannot see it what has just happened. */
export function announce(text: string): void {
  setTimeout(() => {
    const place = document.getElementById(ANNOUNCEMENTS_ID)
    if (place) place.textContent = text
  }, AFTER_MS)
}
