import { randomBytes } from 'node:crypto'

const LONGEST_ID = 64

/** `Data Ánalyst!` becomes `data-analyst`. A name without a letter or digit of the Latin alphabet gives an id by chance. */
export function idFromName(name: string): string {
  const id = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/g, '-')
    .slice(0, LONGEST_ID)
    .replaceAll(/^[._-]+|[._-]+$/g, '')
  return id === '' ? `agent-${randomBytes(6).toString('hex')}` : id
}
