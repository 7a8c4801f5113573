const ESC = '\\u001b'
const BEL = '\\u0007'
const ST = '\\u009c'
/** What ends or breaks off a control string. With it a string that never ends is left at the next sequence, so the search stays linear. */
const BREAKS = `${ESC}${BEL}${ST}\\u0018\\u001a\\u0090\\u0098\\u009b\\u009d-\\u009f`

// ECMA-48, in seven and in eight bits. A sequence that is cut off loses its introducer and what is certainly part of it, never the text behind.
const SEQUENCE = new RegExp(
  [
    // OSC, SOS, PM and APC: titles, hyperlinks, inline images. Those that end are within one line.
    `(?:${ESC}[\\]X^_]|[\\u0098\\u009d-\\u009f])[^${BREAKS}\\n\\r]*(?:${BEL}|${ST}|${ESC}\\\\)`,
    // DCS: its data (sixel, for one) may hold line breaks.
    `(?:${ESC}P|\\u0090)[^${BREAKS}]*(?:${ST}|${ESC}\\\\)`,
    // CSI: colours, cursor, modes.
    `(?:${ESC}\\[|\\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]?`,
    // Escapes of two characters, character sets among them, and an ESC that begins nothing.
    `${ESC}[ -/]{0,8}[0-~]?`,
    // The rest of C1. U+0085 is a line break of Unicode and stays.
    '[\\u0080-\\u0084\\u0086-\\u009f]',
  ].join('|'),
  'g',
)

const SUSPICIOUS = new RegExp(`[${ESC}\\u0080-\\u009f]`)

/** The text without escape sequences of terminals, in seven and in eight bits. */
export function stripAnsi(text: string): string {
  return SUSPICIOUS.test(text) ? text.replace(SEQUENCE, '') : text
}
