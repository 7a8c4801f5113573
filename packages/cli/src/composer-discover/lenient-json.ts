const STRING = '"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"'
const COMMENTS = new RegExp(`${STRING}|//[^\\n]*|/\\*[\\s\\S]*?\\*/`, 'g')
const TRAILING_COMMAS = new RegExp(`${STRING}|,(?=\\s*[}\\]])`, 'g')

/** JSON as people write it: with comments, commas at the end, and a byte order mark. */
export function parseLenientJson(text: string): unknown {
  const json = text.replace(/^\uFEFF/, '')
  try {
    return JSON.parse(json)
  } catch {
    // Most files are plain JSON; only what is not pays for the rest.
    const bare = json.replace(COMMENTS, (found) => (found.startsWith('"') ? found : ' '))
    return JSON.parse(bare.replace(TRAILING_COMMAS, (found) => (found.startsWith('"') ? found : '')))
  }
}
