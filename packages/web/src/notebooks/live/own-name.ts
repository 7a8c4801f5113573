const KEY = 'quire.name'

/** Nobody has to give one: until then it is a number that tells two of them apart. */
export function readOwnName(): string {
  const stored = localStorage.getItem(KEY)
  if (stored !== null) return stored
  const name = `Guest ${100 + Math.floor(Math.random() * 900)}`
  writeOwnName(name)
  return name
}

export function writeOwnName(name: string): void {
  localStorage.setItem(KEY, name)
}
