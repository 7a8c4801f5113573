type Time = string | number

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const SHORT_CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
/** As wide at any hour. */
const DIGITS = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const CLOCK = new Intl.DateTimeFormat(undefined, DIGITS)
const EXACT_CLOCK = new Intl.DateTimeFormat(undefined, { ...DIGITS, fractionalSecondDigits: 3 })

/** All of these are written as the reader's own place writes them, with 12 hours or 24. What is no time is an empty text. */

/** The day and the time. */
export function toMoment(time: Time): string {
  return write(time, MOMENT)
}

export function toClock(time: Time): string {
  return write(time, CLOCK)
}

/** With milliseconds. */
export function toExactClock(time: Time): string {
  return write(time, EXACT_CLOCK)
}

/** The time of today, the day of everything before. */
export function toShortTime(time: Time): string {
  return write(time, isToday(time) ? SHORT_CLOCK : dayOf(time))
}

/** The time, and before it the day where that is not today. */
export function toRecentTime(time: Time): string {
  return isToday(time) ? toClock(time) : [write(time, dayOf(time)), toClock(time)].join(' ').trim()
}

function dayOf(time: Time): Intl.DateTimeFormat {
  return new Date(time).getFullYear() === new Date().getFullYear() ? DAY : DAY_OF_YEAR
}

function isToday(time: Time): boolean {
  return new Date(time).toDateString() === new Date().toDateString()
}

function write(time: Time, format: Intl.DateTimeFormat): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '' : format.format(date)
}
